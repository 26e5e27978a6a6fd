"""`tokbench count`: the words of a large text, counted once, here or on a Dask cluster."""
