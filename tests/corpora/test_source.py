from pathlib import Path

import pytest
from pydantic import ValidationError

from tokbench.corpora.source import Remove, Source, Split


def said(model, **options) -> str:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(options)
    (error,) = caught.value.errors()
    return error["msg"]


def test_a_path_alone_will_do():
    assert Source.model_validate("a.txt") == Source.model_validate({"path": ["a.txt"]})
    assert Source.model_validate({"path": "a.txt"}).path == (Path("a.txt"),)


@pytest.mark.parametrize("options", [{}, {"path": []}, {"path": "a", "catalog": "shakespeare"}])
def test_a_corpus_is_in_files_or_in_the_catalogue(options):
    assert said(Source, **options) == "Value error, a corpus needs either `path` or `catalog`"


def test_a_pattern_must_be_a_regular_expression():
    assert said(Remove, remove="[a-").startswith("Value error, not a regular expression: ")


@pytest.mark.parametrize("share", [0, 1, -0.1, 10])
def test_a_split_takes_a_part(share):
    with pytest.raises(ValidationError):
        Split.model_validate({"split": share})
