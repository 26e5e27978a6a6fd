"""The compiled kernels: built where there is a C compiler, left out with a notice where not."""

import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNELS = {
    "tokbench.api._count_table": Path("tokbench/api/_count_table.c"),
    "tokbench.corpora._count": Path("tokbench/corpora/_count.c"),
    "tokbench_bpe._learn": Path("plugins/tokbench_bpe/kernels/learn.c"),
    "tokbench_bpe._segment": Path("plugins/tokbench_bpe/kernels/segment.c"),
}


class BuildKernels(build_ext):
    """Builds what can be built; plain Python does the work of the rest."""

    def build_extension(self, ext: Extension) -> None:
        """Build one kernel, or say in one line that it is left out."""
        try:
            super().build_extension(ext)
        except Exception as error:
            notice = f"notice: {ext.name} was not built, Python does its work: {error}"
            print(notice, file=sys.stderr)
            # What an earlier installation built must not stay behind and do the work.
            Path(self.get_ext_fullpath(ext.name)).unlink(missing_ok=True)


setup(
    ext_modules=[
        Extension(
            name,
            [str(source)],
            depends=[str(header) for header in sorted(source.parent.glob("*.h"))],
            optional=True,
            # Products are rounded before they are added, as Python does, on every machine.
            extra_compile_args=["-O3", "-ffp-contract=off"],
        )
        for name, source in KERNELS.items()
    ],
    cmdclass={"build_ext": BuildKernels},
)
