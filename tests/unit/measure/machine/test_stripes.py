"""Stripes are set on the folder of a run before the program starts, and read back into the record."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.checkout import TARGET, load, make_checkout
from tests.programs import write_program
from tests.unit.measure.alone import GOLDEN, golden_cell, on_the_path, run_missing
from tests.unit.tools.cells import cell_of
from weir.base.errors import ConfigError, WeirError
from weir.collect.judged import collect_cell
from weir.collect.parsed_runs import Run
from weir.measure import command
from weir.measure.command import stripe
from weir.measure.session import PlannedBatch
from weir.records.model import Stack, Target
from weir.runs.files import read_run_file
from weir.tools import tools

IOR = tools()["ior"]
# What a Lustre client's lfs does: the folder has a layout that its files get; this one has 6 storage targets.
LFS = """#!/bin/sh
case $1 in
setstripe) case $2 in --ost) echo "$3" >"$4/osts"; exit ;; esac
    case $4 in --pool) echo "$5" >"$6/pool"; exit ;; esac
    [ "$3" -le 9 ] || { echo 'Numerical result out of range' >&2; exit 22; }
    echo $(($3 < 6 ? $3 : 6)) >"$4/layout" ;;
getstripe) cat "$4/layout" 2>/dev/null || echo 1 ;;
esac
"""


@pytest.fixture
def lustre(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Target:
    """A target of a site's files, with the commands that weir assumes."""
    on_the_path(tmp_path, monkeypatch, lfs=LFS)
    written = TARGET.replace("kind: disk", "kind: parallel\nmax_stripe_count: 8")
    target = load(make_checkout(tmp_path / "checkout", targets={"disk": written})).site.targets["disk"]
    (tmp_path / "data").mkdir()
    return replace(target, path=str(tmp_path / "data"))


def test_what_is_requested_is_set_and_what_is_there_is_said(lustre: Target, tmp_path: Path) -> None:
    folder = Path(lustre.path)
    assert stripe(folder, {}, lustre) == 1
    assert stripe(folder, {"stripe_count": 4}, lustre) == 4
    assert stripe(folder, {"stripe_count": 8}, lustre) == 6
    with pytest.raises(WeirError, match="ended with 22: Numerical result out of range"):
        stripe(folder, {"stripe_count": 10}, lustre)
    stripe(folder, {"stripe_count": 2, "pool": "flash"}, lustre)
    stripe(folder, {"osts": "0,2-4"}, lustre)
    assert [(folder / name).read_text() for name in ("pool", "osts")] == ["flash\n", "0,2-4\n"]
    long = replace(lustre, get_stripes=("printf", r"stripe_count:  7 stripe_size: 1048576\n"))
    assert stripe(folder, {}, long) == 7
    other_letters = replace(lustre, get_stripes=("printf", r"pool: \351t\351\n3\n"))
    assert stripe(folder, {}, other_letters) == 3
    assert stripe(folder, {}, Target("plain", "disk", "/data")) is None


@pytest.mark.parametrize(("requested", "found", "reasons"), [(4, 4, ""), (8, 6, "stripes-not-applied")])
def test_from_cell_to_record(
    lustre: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, requested: int, found: int, reasons: str
) -> None:
    program = write_program(
        tmp_path / "ior",  # leaves what weir-io once wrote
        f'#!/bin/sh\nfor word; do case $word in summaryFile=*) cp "{GOLDEN}" "${{word#*=}}";; esac; done\n',
    )
    cell = golden_cell(ppn=2, iterations=2)
    cell = replace(cell, params={**cell.params, "stripe_count": requested})
    stack = Stack("st", {"ior": (str(program),)})
    # 200 executions of a launch take longer than one answer of a storage may.
    slow = LFS.replace("case", "sleep 0.2\ncase", 1)
    on_the_path(tmp_path, monkeypatch, mpirun=f'#!/bin/sh\nexec {program} "$@"\n', lfs=slow)
    monkeypatch.setattr(command, "ANSWER_S", 0.3)
    run_missing(PlannedBatch("b", [cell], lustre, stack, "mpirun", tmp_path / "results"))
    run_file = read_run_file(tmp_path / "results", cell.cell, 0)
    assert run_file["status"] == "done", run_file["error"]
    assert run_file["stripe_count"] == found
    run = Run(tmp_path / "results" / "runs" / cell.cell / "000", run_file)
    rows = list(collect_cell(cell, [run], tmp_path / "results"))
    assert {row["stripe_count"] for row in rows} == {found}
    assert {"stripes-not-applied" in row["reasons"] for row in rows} == {bool(reasons)}


def test_words_that_stand_for_nothing(tmp_path: Path) -> None:
    written = (
        TARGET + "max_stripe_count: 8\nstripes: {set: [lfs, '{cuont}', '{folder}'], get: [lfs, '{root}']}\n"
    )
    with pytest.raises(
        ConfigError, match=r"stripes\.set\[1\]: '{cuont}' uses {cuont}(.|\n)*did you mean 'count'"
    ):
        load(make_checkout(tmp_path, targets={"disk": written}))


def test_a_count_that_files_cannot_have() -> None:
    cell = cell_of(IOR, stripe_count=9)
    disk, scratch = Target("disk", "disk", "/d"), Target("scratch", "parallel", "/s", max_stripe_count=8)
    assert IOR.problems(cell, disk) == ["files of target disk have no stripes: stripe_count must be 0"]
    assert IOR.problems(cell, scratch) == ["files of target scratch have at most 8 stripes, not 9"]
    assert IOR.label(cell.params).endswith("stripes-9")


def test_a_pool_or_storage_targets_that_cannot_be_chosen(lustre: Target) -> None:
    plain = Target("disk", "disk", "/d")

    def problems(target: Target, **wanted: object) -> list[str]:
        return list(IOR.problems(cell_of(IOR, **wanted), target))

    assert problems(lustre, pool="flash", stripe_count=2) == problems(lustre, osts="0,2-4") == []
    assert problems(plain, pool="flash") == ["target disk names no command for pool (stripes.pool)"]
    assert problems(lustre, osts="first") == ["osts are indices such as '0,2-4', not 'first'"]
    assert "osts excludes pool" in problems(lustre, osts="0", pool="flash")[0]
    assert IOR.label(cell_of(IOR, pool="flash", osts="0").params).endswith("pool-flash osts-0")
