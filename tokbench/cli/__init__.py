"""The command line. Commands are loaded only when they are called, so that help is instant."""

import gc
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from types import FrameType

import click

from tokbench import __version__
from tokbench.cli.streams import ReaderGoneError, open_streams
from tokbench.errors import InputError, PluginError, TokbenchError
from tokbench.failures import described, show_traceback, tracebacks
from tokbench.printing import closest, printable

GROUPS = {
    "Start": {
        "demo": "Write an example with its texts, and run it.",
        "init": "Write a config for your own text, ready to run.",
        "check": "Check a config and its texts without learning anything.",
        "run": "Learn, cut and score, from texts or as a config says.",
        "show": "Show one view of a run: answer, table, sizes, ...",
        "compare": "Compare two runs: settings, numbers, words.",
        "figure": "Draw a chart of a run for a paper: PDF, SVG or PNG.",
    },
    "Look closer": {
        "segment": "Cut text into tokens with a vocabulary.",
        "explain": "Show step by step why a word is cut as it is.",
        "bytes": "Show how many bytes each token writes.",
        "metrics": "Show the metrics: formula, range, direction, source.",
    },
    "Exchange": {
        "learn": "Learn a vocabulary from a text, and print it as JSON.",
        "import": "Read a vocabulary from the files of another program.",
        "export": "Write a vocabulary in the format of another program.",
        "count": "Count the words of large texts once, also on a cluster.",
        "corpora": "List or download texts of the catalogue.",
        "models": "List or download tokenizers that others trained.",
        "pack": "Write a run as one zip file, by default without its texts.",
        "reproduce": "Run a run or a packed one again, and compare the numbers.",
        "suite": "Measure tokenizers on frozen texts, one line each to cite.",
    },
    "Maintain": {
        "verify": "Check that a run folder is unchanged.",
        "report": "Write the report of a run again, from its folder.",
        "plugins": "Show what plugins offer, and why one is broken.",
        "new-plugin": "Write a package with a tokenizer, metric or view of your own.",
        "doctor": "Show versions, extras, models, and what is missing.",
        "schema": "Print the JSON Schema of configs, for editors.",
    },
}
"""The commands of tokbench and what each does, in the groups and the order of the help."""
OTHERS = "More"
"""The group of the commands of other packages."""
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}
INTERRUPTED = 130
GROUP = "tokbench.commands"
"""The group of the entry points of commands that packages offer."""


class LazyGroup(click.Group):
    """A group whose commands live in modules of their own, imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which people need them, then those of plugins."""
        return [*self.commands, *sorted(offered().keys() - self.commands.keys())]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line for each command, by group."""
        texts = {
            name: command.get_short_help_str(80)
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name))
        }
        others = [name for name in texts if name not in COMMANDS]
        width = max(map(len, texts))
        for title, names in {**GROUPS, **({OTHERS: others} if others else {})}.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), texts[name]) for name in names])

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return what stands in the place of a command until it is called."""
        if name in self.commands or name not in offered():
            return super().get_command(ctx, name)
        dist = offered()[name].dist
        return click.Command(name, short_help=f"Of the package {dist.name if dist else '?'}.")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Import the command in whose place only its short help has stood so far."""
        close = closest(args[0], self.list_commands(ctx))
        if close and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"no such command {args[0]!r}; did you mean {close!r}?")
        name, stub, rest = super().resolve_command(ctx, args)
        return name, stub if stub is None else load_command(str(name)), rest

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; click would end the program without a word where a pipe breaks."""
        try:
            return super().invoke(ctx)
        except (TokbenchError, OSError, MemoryError, KeyboardInterrupt) as error:
            show_traceback(error)
            if isinstance(error, BrokenPipeError):
                raise InputError(str(error)) from error
            raise


def load_command(name: str) -> click.Command:
    """Import a command: `run`, or one that a package offers under this name.

    Raises PluginError where the package cannot be imported, or is not installed.
    """
    if name != "run" and name not in offered():
        raise PluginError(f"command {name}: its package is not installed: install tokbench again")
    try:
        if name == "run":
            from tokbench.cli.run import command as run  # with pydantic, which help does not need

            return run
        command = offered()[name].load()
        if not isinstance(command, click.Command):
            raise TypeError(f"found {type(command).__name__}, expected a click command")
    except (KeyboardInterrupt, TokbenchError):
        raise
    except BaseException as error:
        raise PluginError(f"command {name}: cannot be imported: {described(error)}") from error
    return command


@cache
def offered() -> Mapping[str, EntryPoint]:
    """Return the commands that packages offer, none of them imported."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}


@click.group(
    cls=LazyGroup,
    commands={name: click.Command(name, short_help=text) for name, text in COMMANDS.items()},
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    no_args_is_help=True,
)
@click.option("--version", is_flag=True, help="Show the version and exit.")
@click.option("-v", "--verbose", is_flag=True, help="With --version: show the engine too.")
@click.option(
    "--traceback",
    is_flag=True,
    help="Show the whole traceback of each error, and of what a run lists as failed.",
)
@click.pass_context
def tokbench(ctx: click.Context, version: bool, verbose: bool, traceback: bool) -> None:
    """Compare tokenizers on your own text: same training text, same size, held-out test."""
    if traceback:
        ctx.with_resource(tracebacks())
    if version:
        click.echo(f"tokbench, version {__version__}")
        if verbose:
            _print_engines()
        ctx.exit()
    if verbose:
        raise click.UsageError("-v goes with --version", ctx)
    if ctx.invoked_subcommand is None:
        raise click.UsageError("missing command", ctx)


def _print_engines() -> None:
    """Print for each module of compiled code whether it does its work, or plain Python does."""
    from tokbench import plugins
    from tokbench.api.component import active

    components = [offer.component for offer in plugins.load().offers]
    for module in sorted({kind.kernels for kind in components if kind.kernels}):
        click.echo(f"engine {active(module)}: {module}")


def main() -> None:
    """Run the command line as a program: streams, signals, exit code."""
    open_streams()
    # Start-up makes many objects that stay: to look through them is a tenth of its time.
    gc.set_threshold(100_000)
    signal.signal(signal.SIGTERM, _interrupt)
    if sys.platform != "win32":
        signal.signal(signal.SIGHUP, _interrupt)
    code = run_command()
    if code == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends already, and has said so
    # Python looks through all objects once more when it ends, which takes a sixth of a short run.
    gc.freeze()
    raise SystemExit(code)


def run_command() -> int:
    """Run the command line and return its exit code; 0 means that all output was written."""
    code = _ended(lambda: tokbench.main(standalone_mode=False))
    # The buffers are written here, since a failure of Python's own exit is no message.
    return _ended(_flush) or code


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()


def _ended(action: Callable[[], object]) -> int:
    """Run an action and return its exit code; every mendable error is one message."""
    show: Callable[[], None]
    try:
        result = action()
        return result if isinstance(result, int) else 0
    except ReaderGoneError:
        return InputError.exit_code
    except click.ClickException as error:
        show, code = error.show, error.exit_code
    except (click.Abort, KeyboardInterrupt):
        show, code = partial(click.echo, "interrupted", err=True), INTERRUPTED
    except (TokbenchError, MemoryError, OSError) as error:
        message = f"error: {printable(_message(error))}"
        code = getattr(error, "exit_code", InputError.exit_code)
        show = partial(click.echo, message, err=True)
    # Where nobody can read the message, the exit code is all that is left.
    with suppress(ReaderGoneError, TokbenchError, OSError):
        show()
    return code


def _message(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return f"out of memory: {error}".removesuffix(": ")
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename!s:.200}: {error.strerror}"
    return str(error)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """End as Ctrl-C does, so that nothing half-written stays behind."""
    raise KeyboardInterrupt
