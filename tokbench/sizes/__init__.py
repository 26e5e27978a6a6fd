"""Which vocabulary size is enough: rules over plain values; none decides alone.

The names here are public: views in plugins advise with them.
"""

from tokbench.sizes.advice import advice_from

__all__ = ["advice_from"]
