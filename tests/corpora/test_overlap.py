from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engines import using
from tokbench.corpora.overlap import LineHashes
from tokbench.corpora.splitters import KERNELS

NOT_BUILT = pytest.mark.skipif(find_spec(KERNELS) is None, reason="kernels were not built")
ENGINES = ["python", pytest.param("compiled", marks=NOT_BUILT)]
PARTS = st.lists(st.sampled_from([b" ", b"a", b"b", b"\t", b"cc", b"\r", b"dddddddd"]), min_size=2)


@pytest.mark.parametrize("engine", ENGINES)
@given(parts=PARTS)
def test_a_line_in_parts_has_the_hash_of_the_whole(engine, parts, sizes):
    with using(engine), sizes(long_line=7):
        hashes = LineHashes()
        whole = b"".join(parts)
        _, (before, expected, after) = hashes(b"x\n" + whole + b"\ny", begins=True, ends=True)
        last = len(parts) - 1
        found = [hashes(part, i == 0, i == last) for i, part in enumerate(parts)]
        assert [len(numbers) for _, numbers in found] == [0] * last + [1]
        text, (number,) = found[-1]
        assert number == expected not in (before, after)
        assert whole.strip().startswith(text)
        assert len(text) > 7 or text == whole.strip()
