"""Editing code never re-measures; growing a space measures only what is new."""

import json
import re
from pathlib import Path

import pytest
import yaml

from tests.programs import replace_in
from tests.workflow.conftest import SUITE, TARGET, Checkout


def jobs(dry_run: str) -> dict[str, int]:
    """Rule to count, from the table of a dry run; empty when there is nothing to be done."""
    table = re.search(r"^job +count\n-+ +-+\n(.*?)^total", dry_run, re.M | re.S)
    if table is None:
        return {}
    return {line.split()[0]: int(line.split()[1]) for line in table.group(1).splitlines() if line.strip()}


def dry_run(checkout: Checkout) -> tuple[dict[str, int], str]:
    done = checkout.snakemake("--dry-run", code=0)
    return jobs(done.stdout), done.stderr


def append(file: Path, text: str) -> None:
    file.write_text(file.read_text() + text)


@pytest.mark.slow
def test_first_dry_run_measures_every_batch_and_prints_a_job_by_what_differs(tiny: Checkout) -> None:
    """The files of the analysis are a digest: as inputs they were a line of 4,000 characters."""
    done = tiny.snakemake("--dry-run", code=0)
    assert jobs(done.stdout)["measure"] == 1
    assert "4 cells planned, 0 measured, 4 to measure" in done.stderr
    (inputs,) = re.findall(r"^(?:local)?rule draw:\n    input: (.*)$", done.stdout, re.MULTILINE)
    assert len(inputs.split(", ")) == 8
    assert max(map(len, (done.stdout + done.stderr).splitlines())) < 600


@pytest.mark.slow
def test_every_suite_of_the_tree_dry_runs(checkout: Checkout) -> None:
    """All of them as one study; tests/unit/plan/config/test_reference.py plans each by itself."""
    suites = sorted(file.stem for file in (checkout.root / "config/suites").glob("*.yaml"))
    done = checkout.snakemake("--dry-run", "--config", f"suites={','.join(suites)}", code=0)
    assert jobs(done.stdout)["measure"] > 1


@pytest.mark.slow
def test_the_workflow_is_lint_clean(checkout: Checkout) -> None:
    done = checkout.snakemake("--lint", code=0)
    assert "Lints for" not in done.stderr


@pytest.mark.slow
def test_wrong_configuration_is_told_in_words(tiny: Checkout) -> None:
    replace_in(tiny.root / SUITE, "xfer:", "xfre:")
    done = tiny.snakemake("--dry-run")
    assert done.returncode != 0
    assert "did you mean 'xfer'" in done.stderr + done.stdout
    assert "config/suites/tiny.yaml:" in done.stderr + done.stdout


def the_terminal_shows_what_matters(checkout: Checkout, text: str) -> None:
    """Card, preflight, one line for the batch that ended, the answer, the path; every ten seconds the
    progress of the figures; nothing else."""
    text = re.sub(r"^draw: \d.*\n", "", text, flags=re.MULTILINE)
    card, rest = text.split("preflight: 1 of 1 batches can start", 1)
    assert len(card.splitlines()) <= 12
    assert "4 in 4 executions" in card
    # Phases of milliseconds may be degraded on a slow machine.
    assert re.search(r"ram-debian-1x2: 4/4 done, 0 failed, \d degraded; write ", rest)
    assert "results proven" in rest
    assert rest.rstrip().endswith("HTML: results/local/tiny/report.html")
    assert len(text.splitlines()) < 50
    assert "localrule measure" in (checkout.root / "results/local/tiny/logs/workflow.log").read_text()
    once = checkout.weir("watch", "--json", "results/local/tiny")
    assert [(one["state"], one["done"]) for one in json.loads(once.stdout)] == [("finished", 4)]


@pytest.mark.slow
def test_targets_are_checked_before_anything_is_measured(tiny: Checkout) -> None:
    replace_in(tiny.root / TARGET, "/dev/shm/", "/dev/shm/no-such-directory/")
    done = tiny.weir("report", "--suites", "tiny", code=1)
    assert "ram-debian-1x2: " in done.stderr
    assert "nothing was measured" in done.stderr
    assert not (tiny.root / "results/local/tiny/batches").exists()


@pytest.mark.slow
def test_one_unusable_target_does_not_keep_the_others_from_being_measured(tiny: Checkout) -> None:
    """By weir run and by weir report; both fail at the end, and name it."""
    targets = tiny.root / "config/sites/local/targets"
    broken = yaml.safe_load((targets / "ram.yaml").read_text())
    broken |= {"target": "a-gone", "path": "/dev/shm/gone"}
    (targets / "a-gone.yaml").write_text(yaml.safe_dump(broken))
    reason = "a-gone-debian-1x2: target a-gone: /dev/shm/gone is not there"
    assert tiny.weir("plan", "--out", "plan.json").returncode == 0
    done = tiny.weir("run", "--plan", "plan.json", "--results", "results/direct", code=1)
    assert reason in done.stderr
    assert "ram-debian-1x2: 4 executions done" in done.stdout
    assert len(list((tiny.root / "results/direct/runs").glob("*/*/run.json"))) == 4

    done = tiny.weir("report", "--suites", "tiny", "--page-only", code=1)
    assert "a-gone-debian-1x2 cannot be measured: /dev/shm/gone is not there" in done.stdout
    assert "a-gone-debian-1x2 was not measured: target a-gone" in done.stderr
    assert len(list((tiny.root / "results/local/runs").glob("*/*/run.json"))) == 4
    assert (tiny.root / "results/local/tiny/batches/ram-debian-1x2.json").is_file()


@pytest.mark.slow
def test_code_never_and_a_new_value_only_its_cells(tiny: Checkout) -> None:
    told = tiny.weir("report", "--suites", "tiny", "--page-only", code=0)
    the_terminal_shows_what_matters(tiny, told.stdout)
    runs = tiny.root / "results/local/runs"
    first = {file: file.stat().st_mtime_ns for file in runs.glob("*/*/run.json")}
    assert len(first) == 4

    for file in ("weir/measure/batches.py", "weir/tools/base.py", "reframe_checks/measure.py", "Snakefile"):
        append(tiny.root / file, "\n# an edit\n")
    planned, printed = dry_run(tiny)
    assert not {"measure", "collect"} & set(planned)
    assert "4 cells planned, 4 measured, 0 to measure" in printed

    replace_in(tiny.root / SUITE, "- 64 KiB", "- 64 KiB\n      - 128 KiB")
    planned, printed = dry_run(tiny)
    assert (planned["measure"], planned["collect"]) == (1, 1)
    assert "6 cells planned, 4 measured, 2 to measure" in printed
    assert "128KiB" in printed
    assert "64KiB" not in printed.replace("of 256KiB", "")

    tiny.snakemake("--until", "collect", code=0)
    after = {file: file.stat().st_mtime_ns for file in runs.glob("*/*/run.json")}
    assert len(after) == 6
    assert {file: after[file] for file in first} == first
