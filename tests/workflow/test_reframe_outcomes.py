"""A check of ReFrame that passes has measured, now; else it fails or is skipped, with the reason."""

import json
import re
import shutil
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.workflow.conftest import ROOT, SITE, SUITE, TARGET, Checkout
from tests.workflow.reframe_results import measure, performance_log, reframe, stored_cases

pytestmark = pytest.mark.slow
VALUES = 8  # cells and accesses of the suite tiny
# It takes the options of IOR, and writes smaller blocks.
SHIM = """#!/bin/bash
exec '{engine}' ior $(sed -E 's/-b [0-9]+/-b 65536/' <<<"$*")
"""


@pytest.fixture
def checkout(tiny: Checkout) -> Checkout:
    for other in set((tiny.root / "config/suites").glob("*.yaml")) - {tiny.root / "config/suites/tiny.yaml"}:
        other.unlink()
    return tiny


def edit(file: Path, **changes: object) -> None:
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | changes))


def test_an_optional_target_whose_ranks_cannot_start_is_skipped(checkout: Checkout) -> None:
    with checkout.edited(SITE) as site:
        site["stacks"]["debian"]["launcher_options"] = ["--nonsense"]
    edit(checkout.root / "config/sites/local/targets/ram.yaml", optional=True)
    session = reframe(checkout, "--system=local", "--run").ended("SKIP", "SKIP")  # preflight and measure
    assert len(re.findall(r"unavailable: .*nonsense", session.text)) == 2, session.text
    assert performance_log(checkout) == []
    edit(checkout.root / "config/sites/local/targets/ram.yaml", optional=False)
    session = reframe(checkout, "--system=local", "--run").ended("FAIL", "FAIL")
    assert len(re.findall(r"Reason: .*nonsense", session.text)) == 2, session.text


def test_each_run_measures_anew_and_an_old_run_is_no_new_point(checkout: Checkout) -> None:
    sessions = [measure(checkout), measure(checkout, "-S", "time_limit=99m")]
    for session in sessions:
        assert session.outcomes == ["OK"], session.text
        assert len(session.values) == VALUES
    assert set(sessions[0].values).isdisjoint(sessions[1].values)
    assert len(list(checkout.root.glob("results/local/runs/*/*/run.json"))) == VALUES / 2
    assert len(list(checkout.root.glob("results/local@reframe-*/runs/*/*/run.json"))) == VALUES / 2
    kept = measure(checkout, "-S", "measure.keep=yes").ended("SKIP")
    assert re.search(r"measured on \d{4}-\d\d-\d\d; -S keep=no measures it anew", kept.text)
    results = [case["result"] for case in stored_cases(checkout)]
    assert results == ["pass", "pass", "skip"]
    measured = stored_cases(checkout)[1]
    assert measured["time_limit"] == 99 * 60
    assert {facts["emulated"] for facts in measured["cells"].values()} == {False}
    lines = performance_log(checkout)
    assert len(lines) == len(set(lines)) == 2 * VALUES, "\n".join(lines)
    assert all(line.count("MiB/s") == 1 for line in lines)
    # The session in which nothing was measured is none of the history.
    added = checkout.weir("history", "add", "history", "results.db")
    assert "added 2 sessions of ReFrame, 0 were there" in added.stdout, added.stdout + added.stderr


def only_earlier_sessions(database: Path, times: int, factor: float) -> None:
    """Replaces the session of a results database by copies, each a day earlier, with values multiplied."""
    with sqlite3.connect(database) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(sessions)")]
        (stored,) = connection.execute("SELECT * FROM sessions").fetchall()
        session: dict[str, Any] = dict(zip(names, stored, strict=True))
        report = json.loads(session["json_blob"])
        (case,) = [case for run in report["runs"] for case in run["testcases"]]
        values, ended = case["perfvalues"], case["job_completion_time_unix"]
        case["perfvalues"] = {name: [found[0] * factor, *found[1:]] for name, found in values.items()}
        for facts in case["cells"].values():
            facts["verdict"] = "UNPROVEN"  # a busy machine degrades records, of which no reference is made
        connection.execute("DELETE FROM sessions")
        for number in range(1, times + 1):
            earlier_s = number * 86400
            case["job_completion_time_unix"] = ended - earlier_s
            changes = {
                "uuid": f"{session['uuid']}-{number}",
                "session_start_unix": session["session_start_unix"] - earlier_s,
                "json_blob": json.dumps(report),
            }
            copied = session | changes
            insert = f"INSERT INTO sessions VALUES ({','.join('?' * len(names))})"
            connection.execute(insert, [copied[name] for name in names])


def test_references_come_from_the_sessions_that_reframe_stored(checkout: Checkout) -> None:
    assert measure(checkout, "-S", "reference_file=stored").outcomes == ["OK"], "none is stored yet"
    only_earlier_sessions(checkout.root / "results.db", times=10, factor=1000)
    session = measure(checkout, "-S", "reference_file=stored").ended("FAIL")
    assert "failed to meet reference" in session.text
    references = [value[1] for value in stored_cases(checkout)[-1]["perfvalues"].values()]
    assert len(references) == VALUES
    assert all(reference > 0 for reference in references)


def test_a_batch_that_was_interrupted_goes_on_and_logs_what_was_measured_now(checkout: Checkout) -> None:
    assert measure(checkout).outcomes == ["OK"]
    first, *_ = sorted(checkout.root.glob("results/local/runs/*/*/run.json"))
    first.unlink()
    for receipt in checkout.root.glob("results/local/tiny/batches/*.json"):
        receipt.unlink()
    session = measure(checkout).ended("OK")
    assert len(session.values) == 2  # write and read of one cell
    assert not list(checkout.root.glob("results/local@*"))


def test_a_cell_without_a_valid_record_fails_the_check(checkout: Checkout) -> None:
    """A program that moves less than was requested ends well, and the audit counts none of it."""
    shim = checkout.write("build-shim/ior", SHIM.format(engine=ROOT / "build/weir-io"))
    checkout.use(ior=[str(shim)])
    session = measure(checkout).ended("FAIL")
    assert "4 of 4 cells have no valid record: " in session.text
    assert "MiB/s" not in "\n".join(performance_log(checkout))


def test_repetitions_in_one_session_are_measured_each(checkout: Checkout) -> None:
    session = measure(checkout, "--repeat=2").ended("OK", "OK")
    assert len(set(session.values)) == 2 * VALUES


def test_what_the_plan_does_not_have_is_refused(checkout: Checkout) -> None:
    ranks = measure(checkout, "-S", "num_tasks=7").ended("FAIL")
    assert "num_tasks is 2, not 7: tiny:ram-debian-1x2 has 1 node with 2 ranks each" in ranks.text
    typo = measure(checkout, "-S", "suite=tinny").ended("FAIL")
    assert "there is no suite 'tinny'" in typo.text
    lost = measure(checkout, "-S", "reference_file=lost.json").ended("FAIL")
    assert "lost.json: there is no such file of references" in lost.text
    assert "Traceback" not in lost.text
    assert not (checkout.root / "results/local").exists()


@pytest.fixture
def four(checkout: Checkout) -> Checkout:
    """Two suites on two targets: four batches."""
    checkout.write("config/sites/local/targets/rom.yaml", checkout.read(TARGET) | {"target": "rom"})
    checkout.write("config/suites/other.yaml", checkout.read(SUITE) | {"suite": "other"})
    return checkout


def listed(checkout: Checkout, *arguments: str, environment: Mapping[str, str] | None = None) -> list[str]:
    session = reframe(checkout, "--system=local", "--list", *arguments, environment=environment)
    return sorted(re.findall(r"^- (\w+ %batch=[\w:-]+) ", session.text, re.M))


def test_variables_choose(four: Checkout) -> None:
    everything = listed(four, "-n", "measure")
    assert len(everything) == 4
    assert listed(four, "-S", "measure.target=rom", "-S", "preflight.suite=none") == everything[1::2]
    one = ["measure %batch=other:ram-debian-1x2"]
    assert listed(four, "-S", "suite=other", "-S", "target=ram", "-n", "measure") == one
    assert listed(four, "-S", "suite=tiny, other", "-S", "target=", "-n", "measure") == everything
    described = reframe(four, "--system=local", "--describe", "-S", "suite=tiny", "-S", "target=ram")
    (maintainers,) = {*re.findall(r'"maintainers": \[([^]]*)\]', described.text)}
    assert maintainers.strip() == '"weir"'
    assert "Does the whole way work? (target ram, 1 node with 2 ranks each)" in described.text


def test_reframe_parameterizes_the_checks(four: Checkout) -> None:
    """-P sets a variable after `init`; ReFrame 4.7 leaves parameters alone."""
    everything = listed(four, "-n", "measure")
    assert listed(four, "-n", "measure", "-P", "suite=other") == everything[:2]
    assert listed(four, "-n", "measure", "-P", "suite=other,tiny", "-P", "target=rom") == everything[1::2]
    assert listed(four, "-n", "measure", "-P", "suite=none") == []
    assert listed(four, "-P", "measure.batch=other:rom-debian-1x2", "-n", "measure") == everything[1:2]
    late = measure(four, "-S", "suite=tiny", "-S", "target=ram", "-P", "site=lab").ended("FAIL")
    assert "site 'lab' was set after the batches were planned" in late.text
    assert "give -S site=lab on the command line" in late.text


def test_scale_stack_and_site_are_chosen_by_variables_and_by_the_environment(checkout: Checkout) -> None:
    local = checkout.root / "config/sites/local"
    site = yaml.safe_load((local / "site.yaml").read_text())
    stacks = dict.fromkeys(("debian", "second"), site["stacks"]["debian"])
    partitions = {name: one | {"stacks": [*stacks]} for name, one in site["partitions"].items()}
    checkout.write("config/config.yaml", {"site": "local", "suites": ["tiny"]})
    edit(local / "site.yaml", stacks=stacks, partitions=partitions)
    edit(checkout.root / "config/suites/tiny.yaml", scales={"small": {"ppn": [1]}})
    shutil.copytree(local, local.with_name("twin"))
    edit(local.with_name("twin") / "site.yaml", site="twin", stacks={"third": stacks["debian"]})
    edit(
        local.with_name("twin") / "site.yaml", partitions={"node": partitions["node"] | {"stacks": ["third"]}}
    )
    choices = {
        ("stack", "WEIR_STACKS", "second"): {"tiny:ram-second-1x2"},
        ("scale", "WEIR_SCALE", "small"): {"tiny-small:ram-debian-1x1", "tiny-small:ram-second-1x1"},
        ("site", "WEIR_SITE", "twin"): {"tiny:ram-third-1x2"},
    }
    for (variable, name, value), batches in choices.items():
        wanted = {f"{check} %batch={batch}" for check in ("measure", "preflight") for batch in batches}
        assert {*listed(checkout, "-S", f"{variable}={value}")} == wanted
        assert {*listed(checkout, environment={name: value})} == wanted
