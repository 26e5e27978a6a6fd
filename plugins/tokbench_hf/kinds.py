"""The files of BERT, GPT-2 and RoBERTa as the tokenizer.json that they amount to."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tokbench.api import BYTE_LETTERS, InputError, InputFile
from tokbench_hf.document import decode, parse, parse_json
from tokbench_hf.style import TokenizerJson

if TYPE_CHECKING:
    from tokbench_hf.ready import Hf

BERT_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ROBERTA_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
GPT2_SPECIAL = ("<|endoftext|>",)


def document(options: "Hf") -> tuple[TokenizerJson, str]:
    """Return the tokenizer.json that the options name, and which file to name in messages.

    Raises InputError for files that are damaged, or of another kind than said.
    """
    # Which of the files are there was checked with the options.
    first = options.path or options.vocab
    assert first
    where = str(first.path)
    if options.kind == "tokenizer-json":
        return parse(first.read_bytes(), where), where
    if options.kind == "bert-vocab":
        return _bert(first, options), where
    assert options.merges
    special = ROBERTA_SPECIAL if options.kind == "roberta" else GPT2_SPECIAL
    return _byte_level(first, options.merges, special, options), where


def _bert(vocab: InputFile, options: "Hf") -> TokenizerJson:
    """Source: Devlin et al. (2019), the code of BERT (`BasicTokenizer`, `WordpieceTokenizer`)."""
    ids = _bert_tokens(vocab)
    normalizer = {
        "type": "BertNormalizer",
        "clean_text": options.clean_text,
        "handle_chinese_chars": options.handle_chinese_chars,
        "strip_accents": options.strip_accents,
        "lowercase": options.lowercase,
    }
    model = {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": ids,
    }
    decoder = {"type": "WordPiece", "prefix": "##", "cleanup": True}
    return _whole(model, normalizer, {"type": "BertPreTokenizer"}, decoder, BERT_SPECIAL)


def _bert_tokens(vocab: InputFile) -> dict[str, int]:
    """Read a token a line; the number of the line, from 0, is the id."""
    text = decode(vocab.read_bytes(), str(vocab.path))
    if text.lstrip().startswith("{"):
        raise InputError(
            f"{vocab.path}: found JSON, expected a token a line (kind: gpt2, roberta or"
            " tokenizer-json?)"
        )
    ids = {line.rstrip(): number for number, line in enumerate(text.removesuffix("\n").split("\n"))}
    if "[UNK]" not in ids:
        raise InputError(
            f"{vocab.path}: no token [UNK] in {len(ids)} lines, expected a vocabulary of BERT"
        )
    return ids


def _byte_level(
    vocab: InputFile, merges: InputFile, special: Sequence[str], options: "Hf"
) -> TokenizerJson:
    """Source: Radford et al. (2019), the code of GPT-2 (`encoder.py`)."""
    ids = _table(vocab)
    if missing := [letter for letter in BYTE_LETTERS.values() if letter not in ids]:
        raise InputError(
            f"{vocab.path}: no token for {len(missing)} of the 256 bytes, as {missing[0]!r};"
            f" expected the vocabulary of a byte-level tokenizer (kind: {options.kind})"
        )
    _check_special(vocab, ids, special, options.kind)
    pairs = _pairs(merges, vocab, ids)
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": "",
        "end_of_word_suffix": "",
        "fuse_unk": False,
        "byte_fallback": False,
        "vocab": ids,
        "merges": pairs,
    }
    bytewise = {
        "type": "ByteLevel",
        "add_prefix_space": options.add_prefix_space,
        "trim_offsets": False,
        "use_regex": True,
    }
    return _whole(model, None, bytewise, bytewise, special)


def _table(vocab: InputFile) -> dict[str, int]:
    """Read a JSON object from token to id."""
    found = parse_json(vocab.read_bytes(), str(vocab.path))
    if isinstance(found, dict) and isinstance(found.get("model"), dict):
        raise InputError(f"{vocab.path}: found a tokenizer.json, expected kind: tokenizer-json")
    if not isinstance(found, dict) or not found or not all(map(_is_id, found.values())):
        raise InputError(f"{vocab.path}: expected a JSON object from token to id")
    if len(set(found.values())) < len(found):
        raise InputError(f"{vocab.path}: an id stands twice, expected one for each token")
    return found


def _is_id(value: object) -> bool:
    # The library keeps ids in 32 bits; far beyond the tokens there are none.
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**24


def _check_special(
    vocab: InputFile, ids: Mapping[str, int], special: Iterable[str], kind: str
) -> None:
    """Raise InputError for GPT-2's vocabulary instead of RoBERTa's, or the other way round."""
    roberta = {"<s>", "</s>", "<unk>"} <= ids.keys()
    if kind == "roberta" and not roberta:
        raise InputError(f"{vocab.path}: no tokens <s>, </s> and <unk>, expected kind: gpt2")
    if kind == "gpt2" and roberta and "<|endoftext|>" not in ids:
        raise InputError(
            f"{vocab.path}: tokens <s>, </s> and <unk>, no <|endoftext|>: expected kind: roberta"
        )


def _pairs(merges: InputFile, vocab: InputFile, ids: Mapping[str, int]) -> list[tuple[str, str]]:
    """Read a pair a line, after a line with the version that may be there."""
    pairs = []
    lines = decode(merges.read_bytes(), str(merges.path)).removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        if number == 1 and line.startswith("#version"):
            continue
        pair = line.rstrip("\r").split(" ")
        if len(pair) != 2 or not all(pair):
            raise InputError(
                f"{merges.path}:{number}: found {line[:60]!r}, expected two tokens and a space"
            )
        unknown = next((t for t in (*pair, "".join(pair)) if t not in ids), None)
        if unknown is not None:
            raise InputError(
                f"{merges.path}:{number}: {unknown!r} is not in {vocab.path}: expected the merges"
                " of that vocabulary, whole"
            )
        pairs.append((pair[0], pair[1]))
    _check_whole(merges, vocab, pairs, ids)
    return pairs


def _check_whole(
    merges: InputFile, vocab: InputFile, pairs: Sequence[tuple[str, str]], ids: Mapping[str, int]
) -> None:
    """Refuse merges that leave more tokens unbuilt than a few that were added by hand."""
    built = {left + right for left, right in pairs}
    unbuilt = sum(len(token) > 1 and token not in built for token in ids)
    if unbuilt > 100 and unbuilt > len(ids) // 100:
        raise InputError(
            f"{merges.path}: its {len(pairs)} merges leave {unbuilt} tokens of {vocab.path}"
            " unbuilt: cut off, or those of another vocabulary?"
        )


def _whole(
    model: Mapping[str, Any],
    normalizer: Mapping[str, Any] | None,
    pre_tokenizer: Mapping[str, Any],
    decoder: Mapping[str, Any],
    special: Iterable[str],
) -> TokenizerJson:
    """Put a tokenizer.json together; special tokens are those that the vocabulary has."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [
        {"id": model["vocab"][token], "content": token, **flags, "special": True}
        for token in special
        if token in model["vocab"]
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": sorted(added, key=lambda token: token["id"]),
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": decoder,
        "model": model,
    }
