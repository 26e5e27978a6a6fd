"""Bits per byte of a small count model: the use of tokens in a model, on the run's own texts."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_metrics() -> Mapping[str, str]:
    """Return the metrics of the model; each loads NumPy when it counts."""
    return {
        "bits-per-byte": "tokbench_lm.metrics:BitsPerByte",
        "bits-per-byte-witten-bell": "tokbench_lm.metrics:BitsPerByteWittenBell",
        "escaped-bytes": "tokbench_lm.metrics:EscapedBytes",
    }
