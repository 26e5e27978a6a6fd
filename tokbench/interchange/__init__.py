"""Vocabularies in files: our own, and those of the formats on offer."""
