"""The walk of a batch: stays in the files of its code, counted by bench/walk.py."""

import shutil
from pathlib import Path

from bench.walk import Call, followed, stays
from weir.base.units import format_size

LOOP, LAUNCH, FILES = "weir/measure/batches.py", "weir/measure/launch.py", "weir/base/files.py"


def test_a_stay_ends_where_the_file_changes_and_a_return_is_one_more() -> None:
    calls = [
        Call("", LOOP, "run_all"),
        Call(LOOP, LOOP, "_fitting"),
        Call(LOOP, LAUNCH, "run_launch"),
        Call(LAUNCH, FILES, "write_atomically"),
        Call(LOOP, LOOP, "_wait"),
    ]
    assert stays(calls) == [LOOP, LAUNCH, FILES, LOOP]
    assert stays(calls, ["weir/measure/"]) == [LOOP, LAUNCH, LOOP]


def test_each_function_of_weir_is_noted_at_its_first_call() -> None:
    calls: list[Call] = []
    with followed(calls):
        shutil.which("sh", path=str(Path("/bin")))
        assert format_size(3 * 2**20) == format_size(3 * 2**20)
    assert [call.file for call in calls] == ["weir/base/units.py"] * len(calls)
    assert [call.function for call in calls].count("format_size") == 1
