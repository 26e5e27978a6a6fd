"""Worker processes: what code of others runs in, so that it costs nobody else's work.

A fork server (`server`) is started with the first worker, and copies itself for each. A worker
(`loop`) answers calls; the parent (`process`) waits for the answers, with limits (`limits`). Values
travel as files of JSON and arrays (`parcel`).
"""
