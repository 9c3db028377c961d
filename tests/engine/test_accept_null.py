"""weir accept on the null back end, of known speed: a transfer of 1 MiB takes 20 ms or a little longer."""

from pathlib import Path

from tests.engine.runs import ROOT
from tests.programs import ran
from weir.cli import main
from weir.decide.accept.contract import read_contract
from weir.decide.accept.evidence import read_measured
from weir.decide.accept.judge import FAIL, PASS, judge

# The promises lie a hundred times below and above: other load may make any of the runs slow.
KNOWN_MIB_S = 50.0
RUNS = 4
# Null stores nothing, so that the contract has no must_be.
CONTRACT = """
contract: known
title: Known speed
source: the delay that the test requests
lines:
  slower:
    text: less than the known speed
    tool: ior
    access: [write]
    select: {api: "NULL"}
    conditions: {rounds_at_least: 4, fixed: {xfer: 1 MiB}}
    promise: {metric: bandwidth, at_least: 0.5 MiB/s}
  faster:
    text: more than the known speed
    tool: ior
    access: [write]
    select: {api: "NULL"}
    promise: {metric: bandwidth, at_least: 5000 MiB/s}
"""


def test_a_known_speed_passes_below_and_fails_above_it(tmp_path: Path) -> None:
    logs = []
    for number in range(RUNS):
        arguments = ["ior", "-a", "NULL", "--null.delay-us", "20000", "-t", "1m", "-b", "8m", "-w", "-o", "x"]
        done = ran([ROOT / "build" / "weir-io", *arguments], check=True)
        logs.append(tmp_path / f"{number}.log")
        logs[-1].write_text(done.stdout)
    facts = tmp_path / "facts.yaml"
    facts.write_text("columns: {site: lab, target: none}\n")
    records = tmp_path / "study" / "records.csv"
    assert main(["import", *map(str, logs), "--facts", str(facts), "--out", str(records)]) == 0
    file = tmp_path / "known.yaml"
    file.write_text(CONTRACT)
    slower, faster = judge(read_contract(file), read_measured(records))
    assert (slower.verdict, faster.verdict) == (PASS, FAIL), (slower.why, faster.why)
    assert slower.value is not None
    assert slower.value.runs == RUNS
    assert slower.value.interval is not None
    assert slower.value.interval[0] <= KNOWN_MIB_S
