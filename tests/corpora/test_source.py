from pathlib import Path

import pytest
from pydantic import ValidationError

from tokbench.corpora.source import Source


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
