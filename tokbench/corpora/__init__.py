"""Corpora: readers, normalisation, splitters, test splits, digests and the catalogue.

Empty on purpose: the splitters are a plugin, so importing this package must load nothing heavy.
"""
