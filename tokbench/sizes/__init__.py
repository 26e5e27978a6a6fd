"""Which vocabulary size is enough: rules over plain values; none decides alone."""
