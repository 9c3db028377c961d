"""ReFrame on its own, as a centre's CI starts it: tags choose, a pipeline is made, references are kept."""

import csv
import json
import os
import re
from pathlib import Path

import pytest
import yaml

from tests.workflow.conftest import Checkout, copy_of_the_tree

REFRAME = ("reframe", "--nocolor", "-C", "reframe_checks/settings.py", "-c", "reframe_checks")


@pytest.mark.slow
def test_tags_choose_suites_and_a_broken_one_is_named(tmp_path: Path) -> None:
    checkout = copy_of_the_tree(tmp_path)
    checkout.write("config/suites/broken.yaml", {"suite": "broken", "question": "Why?", "experiments": {}})
    checkout.write("config/sites/ruin/site.yaml", {"site": "ruin"})
    printed = checkout.call(*REFRAME, "--system=local", "--list", "--tag=smoke", code=0)
    chosen = re.findall(r"^- (\w+) %batch=([\w-]+):", printed.stdout, re.M)
    assert set(chosen) == {("measure", "quick")}
    assert "suite broken is skipped" in printed.stdout + printed.stderr
    assert "site ruin is skipped" in printed.stderr


@pytest.mark.slow
def test_a_job_of_the_pipeline_measures_what_snakemake_then_finds(tiny: Checkout) -> None:
    suite = tiny.root / "config/suites/tiny.yaml"
    suite.write_text(suite.read_text() + "tags: [smoke]\n")
    for other in set(suite.parent.glob("*.yaml")) - {suite}:
        other.unlink()
    generate = (*REFRAME, "--system=local", "--tag=smoke", "--ci-generate=pipeline.yml")
    refused = tiny.call(*generate, "--repeat=2", code=1)
    assert "no job of a pipeline finds a test that --repeat or -P makes" in refused.stderr
    tiny.call(*generate, "-S", "measure.time_limit=99m", code=0)
    pipeline = yaml.safe_load((tiny.root / "pipeline.yml").read_text())
    (name,) = (key for key in pipeline if key.startswith("measure"))
    job = pipeline[name]
    assert job["resource_group"] == "weir-local"
    # A runner knows the job's own variables, GitLab's, and nothing of the shell that made the pipeline.
    bare = {"PATH": "/usr/bin:/bin", "HOME": str(tiny.root), "CI_COMMIT_SHORT_SHA": "abc", **job["variables"]}
    script = "set -e\n" + "\n".join([*job["before_script"], *job["script"]])
    tiny.call("bash", "-c", script, environment=bare, code=0)
    assert (tiny.root / job["artifacts"]["reports"]["junit"]).is_file()
    assert (tiny.root / job["artifacts"]["paths"][0]).is_file()
    report = json.loads((tiny.root / job["artifacts"]["paths"][0]).read_text())
    assert report["runs"][0]["testcases"][0]["time_limit"] == 99 * 60
    records = "results/local/tiny/records.csv"
    done = tiny.snakemake("--", records, code=0)
    assert "4 cells planned, 4 measured, 0 to measure" in done.stderr
    assert not list(tiny.root.glob("results/local/tiny/batches/*.log"))  # Snakemake started no ReFrame
    assert_references_are_kept(tiny, records)


def assert_references_are_kept(tiny: Checkout, records: str) -> None:
    """Values against a past: one cell was far faster, the others twice as fast or as slow by noise."""
    with (tiny.root / records).open() as stream:
        rows = list(csv.DictReader(stream))
    bounds = []
    for row in rows:
        value, slower = float(row["bw_mib_s"]), row["cell"] == rows[0]["cell"]
        median, low = (10**6 * value, 9 * 10**5 * value) if slower else (2 * value, 0.001 * value)
        bounds.append({"cell": row["cell"], "access": row["access"], "median": median, "low": low})
    (tiny.root / "past.json").write_text(json.dumps({"bounds": bounds}))
    arguments = ("--system=local", "--tag=tiny", "--name=^measure", "--run", "--performance-report")
    for requested, alias in (("past.json", {}), (None, {"WEIR_REFERENCE": "past.json"})):
        given = ["-S", f"reference_file={requested}"] if requested else []
        printed = tiny.call(*REFRAME, *arguments, *given, environment=alias)
        assert printed.returncode != 0
        verdicts = [line.split("│")[-2].strip() for line in printed.stdout.splitlines() if "│ MiB/s" in line]
        assert sorted(verdicts) == ["fail"] * 2 + ["pass"] * 6, printed.stdout
    assert len(list(tiny.root.glob("results/local/runs/*/*/run.json"))) == len({row["cell"] for row in rows})
    assert os.listdir(tiny.root / "results/local/tiny/batches") == ["ram-debian-1x2.json"]
