"""weir history on a table of anybody: which columns tell series apart, and the unit of their values."""

from pathlib import Path

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.decide.history.test_history import level, table_of
from weir.base.units import three_digits


def test_show_answers_first_and_fits_a_screen(tmp_path: Path, run_weir: RunWeir) -> None:
    steps = {f"s{number}": [1000] * 30 + [1000 if number else 500] * 30 for number in range(40)}
    arguments = ["history", "show", table_of(tmp_path, steps), "--key", "target"]
    first, *rest = run_weir(*arguments).out.splitlines()
    assert first == (
        "1 of 40 series changed its level; the latest s0: 1,000 to 500 MiB/s on 1970-01-31; "
        "values of 1970-01-01 to 1970-03-01"
    )
    assert rest[0].startswith("s0: 60 points")
    assert rest[1] == "  median 1,000 MiB/s from 1970-01-01, 30 points"
    assert len(rest) < 24
    assert rest[-1] == "and 32 more series, 0 of them with a change: --all"
    assert run_weir(*arguments, "--all").out.count(": 60 points") == 40


def test_a_table_of_anybody_is_judged(tmp_path: Path, run_weir: RunWeir) -> None:
    table = table_of(tmp_path, {"disk": level(12, 60)})
    command = ["history", "check", table]
    newest = f"newest {three_digits(level(12, 60)[-1])}"
    printed = run_weir(*command, "--key", "target").out
    assert printed.startswith(f"0 of 1 series slower: {newest} MiB/s; 1 normal\n")
    table.write_text(table.read_text().replace("bw_mib_s", "speed"))
    for options, unit in (([], "(speed)"), (["--unit", "GB/s"], "GB/s")):
        printed = run_weir(*command, "--key", "target", "--value", "speed", *options).out
        assert f"{newest} {unit}; 1 normal\n" in printed
    error = run_weir(*command, "--key", "targte", "--value", "speed", code=2).err
    assert "did you mean 'target'" in error
    assert "--key" in run_weir(*command, code=2).err


@pytest.mark.filterwarnings("error")  # a series of one value has no rhythm to look for
def test_a_table_without_values_and_a_key_that_joins_series_are_told(
    tmp_path: Path, run_weir: RunWeir
) -> None:
    table = tmp_path / "daily.csv"
    table.touch()
    assert "daily.csv: is empty" in run_weir("history", "check", table, "--key", "target", code=2).err
    table.write_text("target,started_unix,bw_mib_s\n")
    assert "has no series" in run_weir("history", "check", table, "--key", "target", code=2).err
    table.write_text(f"target,started_unix,bw_mib_s\n{'x' * 200_000},0,100\n")
    error = run_weir("history", "check", table, "--key", "target", code=2).err
    assert "daily.csv:2: cannot be read as a table" in error
    table_of(tmp_path, {f"disk,{access}": [100] * 30 for access in ("read", "write")}, "target,access")
    assert "joins different values of access" in run_weir("history", "check", table, "--key", "target").err
    assert "joins" not in run_weir("history", "check", table, "--key", "target", "--key", "access").err
