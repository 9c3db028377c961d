"""The contents of an IO500 result: its phases with values and times, and the published scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from weir.decide.io500.score_hash import ScoreHash

# Phases in the order in which today's rules run them.
PHASES: Mapping[str, str] = {
    "ior_easy_write": "GiB/s",
    "mdtest_easy_write": "kIOPS",
    "ior_hard_write": "GiB/s",
    "mdtest_hard_write": "kIOPS",
    "find": "kIOPS",
    "ior_easy_read": "GiB/s",
    "mdtest_easy_stat": "kIOPS",
    "ior_hard_read": "GiB/s",
    "mdtest_hard_stat": "kIOPS",
    "mdtest_easy_delete": "kIOPS",
    "mdtest_hard_read": "kIOPS",
    "mdtest_hard_delete": "kIOPS",
}
WRITE_PHASES = tuple(name for name in PHASES if name.endswith("_write"))

CONFIGURATION = "config.ini"  # IO500 writes it, with all options, beside result.txt


@dataclass(frozen=True)
class Phase:
    """One timed phase. `half_step` is half a unit of the last printed digit: the accuracy of the value."""

    name: str
    value: float
    half_step: float
    time_s: float | None = None
    stonewall_s: float | None = None  # requested, where the command line is printed
    marked_invalid: bool = False

    @property
    def unit(self) -> str:
        return PHASES[self.name]


@dataclass(frozen=True)
class Published:
    """The scores that the source prints."""

    total: float
    bandwidth_gib_s: float | None = None
    iops_kiops: float | None = None
    marked_invalid: bool = False


@dataclass(frozen=True)
class ReadBack:
    """Whether a phase read what another node wrote, and found it; nothing where its log does not tell."""

    found: bool | None
    because: str


@dataclass(frozen=True)
class ConfigHash:
    """agrees: nothing where the files do not decide it, with the reason in because."""

    printed: str
    computed: str = ""
    agrees: bool | None = None
    because: str = ""

    @property
    def text(self) -> str:
        name = f"hash of the configuration {self.printed}"
        if self.agrees:
            return f"{name} fits {CONFIGURATION}"
        if self.agrees is None:
            return f"{name}: not checked: {self.because}"
        return f"{name} does not fit {CONFIGURATION}, which gives {self.computed}: {self.because}"


@dataclass(frozen=True)
class Result:
    """One run of IO500, as its files or the table of submissions report it."""

    source: Path
    phases: Mapping[str, Phase]
    published: Published | None = None
    version: str = ""
    nodes: int | None = None
    procs: int | None = None
    label: str = ""
    notes: tuple[str, ...] = field(default=())
    score_hash: ScoreHash | None = None  # where result.txt prints one
    config_hash: ConfigHash | None = None  # the same
    external_find: str | None = None  # program of the search, empty for that of IO500
    read_back: Mapping[str, ReadBack] = field(default_factory=dict)  # by phase of IOR that reads
    random_read_gib_s: float | None = None  # optional, of 4 KiB

    @property
    def missing(self) -> list[str]:
        return [name for name in PHASES if name not in self.phases]


def half_step(text: str) -> float:
    """Half a unit of the last digit of a printed decimal number."""
    number, _, exponent = text.lower().partition("e")
    return 0.5 * 10.0 ** (int(exponent or 0) - len(number.partition(".")[2]))
