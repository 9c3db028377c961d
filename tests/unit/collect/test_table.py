"""records.csv: its columns, typed reading and writing, faults with their place."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weir.base.errors import WeirError
from weir.collect.table import read_records, write_records
from weir.records.columns import Column, columns

FIRST = (
    "api,access,nn,ppn,xfer_bytes,layout,order,block_bytes,stonewall_s,stripe_count,iteration,moved_bytes,open_s,io_s,"
    "close_s,total_s,bw_mib_s,suite,cell,site,target,stack,tool,verdict,reasons"
)
LEAST = {
    "api": "POSIX",
    "access": "read",
    "iteration": 0,
    "cell": "0" * 12,
    "verdict": "VALID",
    "reasons": "",
}


def values(column: Column) -> st.SearchStrategy[Any]:
    if column.choices:
        some: st.SearchStrategy[Any] = st.sampled_from(column.choices)
    elif column.type == "integer":
        some = st.integers(int(max(column.minimum, 0)), int(min(column.maximum, 2**53)))
    elif column.type == "number":
        some = st.floats(0, column.maximum)
    elif column.type == "boolean":
        some = st.booleans()
    else:
        some = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1)
    return st.none() | some if column.optional else some


def test_columns_begin_as_agreed() -> None:
    assert ",".join(columns()).startswith(FIRST)


@pytest.mark.slow
@settings(max_examples=20)
@given(row=st.fixed_dictionaries({name: values(column) for name, column in columns().items()}))
def test_what_is_written_is_read(row: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    table = tmp_path_factory.mktemp("table") / "records.csv"
    write_records(table, [row])
    assert read_records(table) == [row]


def test_missing_values_are_empty_fields(tmp_path: Path) -> None:
    table = tmp_path / "records.csv"
    write_records(table, [LEAST])
    line = table.read_text().splitlines()[1]
    assert line.startswith("POSIX,read,,,,,,,,,0,,")
    assert "None" not in line


def test_nothing_is_left_of_a_write(tmp_path: Path) -> None:
    write_records(tmp_path / "records.csv", [LEAST])
    write_records(tmp_path / "records.csv", [LEAST, LEAST])
    assert [path.name for path in tmp_path.iterdir()] == ["records.csv"]


@pytest.mark.parametrize(
    ("text", "place", "arguments"),
    [
        ("", "records.csv", "is empty"),
        ("api,acess\nPOSIX,write\n", "records.csv:1: acess", "did you mean 'access'?"),
        (
            "api,nn\nPOSIX,many\n",
            "records.csv:2: nn",
            "not of type integer\n    write an integer, or nothing",
        ),
        ("api,nn\nPOSIX,1\n,2\n", "records.csv:3: api", "is empty"),
        ("api,layout\nPOSIX,striped\n", "records.csv:2: layout", "not one of shared, file-per-process"),
        ("api,layout\nPOSIX,sharde\n", "records.csv:2: layout", "did you mean 'shared'?"),
        ("api,nn\nPOSIX,1,2\n", "records.csv:2", "more or fewer fields"),
        (f"api,nn\n{'x' * 200_000},1\n", "records.csv:2", "field larger than field limit"),
        ("api,emulated\nPOSIX,perhaps\n", "records.csv:2: emulated", "not of type boolean"),
    ],
)
def test_faults_have_a_place(tmp_path: Path, text: str, place: str, arguments: str) -> None:
    table = tmp_path / "records.csv"
    table.write_text(text)
    with pytest.raises(WeirError) as caught:
        read_records(table)
    assert place in str(caught.value)
    assert arguments in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(WeirError, match="No such file"):
        read_records(tmp_path / "records.csv")
