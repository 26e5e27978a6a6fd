"""From segmentations to numbers: counting, estimates with resamples, curves, comparisons.

`TestSet` is a test corpus made ready for scoring, `score` scores one segmentation of it, `curves`
scores every vocabulary size at once. Nothing here knows configs, registries or failures: an error
of a metric is a value that is returned.
"""
