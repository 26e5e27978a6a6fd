"""Which tokens stay within one character; loads NumPy, so metrics import it when they count."""

import numpy as np

from tokbench.api.segmentation import Flags, Segmentation


def within_one_character(segmentation: Segmentation) -> Flags:
    """Tell for each row whether its token covers text, and all of it in one code point."""
    words = segmentation.words
    # In UTF-8 every byte that is not 10xxxxxx begins a code point.
    begun = np.concatenate(([0], np.cumsum((words.utf8 & 0xC0) != 0x80)))
    offset = words.offset[segmentation.word][segmentation.state_of]
    within = segmentation.with_text & ~segmentation.shared
    first = (offset + segmentation.starts)[within] + 1
    last = (offset + segmentation.ends)[within]
    within[within] = begun[first] == begun[last]
    return within
