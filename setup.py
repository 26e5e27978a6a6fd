"""What pyproject.toml cannot say: kernels, shipped texts, links of the README, editable installs.

`TOKBENCH_KERNELS=required` fails where a kernel is not built, `TOKBENCH_KERNELS=none` builds none.
"""

import os
import re
import shutil
import sys
import tomllib
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from sysconfig import get_config_var

from setuptools import Extension, setup
from setuptools.command import editable_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

KERNELS = {
    "tokbench.corpora._count": Path("tokbench/corpora/_count.c"),
    "tokbench_bpe._learn": Path("plugins/tokbench_bpe/kernels/learn.c"),
    "tokbench_bpe._segment": Path("plugins/tokbench_bpe/kernels/segment.c"),
}
WANTED = os.environ.get("TOKBENCH_KERNELS", "")
STABLE = not get_config_var("Py_GIL_DISABLED")
"""Whether one build serves Python 3.11 and all later versions: not without the interpreter lock."""


class BuildKernels(build_ext):
    """Builds what can be built; plain Python does the work of the rest."""

    def build_extension(self, ext: Extension) -> None:
        """Build one kernel, or say in one line that it is left out."""
        try:
            super().build_extension(ext)
        except Exception as error:
            if WANTED == "required":
                raise
            notice = f"notice: {ext.name} was not built, Python does its work: {error}"
            print(notice, file=sys.stderr)
            Path(self.get_ext_fullpath(ext.name)).unlink(missing_ok=True)

    def copy_extensions_to_source(self) -> None:
        """Put kernels beside the sources, in place of all that earlier installations built."""
        for ext in self.extensions:
            built = Path(self.get_ext_fullpath(ext.name)).parent / ext.name.rpartition(".")[2]
            for suffix in EXTENSION_SUFFIXES:
                built.with_name(built.name + suffix).unlink(missing_ok=True)
        super().copy_extensions_to_source()


class BuildTexts(build_py):
    """Puts the shipped configs and texts into the package; a checkout has them beside it."""

    def run(self) -> None:
        """Copy the packages, then `configs` and `corpora`."""
        super().run()
        for kind in () if self.editable_mode else ("configs", "corpora"):
            target = Path(self.build_lib, "tokbench", "shipped", kind)
            shutil.copytree(kind, target, ignore=shutil.ignore_patterns("*.md"), dirs_exist_ok=True)


class EditableWheel(editable_wheel.editable_wheel):
    """Installs the folders of the sources as paths, which type checkers read too.

    They would not run the import hook by which setuptools finds packages in several folders.
    """

    def _select_strategy(self, name: str, *_: object) -> object:
        folders = [Path(__file__).parent, Path(__file__).parent / "plugins"]
        return editable_wheel._StaticPth(self.distribution, name, folders)


def readme() -> str:
    """Return the README for a package index: its links lead to the repository."""
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    source = project["urls"]["Source"]
    text = Path("README.md").read_text("utf-8")
    text = re.sub(r"(!\[[^]]*\]\()(?!https?:)", rf"\1{source}/raw/HEAD/", text)
    return re.sub(r"\]\((?!https?:|#)", f"]({source}/blob/HEAD/", text)


if WANTED not in ("", "required", "none"):
    sys.exit(f"TOKBENCH_KERNELS={WANTED}: expected required or none")
setup(
    long_description=readme(),
    long_description_content_type="text/markdown",
    ext_modules=[
        Extension(
            name,
            [str(source)],
            depends=[str(header) for header in sorted(source.parent.glob("*.h"))],
            define_macros=[("Py_LIMITED_API", "0x030B0000")] if STABLE else [],
            py_limited_api=STABLE,
            optional=WANTED != "required",
            # Products are rounded before they are added, as Python does, on every machine.
            extra_compile_args=["/O2", "/fp:precise"]
            if sys.platform == "win32"
            else ["-O3", "-ffp-contract=off"],
        )
        for name, source in KERNELS.items()
        if WANTED != "none"
    ],
    cmdclass={"build_ext": BuildKernels, "build_py": BuildTexts, "editable_wheel": EditableWheel},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE else {},
)
