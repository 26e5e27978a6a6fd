"""`tokbench pack`: a run as one zip file, without the texts unless they are asked for."""

import posixpath
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import click

from tokbench.api import InputError
from tokbench.commands import PATH, files_of, load, run_folder, shown, text_digest
from tokbench.printing import counted, printable
from tokbench_commands.shared import CHUNK, check_absent, reading, write_files

RUN, TEXTS = "run", "texts"
"""The folders of an archive."""
ANSWER = "answer.json"


@click.command()
@click.argument("run", type=PATH)
@click.option("-o", "--output", "archive", type=PATH, required=True, help="The zip file to write.")
@click.option(
    "--with-texts",
    is_flag=True,
    help="Add the texts and other files that the config names, if their licences let you.",
)
def command(run: Path, archive: Path, with_texts: bool) -> None:
    """Write RUN as one zip file, which `tokbench reproduce` runs again.

    It holds the config, the digests of all texts, the versions, all tables, the vocabularies and
    the answer. As with `samples: none`, it holds no word and no line of the test texts; the
    vocabularies hold pieces of the training text. The same RUN always gives the same bytes.
    """
    check_absent(archive)
    complete = run_folder.Run.load(run)
    views, _ = files_of(load(lazy=True))
    with TemporaryDirectory(prefix="tokbench-") as made:
        folder = Path(made, RUN)
        with reading(run):
            packed = complete.without_text()
            run_folder.write_run(folder, packed, {ANSWER: shown(views[ANSWER], packed, "json")})
            texts = _texts(complete.record, run) if with_texts else {}
        files = {
            path.relative_to(made).as_posix(): path for path in folder.rglob("*") if path.is_file()
        }
        finished = Path(made, "archive")
        _zip(finished, {**files, **texts})
        with finished.open("rb") as file:
            write_files({archive: iter(partial(file.read, CHUNK), b"")})
    added = f", {counted(len(texts), 'file')} of the config among them" if with_texts else ""
    click.echo(printable(f"{archive}: {counted(len(files) + len(texts), 'file')}{added}"))


def places(names: Iterable[str]) -> tuple[str, Mapping[str, str]]:
    """Return where the config and the files that it names stand below one folder.

    `names` are paths from the folder of the config, which is so deep that none leads out; absolute
    ones are taken as if they began there.

    >>> places(["../corpora/a.txt", "/b.txt"])
    ('config', {'../corpora/a.txt': 'corpora/a.txt', '/b.txt': 'config/b.txt'})
    """
    paths = {name: posixpath.normpath(name.lstrip("/")) for name in names}
    depth = max((path.split("/").count("..") for path in paths.values()), default=0)
    config = "/".join(["config"] * depth)
    joined = {name: posixpath.normpath(posixpath.join(config, p)) for name, p in paths.items()}
    return config, joined


def _texts(record: "run_folder.Record", run: Path) -> Mapping[str, Path]:
    """Find the files of a run, by their names in the archive; what is in no corpus may be missing.

    Raises InputError for a file of a corpus that is missing, or holds something else now.
    """
    _, place_of = places(record.files_by_name)
    of_corpora = {file.name for corpus in record.corpora for file in corpus.files}
    texts, missing = {}, []
    for file in record.files_by_name.values():
        path = Path(record.path).parent / file.name
        if path.is_file() and text_digest(path) == file.sha256:
            texts[f"{TEXTS}/{place_of[file.name]}"] = path
        elif file.name in of_corpora:
            missing.append(str(path))
    if missing:
        raise InputError(
            f"{run}: not there as the run read it: {', '.join(missing)}: pack from the folder where"
            " the run was started, with the texts in place"
        )
    return texts


def _zip(path: Path, files: Mapping[str, Path]) -> None:
    """Write files by their names, always with the same bytes."""
    with ZipFile(path, "w") as archive:
        for name, file in sorted(files.items()):
            info = ZipInfo(name)  # whose date is 1980
            info.compress_type, info.create_system = ZIP_DEFLATED, 3
            info.external_attr, info.file_size = 0o644 << 16, file.stat().st_size
            with file.open("rb") as source, archive.open(info, "w") as target:
                copyfileobj(source, target, CHUNK)
