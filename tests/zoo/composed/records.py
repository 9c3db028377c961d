"""What is done to a run and its table after the measurement, by the names of the axis."""

import csv
import json
import os
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.zoo.errors import CannotStageError

_RATE = re.compile(r'("(?:bw_mib_s|bwMiB|ops_s)": ?)([0-9.]+)|(\d+\.\d+)')


def run_file(home: Path) -> Path:
    """run.json of the only run."""
    found = list((home / "results").rglob("run.json"))
    if len(found) != 1:
        raise CannotStageError(f"{len(found)} runs have a run.json, not 1")
    return found[0]


def double_in_table(home: Path) -> None:
    """After it was collected."""
    table = home / "records.csv"
    with table.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        for name in ("bw_mib_s", "ops_s"):
            row[name] = str(2 * float(row[name])) if row[name] else ""
    with table.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def _output(home: Path) -> Path:
    run = run_file(home)
    outputs = json.loads(run.read_text())["outputs"]
    return run.with_name(outputs.get("summary") or outputs["stdout"])


def edit_output(home: Path) -> None:
    """The first rate gets a digit more."""
    file = _output(home)
    file.write_text(
        _RATE.sub(
            lambda match: "9" + match[0] if match[3] else f"{match[1]}9{match[2]}", file.read_text(), count=1
        )
    )


def edit_output_unseen(home: Path) -> None:
    """Another digit, as many bytes, the old date."""
    file = _output(home)
    text, facts = file.read_text(), file.stat()
    found = next(re.finditer(r"(?<=\d)\d(?=\.\d)", text), None)
    if found is None:
        raise CannotStageError("the output has no number to edit")
    file.write_text(f"{text[: found.start()]}{9 - int(found[0])}{text[found.end() :]}")
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def delete_output(home: Path) -> None:
    _output(home).unlink()


def edit_facts(home: Path) -> None:
    """The machine was idle after all."""
    run = run_file(home)
    facts = json.loads(run.read_text())
    facts["host"] |= {"load_1min": 0.01, "running": 1, "throttled_periods": 0, "swapped_pages": 0}
    facts["elapsed_s"] *= 1.01
    run.write_text(json.dumps(facts))


def copy_run(home: Path) -> None:
    """Round 1 was not measured: it is round 0."""
    folder = run_file(home).parent
    copied = folder.with_name("1")
    shutil.copytree(folder, copied)
    _change(copied / "run.json", run=1)


def copy_run_later(home: Path) -> None:
    """The same, as of the next day."""
    copy_run(home)
    folder = next(one.parent for one in (home / "results").rglob("run.json") if one.parent.name == "1")
    facts = json.loads((folder / "run.json").read_text())
    _change(folder / "run.json", **{name: _next_day(facts[name]) for name in ("began", "ended")})


def _next_day(text: str) -> str:
    day = int(text[8:10])
    return f"{text[:8]}{day + 1 if day < 28 else 1:02d}{text[10:]}"


def _change(file: Path, **facts: object) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), **facts}))


BEFORE: Mapping[str, Callable[[Path], None]] = {
    "the output edited": edit_output,
    "the output edited, its size and date kept": edit_output_unseen,
    "an output deleted": delete_output,
    "run.json edited": edit_facts,
    "the run copied as the next round": copy_run,
    "the run copied, with another date": copy_run_later,
}
AFTER: Mapping[str, Callable[[Path], None]] = {"a rate of the table doubled": double_in_table}
TWO_ROUNDS = ("the run copied as the next round", "the run copied, with another date")
