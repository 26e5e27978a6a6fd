"""Workers: what arrives is what was sent, and nothing outlives those who asked."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.processes import wait_until_none_is_in
from tokbench.api import CountedWords, Learned, LineTokens, Marks, Size, Vocabulary
from tokbench.errors import DeadWorkerError, TokbenchError
from tokbench.workers.limits import Limits
from tokbench.workers.parcel import ParcelError, read, write
from tokbench.workers.process import Call, Worker

SERVE = "tests.workers.served:serve"


@pytest.fixture(autouse=True)
def importable(monkeypatch, root):
    """Let workers import these tests."""
    monkeypatch.syspath_prepend(str(root))


@pytest.fixture
def worker():
    one = Worker("one", SERVE, Limits())
    yield one
    one.end()


def is_gone(pid: int) -> bool:
    for _ in range(1200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        stat = Path(f"/proc/{pid}/stat")
        if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return True  # it has ended, and nobody has asked how
        time.sleep(0.05)
    return False


texts = st.text(alphabet=st.characters(exclude_categories=()), max_size=9)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(texts, inner),
    max_leaves=20,
)


@given(plain)
def test_values_are_read_as_they_were_written(tmp_path_factory, value):
    path = tmp_path_factory.mktemp("parcel") / "one"
    write(path, value)
    assert repr(read(path)) == repr(value)


SPECIAL = [
    [("a", 1), (None, 2)],
    [[("a", 1), (3, 2)], [], [(None, 4)]],
    [["lone \udc80", "</w>"], []],
    (Size(total=3), Size(learned=0)),
    Vocabulary(("a", "b", "ab"), ("a", "b"), (Learned(("a", "b"), 3),), extra={"x": [1, {}]}),
    Marks(),
    np.int64(3),
    np.float32(0.5),
    {("a", 1): {2: "x"}},
    float("inf"),
    ["", "lone \ud800", "\udc00", "안"] * 1000,
    ["line\n", "", "\n"] * 1000,
    {f"word{n}": n for n in range(2000)},
]


@pytest.mark.parametrize("value", SPECIAL, ids=lambda value: type(value).__name__)
def test_types_arrive_too(tmp_path, value):
    write(tmp_path / "one", value)
    found = read(tmp_path / "one")
    assert (type(found), repr(found)) == (type(value), repr(value))


def test_arrays_words_and_what_nobody_knows(tmp_path):
    words = CountedWords.of({"low": 3, "안\ud800": 1})
    tokens = LineTokens.from_lengths([0, 2], [5, -1], [1, 2])
    write(tmp_path / "one", {"words": words, "tokens": tokens, "set": {1}, "nan": math.nan})
    found = read(tmp_path / "one")
    assert dict(found["words"]) == dict(words)
    assert found["tokens"].ends.tolist() == [1, 3]
    assert (type(found["set"]).__name__, repr(found["set"])) == ("set", "{1}")
    assert math.isnan(found["nan"])


@pytest.mark.parametrize("damage", [b"", b"\xff" * 99, b"\x02" + bytes(7) + b"{}"])
def test_a_damaged_parcel_is_an_error(tmp_path, damage):
    (tmp_path / "one").write_bytes(damage)
    with pytest.raises(ParcelError, match="cannot be read"):
        read(tmp_path / "one")


def parcel(document: str, more: bytes = b"") -> bytes:
    return len(document).to_bytes(8, "little") + document.encode() + more


WRONG = [
    *('{"~":"tuple","type":"tokbench.api.files:os.path.join","of":["a","b"]}', '{"~":"nosuch"}'),
    *('{"~":"data","type":"tokbench.api.files:os.system","of":{}}', '{"~":"texts","of":5}'),
    *('{"~":"data","type":"tokbench.api.files:Path","of":{}}', '{"~":"texts"}', '{"~":"array"}'),
    *('{"~":"data","type":"tokbench.api.nosuch:X","of":{}}', '{"~":"same","number":-1}'),
    '{"~":"data","type":"tokbench.api:byte_length","of":{"text":"a"}}',
]
HEADERS = [b"((((", b"'''", b"  {\n {", b"{'descr': 'O', 'fortran_order': False, 'shape': (1,)}"]


@pytest.mark.parametrize(
    "damage",
    [
        *map(parcel, WRONG),
        *(
            parcel('{"~":"array"}', b"\x93NUMPY\x01\x00" + len(one).to_bytes(2, "little") + one)
            for one in HEADERS
        ),
    ],
)
@pytest.mark.parametrize("known", [None, {}])
def test_nothing_but_values_is_made(tmp_path, damage, known):
    """Neither are functions called, nor classes of others made, whatever a file names."""
    (tmp_path / "one").write_bytes(damage)
    with pytest.raises(ParcelError, match="cannot be read"):
        read(tmp_path / "one", known=known)


@pytest.mark.nightly
def test_a_worker_keeps_its_process_and_asks_back(worker):
    first = worker.run([Call("pid")])
    assert first not in (os.getpid(), None)
    assert worker.run([Call("asked", (lambda value: value * 2, 21))]) == 42
    assert worker.run([Call("pid")]) == first


@pytest.mark.nightly
def test_the_end_of_one_worker_does_not_concern_another(worker):
    first = worker.run([Call("pid")])
    for _ in range(3):
        Worker("another", SERVE, Limits()).run([Call("pid")])
        assert worker.run([Call("pid")]) == first


@pytest.mark.nightly
def test_a_crash_is_tried_once_more(worker, tmp_path):
    assert worker.run([Call("die_once", (str(tmp_path / "mark"),))]) == "alive"


@pytest.mark.nightly
def test_a_killed_fork_server_costs_one_attempt(worker):
    first = worker.run([Call("pid")])
    server = worker.run([Call("above")])
    os.kill(server, signal.SIGKILL)
    assert is_gone(first)
    assert worker.run([Call("pid")]) != first


@pytest.mark.nightly
@pytest.mark.parametrize(
    "line",
    [
        *("5", "{}", "[]", "null", '"x"', "{", "[" * 99_999, '{"error": 5}', '{"answer": null}'),
        *('{"answer": "PATH"}', '{"ask": "PATH"}', '{"answer": "../PATH"}', '{"answer": ".."}'),
        *('{"answer": "\\u0000"}', '{"answer": ""}', '{"answer": "no such file"}'),
    ],
    ids=lambda line: line[:20],
)
def test_a_line_that_is_no_answer_costs_the_process_alone(worker, tmp_path, line):
    """A file elsewhere is neither read nor removed, whoever names it."""
    decoy = tmp_path / "decoy"
    decoy.write_bytes(b"mine")
    with pytest.raises(DeadWorkerError, match="cannot be read"):
        worker.run([Call("send", [line.replace("PATH", str(decoy)) + "\n"])])
    assert decoy.read_bytes() == b"mine"
    assert worker.run([Call("same", [3])]) == 3


@pytest.mark.nightly
@pytest.mark.parametrize("key", ["answer", "ask"])
def test_a_fifo_named_as_answer_does_not_hold_the_parent(worker, key):
    with pytest.raises(DeadWorkerError, match="is no file"):
        worker.run([Call("send", [f'{{"{key}": "PID.fifo"}}\n', True])])


@pytest.mark.nightly
def test_a_line_without_end_is_no_answer(worker):
    with pytest.raises(DeadWorkerError, match="cannot be read"):
        worker.run([Call("send", ["x" * 5_000_000])])


@pytest.mark.nightly
@pytest.mark.parametrize(
    "kind",
    [
        *("SizeError", "WorkerError", "ClashError", "MissingExtraError", "BrokenPluginError"),
        *("EncodingError", "Sequence", "__name__", "no such", 5),
    ],
)
def test_an_error_of_a_kind_that_cannot_be_is_an_error_all_the_same(worker, kind):
    line = json.dumps({"error": "no idea", "kind": kind, "minimum": "none"}) + "\n"
    with pytest.raises(TokbenchError, match=r"^no idea$"):
        worker.run([Call("send", [line])])


@pytest.mark.nightly
def test_a_question_that_makes_no_sense_is_answered_with_an_error(worker):
    pid = worker.run([Call("pid")])
    with pytest.raises(TokbenchError, match="TypeError: "):
        worker.run([Call("asked", (lambda one: one + 1, "x"))])
    assert worker.run([Call("pid")]) == pid


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="needs a subreaper")
def test_what_a_worker_started_ends_with_it(worker):
    left = worker.run([Call("leave_a_child")])
    worker.end()
    assert is_gone(left)


@pytest.mark.nightly
def test_at_a_limit_a_process_is_ended_and_not_tried_again(tmp_path):
    slow = Worker("slow", SERVE, Limits(seconds=0.5))
    with pytest.raises(DeadWorkerError, match=r"longer than 0.5 s and was ended \(`limits`: sec"):
        slow.run([Call("wait", (str(tmp_path / "mark"),))])


PARENT = """
import sys
from tokbench.workers.process import Call, Worker
from tokbench.workers.limits import Limits
worker = Worker("one", "tests.workers.served:serve", Limits())
print(*(worker.run([Call(name)]) for name in ("pid", "above", "leave_a_child")), flush=True)
worker.run([Call("wait", (sys.argv[1],))])
"""


@pytest.mark.nightly
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_their_parent(root, tmp_path, number):
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path / "mark")],
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
    ) as parent:
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        while not (tmp_path / "mark").exists():
            time.sleep(0.02)
        parent.send_signal(number)
    assert all(map(is_gone, pids if sys.platform == "linux" else pids[:2]))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("seconds", "0", "greater than 0"),
        ("idle-seconds", "-1", "greater than 0"),
        ("memory", "3", "equal to 512"),
        ("memory", "999999999", "this machine has"),
        ("output", "0", "equal to 1"),
    ],
)
def test_limits_that_cannot_be_are_refused_with_their_place(tmp_path, key, value, message):
    (tmp_path / "t.txt").write_text("a b\n")
    config = "corpora: {train: t.txt, test: t.txt}\nsystems: [word]\nsizes: [2]\n"
    (tmp_path / "c.yaml").write_text(config + f"limits: {{{key}: {value}}}\n")
    command = [sys.executable, "-m", "tokbench", "check", "c.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert f"c.yaml:4:{12 + len(key)}: limits.{key}" in done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


KILLED = """
import os, signal, sys
def kill(event, given):
    if event == sys.argv[1]:
        os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(kill)
"""


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
@pytest.mark.parametrize("event", ["subprocess.Popen", "socket.sendmsg"])
def test_a_killed_parent_leaves_no_folder_however_far_it_is(root, tmp_path, event):
    """When it starts the server, and when it first speaks to it."""
    here, temporary = tmp_path / "here", tmp_path / "temporary"
    here.mkdir()
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", KILLED + PARENT, event]
    done = subprocess.run(command, env=environment, cwd=here)
    assert done.returncode == -signal.SIGKILL
    wait_until_none_is_in(here)
    assert [*temporary.iterdir()] == []


UNHEARD = """
import os, signal, time
pid = worker.run([Call("pid")])
os.kill(pid, signal.SIGKILL)
time.sleep(0.5)  # for the server to say so
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_a_killed_parent_that_has_not_heard_all_leaves_no_folder(root, tmp_path):
    here, temporary = tmp_path / "here", tmp_path / "temporary"
    here.mkdir()
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(root)}
    begin = PARENT.partition("print")[0]
    done = subprocess.run([sys.executable, "-c", begin + UNHEARD], env=environment, cwd=here)
    assert done.returncode == -signal.SIGKILL
    wait_until_none_is_in(here)
    assert [*temporary.iterdir()] == []


@pytest.mark.nightly
def test_the_folder_of_a_server_is_removed(tmp_path):
    code = PARENT.replace('worker.run([Call("wait", (sys.argv[1],))])', "")
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code], env=environment, cwd=root, check=True)
    assert [*tmp_path.iterdir()] == []
