"""Vocabularies in the formats of other programs."""
