"""Byte pair encoding as textbooks print it; `loop` is the place to begin."""
