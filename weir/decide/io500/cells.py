"""Single cells of a study ranked among the published values of a phase, as sentences and as plain values; why
not, where not comparable."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from weir.base.units import counted, digits_or_more, few
from weir.data import data_folder
from weir.decide.io500.random_read import DOUBTED, TRANSFER_BYTES, published_random_reads
from weir.decide.io500.result import PHASES, STONEWALL_S, WRITE_PHASES, short_time, value_of
from weir.decide.io500.submissions import Percentile, Submission, SubmittedValue, places_among
from weir.records.model import Row, grouped, tasks_of

RANDOM_READS = data_folder("reference") / "io500-random-reads.csv"
RANDOM_READ = "ior_rnd4k_read"  # a phase of the extended runs
_HARD_BYTES = 47008
_HARD_FILE_BYTES = 3901


@dataclass(frozen=True)
class Standing:
    """One access of a cell. why_not: empty if it is comparable with the phase."""

    cell: str
    label: str
    target: str
    access: str
    nodes: int
    procs: int
    runs: int
    phase: str
    value: float
    unit: str
    places: Mapping[str, Percentile]
    why_not: str = ""


def populations(submissions: Sequence[Submission]) -> dict[str, list[SubmittedValue]]:
    """The published values by phase; random reads without those that are doubted."""
    found = {name: [each.value(name) for each in submissions] for name in PHASES}
    found[RANDOM_READ] = [
        SubmittedValue(one.value_gib_s, one.nodes, one.procs)
        for one in published_random_reads(RANDOM_READS)
        if one.verdict != DOUBTED
    ]
    return found


def standings(
    rows: Iterable[Row], published: Mapping[str, Sequence[SubmittedValue]], volatile: Iterable[str] = ()
) -> list[Standing]:
    """Every access of every cell. volatile: targets whose data do not survive the node."""
    cells = grouped((row["cell"], row) for row in rows)
    return [
        _standing(access, mine, published, frozenset(volatile))
        for mine in cells.values()
        for access in dict.fromkeys(row["access"] for row in mine)
    ]


def _standing(
    access: str,
    mine: Sequence[Row],
    published: Mapping[str, Sequence[SubmittedValue]],
    volatile: frozenset[str],
) -> Standing:
    first = next(row for row in mine if row["access"] == access)
    phase, why_not = phase_of(first)
    why_not = why_not or _doubt(access, mine, phase, volatile)
    unit = PHASES.get(phase, "GiB/s")
    nodes, procs = first["nn"] or 0, tasks_of(first) or 0
    values = [value_of(row, unit) for row in mine if row["access"] == access]
    known = [value for value in values if value is not None]
    value = median(known) if known else 0.0
    places = (
        {} if why_not or not known else places_among(SubmittedValue(value, nodes, procs), published[phase])
    )
    return Standing(
        first["cell"],
        first["label"] or "",
        first["target"] or "",
        access,
        nodes,
        procs,
        len(known),
        phase,
        value,
        unit,
        places,
        why_not or ("" if known else "no run has a rate"),
    )


def phase_of(row: Row) -> tuple[str, str]:
    """The phase whose rules the cell follows, or why there is none."""
    if row["purpose"] == "bandwidth":
        return _data_phase(row)
    if row["purpose"] == "metadata":
        return _metadata_phase(row)
    if row["purpose"] == "search":
        return "", "a search alone is not comparable: its tree is that of all other phases"
    return "", f"IO500 has no phase of {row['tool'] or 'an unknown tool'}"


def _data_phase(row: Row) -> tuple[str, str]:
    if row["access"] not in ("write", "read") or row["rw_mix"]:
        return "", "IO500 reads and writes in separate phases"
    if row["rate"]:
        return "", "the rate of its transfers was set"
    if row["order"] == "random":
        if row["access"] == "read" and row["xfer_bytes"] == TRANSFER_BYTES:
            return RANDOM_READ, ""
        return "", "random transfers other than reads of 4 KiB are in no phase"
    is_hard = row["xfer_bytes"] == _HARD_BYTES and row["layout"] == "shared" and (row["segments"] or 1) > 1
    return f"ior_{'hard' if is_hard else 'easy'}_{row['access']}", ""


def _metadata_phase(row: Row) -> tuple[str, str]:
    action = {"create": "write", "remove": "delete"}.get(row["access"], row["access"])
    files = row["directories"], row["xfer_bytes"] or 0
    kind = {("own", 0): "easy", ("shared", _HARD_FILE_BYTES): "hard"}.get(files)
    name = f"mdtest_{kind}_{action}"
    if row["item"] == "file" and name in PHASES:
        return name, ""
    return "", "no phase has these directories, files and operations"


def _doubt(access: str, mine: Sequence[Row], phase: str, volatile: frozenset[str]) -> str:
    """Why a cell that follows the rules of a phase is not comparable; empty if it is."""
    first = mine[0]
    if first["emulated"]:
        return "emulated storage"
    if first["target"] in volatile:
        return "storage that does not survive the node"
    if not first["nn"] or not tasks_of(first):
        return "nodes and processes are unknown"
    if any(row["verdict"] != "VALID" for row in mine if row["access"] == access):
        return "not every run is VALID"
    writes = [row["total_s"] or row["io_s"] or 0.0 for row in mine if row["access"] in ("write", "create")]
    if not writes or min(writes) < STONEWALL_S:
        shortest = short_time(min(writes)) if writes else "unknown"
        return f"its write phase lasted {shortest}, not {STONEWALL_S:.0f} s or longer"
    if phase in WRITE_PHASES and PHASES[phase] == "GiB/s" and not first["sync"]:
        return "it requested no synchronisation"
    return ""


# Among fewer, a percentile would promise a resolution that is not there.
_FEWEST = 20
_WHAT = {"whole": "", "node": "per node ", "process": "per process "}
_MOST_REASONS = 12


def cell_lines(found: Sequence[Standing]) -> Iterator[str]:
    """A sentence for each comparable cell; the others are counted by reason."""
    ranked = [one for one in found if one.places]
    for one in ranked:
        value = f"{digits_or_more(one.value)} {one.unit}, median of {counted(one.runs, 'run')}"
        yield f"{one.label or one.cell}, {one.access}: {value}"
        of = "random reads of 4 KiB without doubt" if one.phase == RANDOM_READ else one.phase
        for per, place in one.places.items():
            on_ime = f"; above {place.ime_below} of {place.ime} on IME" if place.ime else ""
            yield f"  {_WHAT[per]}{_among(place)} {of}{on_ime}"
    if not ranked:
        yield "no cell is comparable with a phase of IO500"
    reasons = Counter(one.why_not for one in found if not one.places)
    if reasons:
        yield f"not ranked: {sum(reasons.values())} of {len(found)} accesses of cells"
    rows = [f"  {count:5d}  {reason}" for reason, count in reasons.most_common()]
    yield from few(rows, _MOST_REASONS, "  and {} more reasons (--json has all)")


def _among(place: Percentile) -> str:
    if place.submissions < _FEWEST:
        return f"above {place.below} of {place.submissions} published values of"
    return f"at the {ordinal(place.percentile)} percentile of {place.submissions} published values of"


def ordinal(percentile: float) -> str:
    """62nd; never the 0th or 100th, which would exclude all values that nobody published."""
    whole = min(99, max(1, round(percentile)))
    teen = 10 <= whole % 100 <= 20
    return f"{whole}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(whole % 10, 'th')}"


def cell_facts(found: Sequence[Standing]) -> list[dict[str, Any]]:
    """The same as plain values."""
    return [
        vars(one) | {"places": {per: vars(place) for per, place in one.places.items()} or None}
        for one in found
    ]
