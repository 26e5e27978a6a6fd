"""Every registered component keeps the promises of the conformance kit."""

import pytest

from tokbench.testing import Promise, promises


@pytest.mark.parametrize("promise", promises(), ids=str)
def test_promise(promise: Promise) -> None:
    promise.check()
