"""Commands that need of the core only what is public: `segment`, `explain`, `compare`, ...

Each module has the name of its command, and is an entry point of the group `tokbench.commands`.
"""
