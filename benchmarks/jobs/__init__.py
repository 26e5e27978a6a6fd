"""One module a job, each with `run(peer, **arguments)`, which gives an answer for JSON.

Where only a part of a process is the work, the answer holds its `seconds`.
"""
