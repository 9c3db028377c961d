"""The two sides of a comparison: which records belong to each, and what each is called."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from weir.base.errors import InputError, WeirError, did_you_mean, neighbour_of, require_known
from weir.collect.rounds import Rounds, edited_values, rounds_of_rows
from weir.collect.table import read_study_records
from weir.records.model import Row
from weir.runs.manifest import is_edited

RECORDS_FILE = "records.csv"
# Copies of a record agree in these columns: times and rates have more digits than chance repeats.
_SAME = ("cell", "access", "item", "run", "iteration", "began", "bw_mib_s", "ops_s", "io_s", "total_s")
_DAY = len("2026-11-27")  # with which the folder of a campaign begins
_MOST_JUDGED_AGAIN = 100  # runs of a campaign: a quarter of a second


@dataclass(frozen=True)
class Campaign:
    """The records of one study, measured in one go."""

    name: str
    rows: tuple[Row, ...]
    study: Path | None = None  # its folder, with the plan; None for a bundle, which is never measured again
    rounds: Rounds | None = None  # from plan to records; None: made by hand
    edited: bool = False  # after it was collected, by the manifest beside it


@dataclass(frozen=True)
class Side:
    """One side; several campaigns let the comparison see how much they differ among themselves."""

    name: str
    campaigns: tuple[Campaign, ...]

    def rows_once(self) -> Iterator[tuple[str, Row]]:
        """The rows with their campaign; rows that several campaigns hold, such as those of a shared cell,
        count once."""
        seen: dict[tuple[Any, ...], int] = {}
        for number, campaign in enumerate(self.campaigns):
            for row in campaign.rows:
                if seen.setdefault(_told(row), number) == number:
                    yield campaign.name, row


def _told(row: Row) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in _SAME)


def records_file(path: Path) -> Path:
    """The table of a study: the file itself, or records.csv in the folder."""
    file = path / RECORDS_FILE if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            "there is no such table of records",
            file=file,
            hint=neighbour_of(file)
            or "name a records.csv, or the folder of a study such as results/local/quick",
        )
    return file


def read_side(text: str, bundle: bool = False) -> Side:
    """One path, or several with commas between them: the campaigns of one side."""
    paths = [Path(part) for part in text.split(",") if part]
    if not paths:
        raise InputError("no records are named", value=text)
    return Side(text, tuple(_campaign(path, records_file(path), bundle) for path in paths))


def _campaign(path: Path, file: Path, bundle: bool) -> Campaign:
    rows = tuple(read_study_records(file))
    if not rows:
        hint = "look at excluded.csv beside it, or at its runs: weir audit"
        raise WeirError("has a header and no records", file=file, hint=hint, exit_code=3)
    study = None if bundle else file.parent
    return Campaign(str(path), rows, study, _rounds(file, rows, bundle), is_edited(file))


def _rounds(file: Path, rows: Sequence[Row], bundle: bool) -> Rounds:
    """The rounds of a side, from plan to records. Runs that are here are compared with their records, since
    checksums have no secret."""
    rounds = rounds_of_rows(file.parent, rows)
    edited = [] if bundle else edited_values(file.resolve().parent.parent, rows, _MOST_JUDGED_AGAIN)
    return replace(rounds, findings=(*rounds.findings, *edited))


def split_by(
    file: Path, column: str, values: Sequence[str], known: Sequence[str], bundle: bool = False
) -> tuple[Side, Side]:
    """Two selections of one study, by the value of a column; `date` is the day of `began`."""
    require_known([column], [*known, "date"], "is not a column of a record", key="--by")
    groups: dict[str, list[Row]] = defaultdict(list)
    rows = read_study_records(file)
    for row in rows:
        day = str(row.get("began") or "unknown")[:10]
        groups[day if column == "date" else str(row.get(column))].append(row)
    chosen = list(values) or sorted(groups)
    for value in chosen:
        if value not in groups:
            raise InputError(
                f"no record has {column} {value}", key="--values", hint=did_you_mean(value, groups)
            )
    if len(chosen) != 2:
        found = ", ".join(sorted(groups))
        raise InputError(
            f"a comparison has two sides, and {column} has {len(chosen)} values: {found}",
            key="--by",
            hint="choose two of them by --values A B" if len(chosen) > 2 else "measure a second one",
        )
    study, rounds, edited = (None if bundle else file.parent, _rounds(file, rows, bundle), is_edited(file))
    first, second = (
        Side(f"{column} {value}", (Campaign(value, tuple(groups[value]), study, rounds, edited),))
        for value in chosen
    )
    return first, second


def campaigns(history: Path) -> Iterator[list[Row]]:
    """The records of each campaign of a history, oldest first. A study that was added again with more rounds
    is one campaign with these rounds: its earlier ones count once."""
    files = sorted(history.glob(f"[!.]*/{RECORDS_FILE}"))
    if not files:
        raise InputError(
            "holds no campaign", file=history, hint=f"add one: weir history add {history} results/local/quick"
        )
    seen: set[tuple[Any, ...]] = set()
    for file in sorted(files, key=lambda one: (one.parent.name[:_DAY], one.stat().st_size)):
        rows = [row for row in read_study_records(file) if _told(row) not in seen]
        seen.update(map(_told, rows))
        yield rows
