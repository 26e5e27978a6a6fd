"""A kernel that refuses a call, and processes that end at a chosen step: without any mock."""

import ctypes
import errno
import os
import platform
import signal
import struct
import sys
from collections.abc import Callable

NUMBERS = {"x86_64": {"renameat2": 316, "flock": 73}, "aarch64": {"renameat2": 276, "flock": 32}}
NUMBER, ALLOW, REFUSE = 0, 0x7FFF0000, 0x00050000
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
SECCOMP, NO_NEW_PRIVILEGES, FILTER = 22, 38, 2

STEPS = {
    "ctypes.dlsym", "fcntl.flock", "open", "os.chmod", "os.mkdir", "os.remove", "os.rename",
    "os.rmdir", "os.truncate", "shutil.rmtree",
}  # fmt: skip
"""What Python tells of before it does it. Right after `ctypes.dlsym` two folders are exchanged."""


def can_refuse() -> bool:
    """Whether this system has filters of calls, and their numbers are known."""
    return sys.platform == "linux" and platform.machine() in NUMBERS


def refuse(call: str) -> None:
    """Let the kernel answer a call with ENOSYS, as long as this process lives."""
    lines = [
        (LOAD, 0, 0, NUMBER),
        (EQUAL, 0, 1, NUMBERS[platform.machine()][call]),
        (RETURN, 0, 0, REFUSE | errno.ENOSYS),
        (RETURN, 0, 0, ALLOW),
    ]
    program = b"".join(struct.pack("HBBI", *line) for line in lines)
    held = ctypes.create_string_buffer(program)
    head = struct.pack("HxxxxxxP", len(lines), ctypes.addressof(held))
    library = ctypes.CDLL(None, use_errno=True)
    assert library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
    assert library.prctl(SECCOMP, FILTER, ctypes.c_char_p(head)) == 0, ctypes.get_errno()


def kill_at(step: int) -> None:
    """Kill this process just before its n-th step from now on."""
    done = 0

    def watch(event: str, details: object) -> None:
        nonlocal done
        if event in STEPS:
            done += 1
            if done == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def in_a_process(action: Callable[[], object]) -> int:
    """Do something in a process of its own; return its exit code, negative where it was killed."""
    child = os.fork()
    if not child:
        code = 99
        try:
            action()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
