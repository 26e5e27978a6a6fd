"""One module for each job; its `run(peer, **arguments)` returns an answer for JSON.

If only a part of the process is the work, the answer has the `seconds` of that part.
"""
