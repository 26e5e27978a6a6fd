"""What several commands share: options, the components and corpora that they name, and files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from functools import partial, wraps
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import click

from tokbench.api import InputError, InputFile, SourceFile, Splitter, UsageError
from tokbench.commands import (
    PATH,
    Builder,
    Command,
    Decorator,
    DescribedCorpus,
    Kind,
    Registry,
    Source,
    Use,
    WrongValueError,
    checked,
    core,
    read_value,
    run_folder,
    run_plugin_code,
    say,
    worst,
)
from tokbench.printing import Table

WORDS = Use(use="words")
"""The splitter that finds the words unless another is asked for."""

OF_TEXTS = ("words", "normalise", "errors", "field")
"""The options that say how texts are read."""

CHUNK = 1 << 20
FORMAT = "The format; `tokbench plugins` lists all."


class Treatment(NamedTuple):
    """How texts are read and their words found: keys of a corpus, and the plugin files needed."""

    words: Use | None = None
    normalise: Sequence[object] = ()
    errors: str = "strict"
    field: str | None = None
    plugin_files: tuple[Path, ...] = ()


def choice_option(flag: str, name: str, choices: Sequence[str], text: str) -> Decorator:
    """Add an option that takes one of some values, by default the first, with its help text."""
    kind = click.Choice(choices)
    return click.option(flag, name, type=kind, default=choices[0], show_default=True, help=text)


format_option = choice_option(
    "--format", "form", ("table", "csv", "json", "md"), "How the table is printed."
)
"""Adds `--format table|csv|json|md` for what is printed on stdout."""


def print_records(records: Sequence[Mapping[str, str]], columns: Sequence[str], form: str) -> None:
    """Print some columns of records for people, and all of them for programs."""
    for_people = form in ("table", "md")
    click.echo(Table.of(records, columns if for_people else None).to(form), nl=False)


def read_use(text: str, where: str) -> Use:
    """Read a component as a config may write it; errors call it `where`."""
    try:
        return checked(Use, read_value(text) if text.startswith("{") else text)
    except (UsageError, WrongValueError):
        expected = "expected a name or {use: name, option: value}"
        raise UsageError(f"{where} {text}: {expected}") from None


def use_option(flag: str, name: str, text: str, **settings: Any) -> Decorator:
    """Add an option that names a component, with its help text."""

    def read(_: click.Context, __: click.Parameter, value: str | None) -> Use | None:
        return None if value is None else read_use(value, flag)

    return click.option(flag, name, callback=read, help=text, **settings)


def read_option(key: str, value: str) -> Any:
    """Read the value of an option of a component, spelled as in YAML."""
    try:
        return read_value(value) if value else value
    except UsageError as error:
        raise UsageError(f"option {key}: {error}") from None


def _read_options(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> dict[str, Any]:
    """Read the options of a component, each written as `key=value`."""
    options = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or key in ("", "use") or not key.isprintable():
            raise UsageError(f"option {text!r}: expected key=value, for example `merge=list`")
        options[key] = read_option(key, value)
    return options


def component_options(text: str) -> Decorator:
    """Add `-O KEY=VALUE`, as often as needed, with its help text: the options of a component."""
    return click.option(
        "-O", "options", metavar="KEY=VALUE", multiple=True, callback=_read_options, help=text
    )


segmenter_option = use_option(
    "--segmenter",
    "segmenter",
    "The segmenter, by name or as {use: name, option: value} [default: that of the vocabulary].",
)


def words_options(command: Command) -> Command:
    """Add `--words` and `--normalise`; the command is given a `treatment`."""
    return _words_options(_given_treatment(command))


def _given_treatment(command: Command) -> Command:
    @wraps(command)
    def call(*arguments: Any, **options: Any) -> Any:
        keys = {key: options.pop(key) for key in OF_TEXTS if key in options}
        return command(*arguments, treatment=Treatment(**keys), **options)

    return call


def _words_options(command: Command) -> Command:
    normalise = click.option(
        "--normalise",
        multiple=True,
        metavar="STEP",
        help="`lowercase`, `nfc`, `nfd`, `nfkc`, `nfkd` or `remove=REGEX`; as often as needed.",
    )
    text = f"The splitter that finds the words [default: {WORDS.use}]."
    return use_option("--words", "words", text)(normalise(command))


field_option = click.option(
    "--field",
    metavar="NAME",
    help="The field of JSON records, or the column of a table, that holds the text [default:"
    " `text`, or the only column of texts].",
)
"""Adds `--field`."""


def treatment_options(command: Command) -> Command:
    """Add `--words`, `--normalise`, `--errors` and `--field`; the command is given a `treatment`.

    They do what these keys of a corpus do.
    """
    ways = ("strict", "replace", "skip-line")
    errors = choice_option("--errors", "errors", ways, "What to do with invalid UTF-8.")
    return _words_options(errors(field_option(_given_treatment(command))))


def build(
    registry: Registry, kind: Kind, use: Use, options: Mapping[str, Any] | None = None
) -> Any:
    """Build a component; `options` replace those that stand beside its name.

    Raises UsageError or PluginError for its name, and what fits for wrong options.
    """
    complete = Use.model_validate({**use.options, **(options or {}), "use": use.use})
    try:
        return Builder(registry).build(kind, complete).component
    except WrongValueError as error:
        raise worst(error.problems)(f"{kind} {use.use}: {error}") from None


def corpus(registry: Registry, paths: Sequence[Path], treatment: Treatment) -> DescribedCorpus:
    """Describe a corpus from its files and treatment; raises UsageError for a wrong step."""
    words = treatment.words or WORDS
    steps = [
        {"remove": step[7:]} if isinstance(step, str) and step[:7] == "remove=" else step
        for step in treatment.normalise
    ]
    splitter: Splitter = build(registry, "splitter", words)
    keys = {"normalise": steps, "errors": treatment.errors, "field": treatment.field, "path": "-"}
    try:
        source = checked(Source, keys).model_copy(update={"path": tuple(paths)})
    except WrongValueError as error:
        raise UsageError(f"--normalise: {error}") from None
    looks = core.looks_like_vocabulary(source, registry)
    return DescribedCorpus(source, splitter.describe(words.use), splitter, looks=looks)


def read_run(folder: Path) -> "run_folder.Run":
    """Read a run folder; warn of each table that was changed since the run, and read it as it is.

    Raises what `Run.load` does.
    """
    return run_folder.Run.load(
        folder, lambda message: say(f"warning: {message}; it is read as it is")
    )


@contextmanager
def reading(*runs: Path) -> Iterator[None]:
    """Say of whatever is raised inside that a run is damaged, or what reads it has a mistake.

    Errors of files pass as InputError.
    """
    where = " or ".join(map(str, runs))
    with run_plugin_code(f"{where}: the run is damaged, or what reads it has a mistake"):
        try:
            yield
        except OSError as error:
            raise InputError(f"{error.filename or where}: {error.strerror or error}") from None


def read_file(path: Path) -> SourceFile:
    """Read a file; raises InputError where that cannot be done."""
    return SourceFile(str(path), InputFile(str(path), path).read_bytes())


def check_absent(path: Path) -> None:
    """Raise UsageError for a file that would be written over."""
    if path.is_dir():
        raise UsageError(f"{path}: a folder, expected the name of a file")
    if path.exists() or path.is_symlink():
        raise UsageError(f"{path}: already exists: choose another name")


output_option = click.option(
    "-o", "--output", type=PATH, callback=lambda _context, _option, path: _absent(path),
    help="The file to write [default: standard output].",
)  # fmt: skip
"""The option of `show`, and by `with_output` of the other commands that print data."""


def _absent(path: Path | None) -> Path | None:
    if path is not None:
        check_absent(path)
    return path


def with_output(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Add the option `--output` to a command: its output then goes to a file.

    No file is written if the command fails with an error.
    """

    @output_option
    @wraps(command)
    def written(*arguments: Any, output: Path | None, **options: Any) -> int | None:
        if output is None:
            return command(*arguments, **options)
        near = next(folder for folder in output.absolute().parents if folder.is_dir())
        try:
            with TemporaryFile(dir=near) as file:
                text = TextIOWrapper(file, "utf-8", "backslashreplace", newline="")
                with redirect_stdout(text):
                    code = command(*arguments, **options)
                text.flush()
                file.seek(0)
                write_files({output: iter(partial(file.read, CHUNK), b"")})
        except OSError as error:
            if error.filename:  # it is another file
                raise
            what = f"cannot be written: {error.strerror or error}"
            raise InputError(f"{output}: {what}") from None
        return code

    return written


def write_files(files: Mapping[Path, str | Iterable[bytes]]) -> None:
    """Write files, each whole, or none where one cannot be written; make their folders.

    Raises UsageError for a file that already exists, InputError where nothing can be written.
    """
    for path in files:
        check_absent(path)
    temporaries = {path: core.temporary(path.parent) for path in files}
    path = Path()
    try:
        for path, new in temporaries.items():
            core.make_folder(path.parent)
            core.write(new, files[path])
        for path, new in temporaries.items():
            core.put(new, path)
        for folder in {path.parent for path in files}:
            core.sync(folder)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        for new in temporaries.values():
            with suppress(OSError):
                new.unlink(missing_ok=True)
