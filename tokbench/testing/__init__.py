"""The promises of components as named checks, for the tests of plugin authors.

A test of each promise of each component of a package::

    from tokbench.testing import promises

    @pytest.mark.parametrize("promise", promises("my-package"), ids=str)
    def test_promise(promise):
        promise.check()
"""

from tokbench.testing.collect import promises
from tokbench.testing.promise import Promise

__all__ = ["Promise", "promises"]
