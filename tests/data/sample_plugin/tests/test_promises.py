import pytest

from tokbench.testing import promises


@pytest.mark.parametrize("promise", promises("tokbench-syllables"), ids=str)
def test_promise(promise):
    promise.check()
