"""From a YAML config to a checked experiment; every problem has a place, all are shown at once."""

from tokbench.config.experiment import Experiment, NamedMetric, Span, System
from tokbench.config.load import load_experiment
from tokbench.config.problems import ConfigError
from tokbench.corpora.source import DescribedCorpus
