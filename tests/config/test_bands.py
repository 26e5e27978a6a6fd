"""The bands of a config: numbers that rise, counts or shares of a million."""

import pytest

from tokbench.corpora.source import PerMillion
from tokbench.errors import UsageError

TEXT = "corpora: {train: train.txt, test: test.txt}\nsystems: [char]\nmetrics: [fertility]\n"

RIGHT = {
    "": (1, 2, 6, 51),
    "bands: []\n": (),
    "bands: [2, 10]\n": (2, 10),
    "bands: {per-million: [0.5, 10]}\n": PerMillion(per_million=(0.5, 10)),
}


@pytest.mark.parametrize("line", RIGHT)
def test_bands_are_as_written(load, line):
    assert load(TEXT + line).bands == RIGHT[line]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("[3, 1]", "bands: 1 stands after 3, expected numbers that rise"),
        ("[1, 1]", "bands: 1 stands after 1, expected numbers that rise"),
        ("[0, 5]", "bands[0]: found 0, expected a number greater than or equal to 1"),
        ("[1.5, 3]", "bands[0]: found 1.5, expected a whole number"),
        ("{per-million: [5, 2]}", "bands.per-million: 2 stands after 5, expected numbers that"),
        ("{per-million: []}", "bands.per-million: found an empty list, expected at least 1"),
        ("{per-million: [0]}", "bands.per-million[0]: found 0, expected a number greater than 0"),
        ("{per-milion: [1]}", "bands.per-milion: unknown key `per-milion`; did you mean `per-"),
        ("3", "bands: found 3, expected a list such as [first, second] or a mapping with the keys"),
    ],
)
def test_other_values_are_refused_where_they_stand(load, value, message):
    with pytest.raises(UsageError) as caught:
        load(TEXT + f"bands: {value}\n")
    assert message in str(caught.value)
