"""Corpora: read them, normalise them, find and count their words, split off test texts.

`load` reads all corpora of an experiment. Two modules say how a file becomes words and counts:
`training` makes the chunks of the file ready, and `counting` counts the words in them.
"""
