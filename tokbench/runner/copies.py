"""Jobs side by side, each in a copy of this process: what they give is left in files."""

import json
import os
import selectors
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from tokbench.failures import printed_to, show_printed
from tokbench.workers.server import die_with_parent

Tell = Callable[[str, float], None]
"""Is told what a job is doing, and which share of it is done."""

PATIENCE_SECONDS = 10.0
ENDING = {signal.SIGINT, signal.SIGTERM}


class _Copy:
    """A copy of this process that does one job, and tells how far it is."""

    def __init__(self, job: Callable[[Tell], object]) -> None:
        self.heard, telling = os.pipe()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        parent = os.getpid()
        with warnings.catch_warnings():
            # Our other thread draws the progress, and the copy leaves that to this process.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process = os.fork()
        if not self.process:
            os.close(self.heard)
            _work(job, telling, parent)
        os.close(telling)
        self.share = 0.0
        self.gave: Any = ()
        self._held = b""

    def hear(self, tell: Tell) -> bool:
        """Pass on what the copy tells; return False when it has ended, or is about to."""
        more = os.read(self.heard, 1 << 16)
        *lines, self._held = (self._held + more).split(b"\n")
        for line in lines:
            told = json.loads(line)
            if "ends" in told:
                return False  # what it has started may keep the pipe open
            if "printed" in told:
                show_printed(told["printed"])
            elif "gave" in told:
                self.gave = told["gave"]
            else:
                self.share = told["share"]
                tell(told["text"], self.share)
        return bool(more)

    def ended(self) -> str:
        """Wait until it has ended, and say how; nothing if it has done its job."""
        os.close(self.heard)
        code = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        if code >= 0:
            return f"exit code {code}" if code else ""
        with suppress(ValueError):
            return signal.Signals(-code).name
        return f"signal {-code}"


def side_by_side(
    jobs: Mapping[str, Callable[[Tell], object]], many: int, tell: Tell
) -> Mapping[str, tuple[Any, str]]:
    """Do jobs, at most so `many` at a time; return by name what they gave, which JSON can hold.

    The second text says how the copy ended; it is empty if the job is done. `tell` receives the
    share of all jobs. On Linux a copy ends with this process, and with it what it has started.
    """
    waiting, done = iter(jobs.items()), 0
    ended: dict[str, tuple[Any, str]] = {}
    with selectors.DefaultSelector() as events, _all_ended(events):
        while True:
            while len(events.get_map()) < many and (following := next(waiting, None)):
                name, job = following
                signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # until it is known here
                try:
                    copy = _Copy(job)
                    events.register(copy.heard, selectors.EVENT_READ, (name, copy))
                finally:
                    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
            if not events.get_map():
                return ended
            for key, _ in events.select():
                name, copy = key.data
                others = sum(one.data[1].share for one in events.get_map().values()) - copy.share

                def told(text: str, share: float, before: float = done + others) -> None:
                    tell(text, (before + share) / len(jobs))

                if not copy.hear(told):
                    events.unregister(copy.heard)
                    done += 1
                    ended[name] = copy.gave, copy.ended()


@contextmanager
def _all_ended(events: selectors.BaseSelector) -> Iterator[None]:
    """End the copies that still run when this process stops."""
    try:
        yield
    finally:
        left = [key.data[1].process for key in events.get_map().values()]
        for number in (signal.SIGTERM, signal.SIGKILL):
            for process in left:
                os.kill(process, number)
            deadline = time.monotonic() + PATIENCE_SECONDS
            while left and time.monotonic() < deadline:
                left = [process for process in left if not os.waitpid(process, os.WNOHANG)[0]]
                time.sleep(0.01)


def _work(job: Callable[[Tell], object], telling: int, parent: int) -> None:
    """Do a job as a copy, whose end clears nothing up that is its parent's."""
    code = 1
    try:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        die_with_parent()
        if os.getppid() != parent:
            return  # it has ended already

        def tell(**what: Any) -> None:
            with suppress(BrokenPipeError):
                os.write(telling, json.dumps(what).encode() + b"\n")

        with printed_to(lambda text: tell(printed=text)):
            tell(gave=job(lambda text, share: tell(text=text, share=share)))
        code = 0
    except KeyboardInterrupt:
        code = 130
    finally:
        with suppress(OSError):
            os.write(telling, b'{"ends": true}\n')
        os._exit(code)
