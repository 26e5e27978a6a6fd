"""The public interface for commands that read texts, cut them, or compare runs."""

from pathlib import Path

from tokbench.api.arrays import LineTokens, Segmentation
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.counting import WordCounter, add_up, count_text
from tokbench.corpora.entries import CountsHeader
from tokbench.corpora.files import Line, join_document, without_end
from tokbench.corpora.load import TestCorpus, load_corpora
from tokbench.corpora.normalise import normaliser
from tokbench.corpora.opening import files_of, kind_of
from tokbench.corpora.records import looks_like_vocabulary
from tokbench.corpora.words import TrainingText, WordFinder, split_words, training_words
from tokbench.cut import BoundSegmenter
from tokbench.cut.checks import checked_words
from tokbench.cut.written import TextBytes, WrittenBytes
from tokbench.notebook import run_config
from tokbench.recommend import recommend
from tokbench.run_folder.disk import make_folder, put, sync, sync_tree, temporary, write
from tokbench.runner.all_systems import check_blocks, few_documents
from tokbench.runner.cache import Cache, folder_of_user
from tokbench.runner.learning import learn, learning_counts, too_small
from tokbench.score.compare import compare
from tokbench.score.estimate import score
from tokbench.score.test_set import Drawing, TestSet


def learned_cache() -> tuple[Path | None, int]:
    """Return the folder where runs keep what they learned and cut, and how many bytes it has."""
    folder = folder_of_user()
    return folder, Cache(folder).size
