"""The contents of an IO500 result: its phases with values and times, the published scores, and their hash;
the score by today's rule and by that of 2017, whether it agrees with the published one, and whether it may
be called an IO500 score."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from weir.records.model import Row

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
# The column of a record that has the value of such a phase, times this number.
COLUMNS = {"GiB/s": ("bw_mib_s", 1024), "kIOPS": ("ops_s", 1000)}
_METADATA_ACCESSES = {"write": "create", "delete": "remove"}


def access_of(phase: str) -> str:
    """The access of its records: the last word of its name, for metadata as mdtest names it."""
    action = phase.rpartition("_")[2]
    return _METADATA_ACCESSES.get(action, action) if PHASES.get(phase) == "kIOPS" else action


def value_of(row: Row, unit: str) -> float | None:
    """The value of a record in the unit of a phase."""
    column, factor = COLUMNS[unit]
    return row[column] / factor if row[column] else None


CONFIGURATION = "config.ini"  # IO500 writes it, with all options, beside result.txt


@dataclass(frozen=True)
class Io500Phase:
    """One timed phase. `half_step` is half a unit of the last printed digit: the accuracy of the value."""

    name: str
    value: float
    half_step: float
    time_s: float | None = None
    stonewall_s: float | None = None  # requested, where the command line is printed
    marked_invalid: bool = False
    columns: Row = field(default_factory=dict)  # what its command line requests, where that is printed

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
class Io500Result:
    """One run of IO500, as its files or the table of submissions report it."""

    source: Path
    phases: Mapping[str, Io500Phase]
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


TOLERANCE = 0.001
TODAY = "today's rule"
RULE_2017 = "2017's rule"


@dataclass(frozen=True)
class Score:
    """Geometric means of the four ior phases and of the eight mdtest and find phases."""

    bandwidth_gib_s: float
    iops_kiops: float

    @property
    def today(self) -> float:
        return math.sqrt(self.bandwidth_gib_s * self.iops_kiops)

    @property
    def rule_2017(self) -> float:
        return self.bandwidth_gib_s * self.iops_kiops

    def by_rule(self) -> Mapping[str, float]:
        return {TODAY: self.today, RULE_2017: self.rule_2017}


@dataclass(frozen=True)
class RecomputedScore:
    """A recomputed score beside the published one."""

    rule: str  # the nearer of the two rules
    recomputed: float
    published: float
    low: float  # the scores that the rounding of the printed phases allows
    high: float
    coarsest: str  # the phase whose rounding matters most

    @property
    def off(self) -> float:
        return relative(self.recomputed, self.published)

    @property
    def agrees(self) -> bool:
        return abs(self.off) <= TOLERANCE

    @property
    def rounding_explains(self) -> bool:
        return self.low <= self.published <= self.high


def score(phases: Mapping[str, Io500Phase]) -> Score:
    """All twelve phases must be there."""
    return _score(phases, lambda phase: phase.value)


def agreement(result: Io500Result) -> RecomputedScore | None:
    """The agreement with the published score; None where no total is published or a phase is missing."""
    if result.published is None or result.missing:
        return None
    total = result.published.total
    scores = score(result.phases).by_rule()
    rule = min(scores, key=lambda name: abs(relative(scores[name], total)))
    low = _score(result.phases, lambda phase: max(0.0, phase.value - phase.half_step)).by_rule()[rule]
    high = _score(result.phases, lambda phase: phase.value + phase.half_step).by_rule()[rule]
    coarsest = max(result.phases.values(), key=lambda phase: phase.half_step / (phase.value or math.inf))
    return RecomputedScore(rule, scores[rule], total, low, high, coarsest.name)


def relative(value: float, reference: float) -> float:
    if reference == 0:
        return 0.0 if value == 0 else math.inf
    return value / reference - 1


def geometric_mean(values: Iterable[float]) -> float:
    found = list(values)
    return 0.0 if min(found) == 0 else math.exp(math.fsum(map(math.log, found)) / len(found))


def _score(phases: Mapping[str, Io500Phase], value: Callable[[Io500Phase], float]) -> Score:
    def mean(unit: str) -> float:
        return geometric_mean(value(phases[name]) for name, each in PHASES.items() if each == unit)

    return Score(mean("GiB/s"), mean("kIOPS"))


STONEWALL_S = 300.0
SHORTENED = "not a valid IO500 score: shortened run"
INVALID = "not a valid IO500 score"
UNKNOWN = "not shown to be a valid IO500 score"
VALID = "valid by its rules: every write phase lasted 300 s or longer"


@dataclass(frozen=True)
class Validity:
    valid: bool
    label: str
    reasons: tuple[str, ...] = ()


def validity(result: Io500Result) -> Validity:
    """Every write phase must last 300 s and request no shorter stonewall; IO500's own marks count as well."""
    shortened = tuple(_shortened(result))
    if shortened:
        return Validity(False, SHORTENED, shortened)
    refused = tuple(_refused(result))
    if refused:
        return Validity(False, INVALID, refused)
    untimed = tuple(f"{name} has no time" for name in WRITE_PHASES if result.phases[name].time_s is None)
    return Validity(False, UNKNOWN, untimed) if untimed else Validity(True, VALID)


def short_time(time_s: float) -> str:
    """Rounded down: what is shorter than 300 s does not read as 300.0 s."""
    return f"{math.floor(10 * time_s) / 10:.1f} s"


def _shortened(result: Io500Result) -> Iterator[str]:
    for name in WRITE_PHASES:
        phase = result.phases.get(name)
        if phase is None:
            continue
        if phase.time_s is not None and phase.time_s < STONEWALL_S:
            yield f"{name} lasted {short_time(phase.time_s)} of {STONEWALL_S:.0f} s"
        elif phase.stonewall_s and phase.stonewall_s < STONEWALL_S:  # 0 is a run without a stonewall
            yield f"{name} requested a stonewall of {phase.stonewall_s:.0f} s, not {STONEWALL_S:.0f} s"


def _refused(result: Io500Result) -> Iterator[str]:
    for name in result.missing:
        yield f"{name} is missing"
    for phase in result.phases.values():
        if phase.marked_invalid:
            yield f"IO500 marks {phase.name} as invalid"
    if result.published and result.published.marked_invalid:
        yield "IO500 marks the score as invalid"
