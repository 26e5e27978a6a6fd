"""Corpora: read them, normalise them, find and count their words, split off test texts.

`load` reads all corpora of an experiment. Two modules say how a file becomes words and counts:
`corpus_reader` reads its chunks and lines, and `counting` counts the words in them.
"""
