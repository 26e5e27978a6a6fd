"""The configs of published experiments, on the texts that are here, give the published numbers."""

import gzip
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from tokenizers import BertWordPieceTokenizer

from tests import pages
from tests.pages import Key
from tests.run_cli import tokbench_here as tokbench
from tokbench.api.text import byte_length

from .conftest import ROOT, SHARED
from .test_flores import MODELS, cl100k, gpt2

FOLDER = ROOT / "configs" / "replications"
FLORES = (
    "arb_Arab", "deu_Latn", "eng_Latn", "jpn_Jpan", "kor_Hang", "rus_Cyrl", "tur_Latn", "zho_Hans",
)  # fmt: skip
GOLD = "walked\twalk @@ed\t100\n"
STAND_INS: Mapping[str, str] = {
    "shakespeare.txt": "walked and walking\n" * 60,
    "sigmorphon-2022-english.txt": GOLD,
    "data/mon.word.test.gold.tsv": GOLD,
    **{f"systems/AUUH_{team}/mon.word.test.predictions": GOLD for team in "ABE"},
    "bert-base-multilingual-cased/vocab.txt": "[UNK]\nwalk\n##ed\n",
    "ko_kaist-words.txt": "walked\n",
    "ko_kaist-ud-dev.conllu": "# text = walked\n1\twalked\twalk\tVERB\t_\t_\t0\troot\t_\t_\n",
    **{f"{language}.txt": "walked\n" for language in FLORES},
}
"""Something to read for each file that a config does not ship."""


def number(folder: Path, *key: str, **fields: str) -> float:
    return float(pages.read(folder)[Key(*key, **{"context": "isolated", **fields})]["value"])


@pytest.mark.ci
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_config_is_right_where_its_texts_are_there(
    path: Path, shared: Path, tmp_path: Path
) -> None:
    """And where one is not, the message names it."""
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    (tmp_path / "gpt2").symlink_to(MODELS / "gpt2")
    (tmp_path / "tiktoken").symlink_to(MODELS / "tiktoken")
    for name, text in STAND_INS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    folders = {"TOKBENCH_CORPORA": str(tmp_path), "TOKBENCH_MODELS": str(tmp_path)}
    checked = tokbench("check", tmp_path / path.name, **folders)
    assert checked.returncode == 0, checked.stderr
    config = path.read_text("utf-8")
    needed = [name for name in STAND_INS if name in config or f"catalog: {name[:-4]}" in config]
    assert (needed == []) == (path.stem == "zouhar-2023")
    if needed:
        (tmp_path / needed[0]).unlink()
        refused = tokbench("check", tmp_path / path.name, **folders)
        assert refused.returncode == 4
        assert needed[0].removesuffix(".txt") in refused.stderr


@pytest.mark.ci
def test_the_texts_of_tokenization_scorer_have_the_values_of_its_readme(tmp_path: Path) -> None:
    """Its README says 2.5 for the power, but prints the values of 3."""
    done = tokbench("run", "-q", FOLDER / "zouhar-2023.yaml", "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    for corpus, printed in {"text1": 0.8031528501359657, "text2": 0.9105681923824472}.items():
        key = ("word", corpus, "renyi-efficiency-observed(power=3)")
        assert number(tmp_path / "out", *key, size="6") == pytest.approx(printed, rel=1e-11)


@pytest.mark.nightly
def test_lines_joined_by_spaces_have_the_tokens_of_petrovs_script(
    shared: Path, tmp_path: Path
) -> None:
    """Which joins all lines, and the empty ones at the ends of files, by spaces."""
    shutil.copy(FOLDER / "petrov-2023.yaml", tmp_path)
    for language in FLORES:
        packed = (shared / "parallel" / f"{language}.dev.gz").read_bytes()
        (tmp_path / f"{language}.txt").write_bytes(gzip.decompress(packed))
    done = tokbench(
        "run", "-q", "petrov-2023.yaml", "-o", "out", cwd=tmp_path, TOKBENCH_MODELS=str(MODELS)
    )
    assert done.returncode == 0, done.stderr
    counts = {"gpt2": gpt2(), "cl100k": cl100k(), "ByT5": byte_length, "UTF-32": len}
    for language in FLORES:
        joined = " ".join((tmp_path / f"{language}.txt").read_text("utf-8").split("\n"))
        for name, count in counts.items():
            key = (name, language, "text-tokens")
            tokens = number(tmp_path / "out", *key, context="in-context")
            assert tokens == count(joined), (name, language)


@pytest.mark.nightly
def test_words_of_a_treebank_are_counted_as_by_the_script_of_rust(
    shared: Path, tmp_path: Path
) -> None:
    """Each word cut alone: its tokens, whether there are several, whether one is unknown."""
    rows = gzip.decompress((SHARED / "korean/ud-kaist/ko_kaist-ud-dev.conllu.gz").read_bytes())
    cells = [line.split("\t") for line in rows.decode().splitlines()]
    words = [row[1] for row in cells if len(row) == 10 and "-" not in row[0]]
    (tmp_path / "words.txt").write_text("".join(f"{word}\n" for word in words), "utf-8")
    vocabulary = MODELS / "bert-base-uncased" / "vocab.txt"
    (tmp_path / "config.yaml").write_text(
        "corpora: {test: {path: words.txt, format: words}}\n"
        "systems:\n- {name: bert, context: isolated,"
        f" learner: {{use: hf, kind: bert-vocab, vocab: {vocabulary}}}}}\n"
        "metrics: [fertility, continued-words, oov-words-running]\nresamples: 1\n"
    )
    assert tokbench("run", "-q", "config.yaml", "-o", "out", cwd=tmp_path).returncode == 0
    tokenizer = BertWordPieceTokenizer(str(vocabulary))
    cuts = [tokenizer.encode(word, add_special_tokens=False).tokens for word in words]
    for metric, total in {
        "fertility": sum(map(len, cuts)),
        "continued-words": sum(len(cut) > 1 for cut in cuts),
        "oov-words-running": sum("[UNK]" in cut for cut in cuts),
    }.items():
        value = number(tmp_path / "out", "bert", "test", metric)
        assert value == pytest.approx(total / len(words), rel=1e-11)
