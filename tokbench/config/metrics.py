"""The metrics of a config: those that it lists, or all whose needs are met."""

from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import ValidationError

from tokbench.api import Metric
from tokbench.api.component import Use
from tokbench.config.components import Builder, Built
from tokbench.config.experiment import NamedMetric
from tokbench.config.messages import found
from tokbench.config.parts import Parts
from tokbench.config.problems import Where
