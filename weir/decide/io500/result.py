"""The contents of an IO500 result: its phases with values and times, the published scores, and their hash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_BITS_32 = 0xFFFFFFFF


@dataclass(frozen=True)
class ScoreHash:
    """The hash with which the C application closes result.txt: a number that was edited no longer fits it.

    Whoever edits on purpose can compute it as well: it proves no origin."""

    printed: int
    computed: tuple[int, ...]  # by each rule that a version of IO500 used

    @property
    def agrees(self) -> bool:
        return self.printed in self.computed


def hash_of(pairs: Iterable[tuple[str, str]]) -> int:
    """Hash of keys with values as they are printed; their order does not matter."""
    whole = 0
    for key, value in pairs:
        whole ^= _rotated_sum((key + value).encode())
    return whole


def _rotated_sum(text: bytes) -> int:
    found = 0
    for byte in text:
        found = (((found << 2) | (found >> 30)) + byte) & _BITS_32
    return found


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
