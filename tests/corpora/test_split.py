import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokbench.corpora.source import Split
from tokbench.corpora.split import STAYS, draw, split_digest
from tokbench.errors import UsageError


def documents(*sizes: int) -> np.ndarray:
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)


@given(st.integers(10, 500), st.floats(0.06, 0.9), st.integers(0, 2**32))
def test_the_share_of_lines_is_exact(lines, share, seed):
    drawn = draw(documents(lines), {"dev": Split(split=share)}, seed)
    assert (drawn == 0).sum() == round(lines * share)
    assert (drawn == STAYS).sum() == lines - round(lines * share)


def test_a_document_is_drawn_whole():
    sizes = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3)
    drawn = draw(documents(*sizes), {"dev": Split(split=0.3, by="document")}, 1)
    by_document = np.split(drawn, np.cumsum(sizes)[:-1])
    assert all(len(set(part.tolist())) == 1 for part in by_document)
    assert sum(part[0] == 0 for part in by_document) == 3


def test_the_seed_alone_decides():
    splits = {"dev": Split(split=0.5)}
    first, again, other = (draw(documents(100), splits, seed) for seed in (3, 3, 4))
    assert first.tolist() == again.tolist() != other.tolist()


def test_splits_share_nothing_and_each_has_its_share_of_the_whole():
    splits = {"a": Split(split=0.5), "b": Split(split=0.4, by="document"), "c": Split(split=0.05)}
    drawn = draw(documents(*[10] * 10), splits, 0)
    taken = [set(np.flatnonzero(drawn == part).tolist()) for part in (0, 1, 2)]
    assert len(taken[0]) == 50
    assert len({line // 10 for line in taken[1]}) == 4
    assert len(taken[2]) == 5
    assert len(set.union(*taken)) == sum(map(len, taken))


@pytest.mark.parametrize(
    ("lines", "splits", "said"),
    [
        (
            (3,),
            {"dev": Split(split=0.1)},
            "dev: a share of 0.1 would take 0 of the 3 lines of the training text that are left; "
            "at least one must be taken, and one must stay",
        ),
        (
            (10,),
            {"dev": Split(split=0.6), "test": Split(split=0.5)},
            "test: a share of 0.5 would take 5 of the 4 lines of the training text that are left; "
            "at least one must be taken, and one must stay",
        ),
    ],
)
def test_a_split_must_take_something_and_leave_something(lines, splits, said):
    with pytest.raises(UsageError) as caught:
        draw(documents(*lines), splits, 0)
    assert str(caught.value) == said


def test_the_digest_tells_how_and_which_part():
    splits = {"dev": Split(split=0.1)}
    digests = {
        split_digest("00", splits, 0, STAYS),
        split_digest("00", splits, 0, 0),
        split_digest("00", splits, 1, 0),
        split_digest("01", splits, 0, 0),
        split_digest("00", {"dev": Split(split=0.2)}, 0, 0),
    }
    assert len(digests) == 5
    assert split_digest("00", {"other name": Split(split=0.1)}, 0, 0) in digests
