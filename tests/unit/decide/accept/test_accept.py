"""weir accept: five contracts pass and fail as they must, and every seeded violation is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.decide.accept.compliant import (
    CONTRACTS,
    MEMORY,
    Edit,
    cells_of,
    contract_of,
    rows_of,
    write_study,
)
from tests.unit.decide.io500.results import ini, write
from weir.base.errors import ConfigError, WeirError
from weir.collect.table import write_records
from weir.decide.accept.contract import Contract, read_contract
from weir.decide.accept.evidence import Measured, read_measured
from weir.decide.accept.judge import FAIL, NOT_PROVEN, PASS, JudgedLine, judge, overall
from weir.records.model import CROSS_CHECK
from weir.runs.manifest import TABLES, write_manifest


def judged(folder: Path, contract: Contract, edit: Edit | None = None, **values: float) -> list[JudgedLine]:
    cells = cells_of(contract, values)
    for cell in cells:
        if edit:
            edit(cell)
    return judge(contract, read_measured(write_study(folder, cells)))


def test_the_first_line_of_a_contract_alone_is_what_it_promises(run_weir: RunWeir) -> None:
    printed = run_weir("accept", "jupiter-ior", "--promise", "easy-best-sum=2 TB/s").out
    first, second, *_ = printed.splitlines()
    assert first == (
        "7 lines to judge: 1 promised (easy-best-sum 2 TB/s), 6 open (--promise LINE=VALUE); "
        "3 requirements not judged"
    )
    assert second == "  JUPITER benchmark suite, IOR"
    assert run_weir("accept", "mistral-2015").out.splitlines()[0] == (
        "10 lines to judge: 10 promised (posix-read 160 GB/s, posix-write 157 GB/s, ...); "
        "2 requirements not judged"
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["jupiter-ior", "mistral-2015", "nersc-10", "uk-nnss"])
def test_a_contract_passes_and_a_missed_promise_fails(tmp_path: Path, name: str) -> None:
    contract = contract_of(name)
    assert [one.verdict for one in judged(tmp_path / "good", contract)] == [PASS] * len(contract.lines)
    missed = contract.lines[0]
    results = judged(tmp_path / "slow", contract, **{missed.name: missed.promise.bound * 0.9})
    assert {one.line.name for one in results if one.verdict == FAIL} == {missed.name}
    assert overall(results) == FAIL
    assert results[0].margin == pytest.approx(-0.1, abs=0.02)


def io500_result(folder: Path, seconds: float = 301.0, version: str = "io500-isc24_v3") -> Measured:
    text = ini(time_s=seconds).replace("io500-isc24_v3", version)
    return read_measured(write(folder, result=text))


def test_an_io500_result_passes_by_the_rules_and_a_shortened_one_does_not(tmp_path: Path) -> None:
    contract = contract_of("io500")
    assert overall(judge(contract, io500_result(tmp_path / "good"))) == PASS
    short = judge(contract, io500_result(tmp_path / "short", seconds=31.0))
    writes = [one for one in short if one.line.name.endswith("-write")]
    assert [[item.condition for item in one.findings] for one in writes] == [["phase-at-least"]] * 4
    old = judge(contract, io500_result(tmp_path / "old", version="io500-own-build"))
    assert {item.condition for one in old for item in one.findings} >= {"version"}


def violate(**values: Any) -> Edit:
    return lambda cell: cell.update(values)


def parameter(name: str, value: Any) -> Edit:
    return lambda cell: cell["params"].update({name: value} if name in cell["params"] else {})


def drop(access: str) -> Edit:
    return lambda cell: cell.update(drop=(access,) if access in cell["values"] else ())


def second_target(cell: dict[str, Any]) -> None:
    cell["target"] = f"scratch-{cell['cell']}"


# Each contract has what was done, the condition that names it, and parts of the message.
VIOLATIONS = {
    "jupiter-ior": {
        "wrong block size": (parameter("block_bytes", 8192), "fixed", "block_bytes is 8 KiB, not 4 KiB"),
        "hints without leave": (parameter("hints", {"a": "b"}), "unlisted-edit", "hints is"),
        "too few iterations": (violate(iterations=1), "iterations-at-least", "1 iteration, not 3"),
        "other nodes": (violate(nodes=2), "nodes", "nodes: 2, not 65 or more"),
        "no node count": (violate(nodes=None), "nodes", "number of nodes is not recorded"),
        "no bytes a node": (violate(moved_bytes=None), "bytes-per-node-at-least", "bytes moved are"),
        "too little data a node": (violate(moved_bytes=2**30), "bytes-per-node-at-least", "not 128 GiB"),
        "a phase a moment short": (violate(total_s=59.99), "phase-at-least", "59.99 s, not 60 s"),
        "a page of bytes short": (
            violate(moved_bytes=2**37 - 4096),
            "bytes-per-node-at-least",
            "127.999996 GiB a node were moved, not 128 GiB",
        ),
        "short phase": (violate(total_s=20.0), "phase-at-least", "lasted 20 s, not 1 min"),
    },
    "mistral-2015": {
        "wrong transfer size": (parameter("xfer_bytes", 2**20), "fixed", "xfer_bytes is 1 MiB"),
        "other stripe count": (parameter("stripe_count", 4), "fixed", "stripe_count is 4, not"),
        "invalid numbers": (violate(verdict="INVALID"), "verdict", "are INVALID"),
        "missing evidence": (violate(verdict="UNPROVEN"), "verdict", "UNPROVEN: missing stored"),
        "n too small": (violate(rounds=2), "rounds-at-least", "n = 2 usable runs, not 3"),
        "other processes": (violate(ppn=12), "ppn", "processes per node: 12, not 6"),
        "emulated storage": (violate(emulated=True), "emulated", "the storage is emulated"),
        "several storages": (second_target, "one-storage", "scratch-c00 and scratch-c01"),
    },
    "nersc-10": {
        "no fsync": (parameter("sync", False), "fixed", "sync is false, not true"),
        "read on the writer's node": (parameter("reorder", "none"), "fixed", "reorder is none"),
        "compressible data": (parameter("payload", "timestamp"), "unlisted-edit", "payload is timestamp"),
        "cached read": (violate(verdict="DEGRADED"), "verdict", "DEGRADED: read-from-cache"),
        "data that memory holds": (violate(moved_bytes=MEMORY), "data-over-memory", "not more than 1.5"),
        "no bytes": (violate(moved_bytes=None), "data-over-memory", "bytes moved are not recorded"),
        "read of another run": (drop("read"), "same-run", "did not measure read"),
        "too few files": (violate(ops=1000), "operations-at-least", "did 1,000 operations"),
    },
    "uk-nnss": {
        "no barriers": (parameter("barriers", False), "fixed", "barriers is false"),
        "O_DIRECT without leave": (parameter("direct", True), "unlisted-edit", "direct is True"),
        "memory left empty": (violate(command=["ior"]), "memory-filled-percent", "did not fill memory"),
        "memory half filled": (violate(command=["ior", "-M50%"]), "memory-filled-percent", "50 % of"),
        "other program": (violate(program="fio"), "program", "the program is fio"),
    },
}


@pytest.mark.parametrize(
    ("name", "edit", "condition", "arguments"),
    [
        pytest.param(contract, *case, id=name)
        for contract, each in VIOLATIONS.items()
        for name, case in each.items()
    ],
)
def test_a_seeded_violation_is_named(
    tmp_path: Path, name: str, edit: Edit, condition: str, arguments: str
) -> None:
    results = judged(tmp_path, contract_of(name), edit)
    found = [item for one in results for item in one.findings if item.condition == condition]
    assert any(arguments in item.text for item in found), [item for one in results for item in one.findings]
    assert overall(results) == NOT_PROVEN


@pytest.mark.parametrize("change", ["edited", "deleted"])
def test_an_edited_or_deleted_file_is_named(tmp_path: Path, change: str) -> None:
    contract = contract_of("jupiter-ior")
    study = write_study(tmp_path, cells_of(contract, {}))
    for name in TABLES:
        (study / name).write_text("")
    runs = sorted((tmp_path / "results/lab/runs").glob("*/*/run.json"))
    digest = write_manifest(study, "records.csv", runs)
    (study / "facts.json").write_text(json.dumps({"digest": digest}))
    assert overall(judge(contract, read_measured(study))) == PASS
    if change == "edited":
        records = study / "records.csv"
        records.write_text(records.read_text().replace("1000.0", "2000.0").replace("scratch", "archive"))
    else:
        runs[0].unlink()
    results = judge(contract, read_measured(study))
    texts = [item.text for one in results for item in one.findings if item.condition == "edited"]
    assert any(change in text for text in texts)
    assert overall(results) == NOT_PROVEN


def test_cells_beside_are_no_evidence(tmp_path: Path) -> None:
    """Another program measured them; the files of the study have them all the same."""
    study = write_study(tmp_path, cells_of(contract_of("mistral-2015"), {}))
    rows = rows_of(study)
    beside = [row | {"purpose": CROSS_CHECK, "cell": f"{row['cell']}x"} for row in rows]
    write_records(study / "records.csv", [*rows, *beside])
    assert read_measured(study).cells == {row["cell"] for row in rows}


def test_a_cell_that_is_not_there_and_two_that_could_be_meant_are_named(tmp_path: Path) -> None:
    contract = contract_of("mistral-2015")
    cells = cells_of(contract, {})
    other = {**cells[0], "cell": "again"}
    results = judge(contract, read_measured(write_study(tmp_path, [other, *cells[:2]])))
    found = {one.line.name: [item.condition for item in one.findings] for one in results}
    assert found["posix-read"] == ["several-cells"]
    assert found["mpiio-read"] == []
    assert found["hdf5-read"] == ["no-record"]


def test_an_interval_around_the_promise_decides_nothing(tmp_path: Path) -> None:
    contract = contract_of("mistral-2015")
    bound = contract.lines[0].promise.bound  # type: ignore[union-attr]
    results = judged(tmp_path, contract, violate(spread=0.05), **{"posix-read": bound * 1.01})
    first = results[0]
    assert first.verdict == NOT_PROVEN
    assert "more runs would decide" in first.why
    low, high = first.margin_interval or (0.0, 0.0)
    assert low < 0 < high


def test_wrong_contracts_are_refused(tmp_path: Path) -> None:
    text = (CONTRACTS / "mistral-2015.yaml").read_text()
    file = tmp_path / "mistral-2015.yaml"
    for old, new, arguments in (
        ("160 GB/s", "160 GB", "is not a bandwidth"),
        ("xfer: 2 MB", "xfre: 2 MB", "no parameter 'xfre'"),
        ("tool: ior", "tool: iro", "no tool 'iro'"),
        ("at_least: 160 GB/s", "at_most: 5 s", "write at_least"),
        ("at_least: 160 GB/s", "statistic: best", "grows with their number"),
        ("contract: mistral-2015", "contract: other", "its file 'mistral-2015.yaml'"),
        ("like: posix-read", "like: posix-raed", "no line above is named 'posix-raed'"),
        ("like: posix-read", "like: hdf5-write", "no line above is named 'hdf5-write'"),
        ("like: posix-read", "like: [posix-read]", "no line above is named"),
    ):
        file.write_text(text.replace(old, new))
        with pytest.raises(ConfigError, match=arguments):
            read_contract(file)
    with pytest.raises(WeirError, match="does not fill an open promise"):
        read_contract(CONTRACTS / "mistral-2015.yaml", ["posix-read=1 GB/s"])


def test_a_line_that_is_like_another_has_what_it_does_not_give(tmp_path: Path) -> None:
    """Half of a contract is the same line once more, with another access or number of nodes."""
    first, write, *_ = read_contract(CONTRACTS / "mistral-2015.yaml").lines
    assert (write.access, write.select, write.conditions) == (("write",), first.select, first.conditions)
    assert write.promise.text == "157 GB/s"
    mpiio = read_contract(CONTRACTS / "mistral-2015.yaml").lines[2]
    assert mpiio.conditions["ppn"] == {"exactly": 6}
    assert mpiio.conditions["fixed"] == {**first.conditions["fixed"], "stripe_count": 84}
    assert "nodes" in mpiio.select


def test_a_contract_of_ones_own_is_judged_by_the_printed_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    """It named the contract, which is found in config/contracts alone; so is one whose .yaml was omitted."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "offer.yaml").write_text(
        (CONTRACTS / "mistral-2015.yaml").read_text().replace("contract: mistral-2015", "contract: offer")
    )
    assert "judge:   weir accept offer.yaml STUDY" in run_weir("accept", "offer.yaml").out
    assert "did you mean the file offer.yaml?" in run_weir("accept", "offer", code=2).err


def test_records_without_run_files_do_not_tell_what_else_was_changed(tmp_path: Path) -> None:
    contract = contract_of("uk-nnss")
    study = write_study(tmp_path, cells_of(contract, {}))
    for file in study.parent.rglob("run.json"):
        file.unlink()
    results = judge(contract, read_measured(study))
    assert all(one.verdict != PASS for one in results)
    assert any(item.condition == "unlisted-edit" and item.unknown for one in results for item in one.findings)
