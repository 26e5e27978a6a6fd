"""Commands that read vocabularies and runs: `segment`, `explain`, `bytes`, `compare`.

Each module has the name of its command, and is an entry point of the group `tokbench.commands`.
"""
