"""Segmenting: by `merging`, by longest match (`matching`), or into the `fewest` tokens."""
