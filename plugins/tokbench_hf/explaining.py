"""Why a model of a tokenizer.json cuts a pre-token so: our own steps, if they end as its do."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from tokbench_bpe.explaining import Explained, explain_merges
from tokbench_bytes.segmenter import explain_pieces
from tokbench_formats.hf_spelling import Style, TokenizerJson
from tokbench_unigram.segmenter import Scored, UnigramBest
from tokbench_wordpiece.segmenter import Sought, WordPieceMatch

from tokbench.api import Decision, Explanation, Vocabulary
from tokbench_hf.mapping import merges

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@dataclass(frozen=True, eq=False)
class Explainer:
    """The document of a vocabulary's tokenizer, read once more for its steps."""

    tokenizer: "Tokenizer"
    vocabulary: Vocabulary
    document: TokenizerJson

    def steps(self, text: str, of_library: Sequence[str]) -> list[Decision]:
        """Return the steps that lead from a text to the tokens of the library."""
        normalizer, splitter = self.tokenizer.normalizer, self.tokenizer.pre_tokenizer
        steps: list[Decision] = []
        if normalizer is not None:
            text = normalizer.normalize_str(text)
            reason = "by the normalizer of tokenizer.json"
            steps.append(Decision("normalised", [{"text": text}], [0], reason))
        pieces = [text]
        if splitter is not None:
            pieces = [piece for piece, _ in splitter.pre_tokenize_str(text)]
        explained = explain_pieces(pieces, self._piece)
        if [*explained.tokens] != [*of_library]:  # an added token stands in the text, for example
            explained = Explanation([explained.decisions[0], _outcome(of_library)], ())
        return [*steps, *explained.decisions[splitter is None :]]

    def _piece(self, piece: str) -> Explanation:
        """Explain a pre-token; the outcome alone where our steps do not end in it."""
        of_library = [token.value for token in self.tokenizer.model.tokenize(piece)]
        ways = {"BPE": self._merges, "WordPiece": self._matches, "Unigram": self._lattice}
        way = ways.get(self.document["model"]["type"])
        steps, tokens = way(piece) if way else ([], [])
        return Explanation(steps if tokens == of_library else [_outcome(of_library)], of_library)

    def _merges(self, piece: str) -> Explained:
        model, style = self.document["model"], self._style
        vocab, unknown = model["vocab"], model.get("unk_token")
        if model.get("ignore_merges") and piece in vocab:
            token = {"token": (self._text(piece),)}
            return [Decision("the whole", [token], [0], "it is a token")], [piece]
        symbols = [style.prefix * (i > 0) + letter for i, letter in enumerate(piece)]
        if symbols:
            symbols[-1] += style.suffix
        steps, tokens = explain_merges(
            symbols,
            lambda pair, _: self._ranks.get(pair),
            join=lambda pair: pair[0] + pair[1].removeprefix(style.prefix),
        )
        named = [token if token in vocab else unknown for token in tokens]
        return [*map(self._named, steps)], [token for token in named if token is not None]

    def _matches(self, piece: str) -> Explained:
        longest = self.document["model"].get("max_input_chars_per_word", 100)
        explained = WordPieceMatch(max_characters=longest).explain(piece, self._sought)
        names = (token if isinstance(token, str) else token[0] for token in explained.tokens)
        return [*explained.decisions], [self.vocabulary.show(str(name)) for name in names]

    def _lattice(self, piece: str) -> Explained:
        vocab, unknown = self.document["model"]["vocab"], self.document["model"].get("unk_id")
        explained = UnigramBest().explain(piece, self._scored)
        ids = self._scored.vocabulary.ids
        tokens = [str(token) for token in explained.tokens]
        if unknown is not None:
            tokens = [token if token in ids else vocab[unknown][0] for token in tokens]
        return [*map(self._named, explained.decisions)], tokens

    @cached_property
    def _style(self) -> Style:
        return Style.of(self.document)

    @cached_property
    def _ranks(self) -> dict[tuple[str, str], int]:
        return {pair: rank for rank, pair in enumerate(merges(self.document["model"]))}

    @cached_property
    def _sought(self) -> Sought:
        return Sought(self.vocabulary)

    @cached_property
    def _scored(self) -> Scored:
        """The pieces as the library spells them, without marks."""
        vocab: Sequence[tuple[str, float]] = self.document["model"]["vocab"]
        unknown: int | None = self.document["model"].get("unk_id")
        pieces = Vocabulary(tuple(piece for piece, _ in vocab), unknown=unknown)
        return Scored(pieces, {i: score for i, (_, score) in enumerate(vocab)})

    def _text(self, spelled: str) -> str:
        """Return a token, as the library spells it, as the vocabulary writes it."""
        return self._style.text(spelled) or spelled

    def _named(self, step: Decision) -> Decision:
        candidates = [
            {
                key: tuple(map(self._text, value)) if isinstance(value, tuple) else value
                for key, value in candidate.items()
            }
            for candidate in step.candidates
        ]
        return replace(step, candidates=candidates, state=[*map(self._text, step.state)])


def _outcome(spelled: Sequence[str]) -> Decision:
    """Show what the library gives, where the steps to it are not known."""
    tokens = [{"token": token} for token in spelled]
    return Decision(
        "tokens", tokens, range(len(spelled)), "by its model, as the library spells them"
    )
