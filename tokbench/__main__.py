"""The command `tokbench`, also as `python -m tokbench`."""

import os
import signal


def main() -> None:
    """Run the command line; Ctrl-C while it is loaded ends the program with a word, too."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # else it is ignored, as in the background of a shell
        signal.signal(signal.SIGINT, _end)
    from tokbench.cli import main as run

    signal.signal(signal.SIGINT, before)
    run()


def _end(number: int, frame: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
