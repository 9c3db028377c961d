"""What goes wrong on a target ends in a clear message and a non-zero exit, and loses nothing measured."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import mounts, need
from tests.programs import replace_in
from tests.workflow.conftest import ROOT, SITE, SUITE, TARGET, Checkout
from tests.workflow.gate import ENDED, close_gate
from weir.plan import read_plan
from weir.workflow.study import what_is_left

NOT_THERE = "/dev/shm/weir-test-that-is-not-there"
RUN = ("run", "--plan", "plan.json", "--results", "results/local")


@pytest.fixture
def small_mount(tmp_path: Path) -> Iterator[Path]:
    """A tmpfs of 64 MiB."""
    need(mounts)
    point = tmp_path / "small"
    point.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "none", str(point)], check=True)
    yield point
    subprocess.run(["umount", "--lazy", str(point)], check=False, capture_output=True)


def aim(checkout: Checkout, **changes: object) -> None:
    """Change the only target of the tiny checkout; plan afterwards."""
    checkout.write(TARGET, checkout.read(TARGET) | changes)


def plan(checkout: Checkout, code: int = 0) -> subprocess.CompletedProcess[str]:
    return checkout.weir("plan", "--out", "plan.json", code=code)


def grow_blocks(checkout: Checkout, block: str) -> None:
    replace_in(checkout.root / SUITE, "block: 256 KiB", f"block: {block}")


def runs_of(checkout: Checkout) -> list[Path]:
    return sorted((checkout.root / "results/local/runs").glob("*/[0-9][0-9][0-9]/run.json"))


def ask_for_twenty_executions(checkout: Checkout) -> None:
    """They share a launch, and the schedule of their transfers gives each 0.16 s on any machine."""
    with checkout.edited(SUITE) as suite:
        experiment = suite["experiments"]["one"]
        experiment["repetitions"]["rounds"] = 5
        experiment["fixed"] |= {"block": "= 8 * xfer", "rate": 400}


def ended(checkout: Checkout) -> int:
    """Executions that have ended; those of the launch that runs now get run files when it is over."""
    in_flight = 0
    for file in (checkout.root / "results/local/launches").glob("*/status"):
        with contextlib.suppress(FileNotFoundError):
            in_flight += len(file.read_text().splitlines())
    return in_flight + len(runs_of(checkout))


@pytest.mark.slow
@pytest.mark.row("the target is full")
def test_a_cell_too_large_for_the_free_space_stops_before_it_starts(
    tiny: Checkout, small_mount: Path
) -> None:
    aim(tiny, path=str(small_mount))
    grow_blocks(tiny, "48 MiB")
    plan(tiny)
    done = tiny.weir(*RUN, code=1)
    assert "the largest cell needs 96 MiB at once" in done.stderr
    assert "make room" in done.stderr
    assert runs_of(tiny) == []
    assert list(small_mount.iterdir()) == []


@pytest.mark.slow
def test_space_that_goes_while_measuring_fails_the_cells_and_keeps_the_others(
    tiny: Checkout, small_mount: Path
) -> None:
    """Preflight sees enough room; then a file of somebody else takes it."""
    aim(tiny, path=str(small_mount), cleanup=[["rm", "-f", str(small_mount / "hog")]])
    grow_blocks(tiny, "24 MiB")
    plan(tiny)
    tiny.weir(*RUN, code=0)
    before = runs_of(tiny)
    replace_in(tiny.root / SUITE, "- 64 KiB", "- 64 KiB\n      - 1 MiB")
    # The cells check free space themselves only at the start of the batch: take it right after.
    launcher = tiny.write(
        "hog.sh",
        f"#!/bin/sh\nhead -c 40M /dev/zero > {small_mount}/hog 2>/dev/null\n"
        f'exec "{ROOT}/build/weir-io" "$@"\n',
    )
    replace_in(tiny.root / SITE, '"{root}/build/weir-io"', str(launcher))
    plan(tiny)
    second = tiny.weir(*RUN, code=1)
    assert "No space left on device" in second.stderr
    assert set(before) <= set(runs_of(tiny))
    assert list(small_mount.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"path": "/proc/self"}, ["no file can be written in /proc/self"]),
        ({"path": NOT_THERE}, [f"target ram: {NOT_THERE} is not there", "correct `path`"]),
        ({"mount": "{folder}"}, ["nothing is mounted on {folder}"]),
    ],
    ids=["unwritable", "missing", "missing mount, before the disk below is filled"],
)
def test_a_target_that_cannot_be_used_is_named(
    tiny: Checkout, target_folder: Path, changes: dict[str, str], told: list[str]
) -> None:
    aim(tiny, **{key: value.format(folder=target_folder) for key, value in changes.items()})
    plan(tiny)
    done = tiny.weir(*RUN, code=1)
    for text in told:
        assert text.format(folder=target_folder) in done.stderr
    assert list(target_folder.iterdir()) == []


@pytest.mark.parametrize("path", ["/", "/tmp", "~", "~/scratch"])
@pytest.mark.row("a target path that is a link")
def test_homes_and_the_root_are_refused_when_planning(tiny: Checkout, path: str) -> None:
    aim(tiny, path=str(Path(path).expanduser()))
    done = plan(tiny, code=2)
    assert "config/sites/local/targets/ram.yaml" in done.stderr


@pytest.mark.slow
def test_a_target_that_vanishes_ends_the_batch_and_keeps_its_runs(tiny: Checkout, small_mount: Path) -> None:
    aim(tiny, path=str(small_mount), cleanup=[["true"]])
    counter = tiny.root / "launches"
    program = tiny.write(
        "vanish.sh",
        # The preflight starts it, too, elsewhere than on the target.
        f'#!/bin/sh\ncase "$*" in *{small_mount}*) echo >> {counter} ;; esac\n'
        f"[ ! -e {counter} ] || [ $(wc -l < {counter}) -le 4 ] || umount --lazy {small_mount} 2>/dev/null\n"
        f'exec "{ROOT}/build/weir-io" "$@"\n',
    )
    replace_in(tiny.root / SITE, '"{root}/build/weir-io"', str(program))
    plan(tiny)
    done = tiny.weir(*RUN, code=1)
    assert "is not there" in done.stderr
    assert len(runs_of(tiny)) == 2  # two ranks start each; the one that met the void is unfinished


@pytest.mark.slow
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_cleans_up_and_loses_only_the_run_in_flight(
    tiny: Checkout, target_folder: Path, kind: signal.Signals
) -> None:
    ask_for_twenty_executions(tiny)
    gate = close_gate(tiny)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    harness = subprocess.Popen(
        [sys.executable, "-m", "weir", *RUN],
        cwd=tiny.root,
        env=clean | {"PYTHONPATH": str(tiny.root)},
        stderr=subprocess.PIPE,
        text=True,
    )
    gate.wait()
    harness.send_signal(kind)
    _, printed = harness.communicate(timeout=300)
    assert harness.returncode == 130
    assert "Traceback" not in printed
    assert list(target_folder.iterdir()) == []
    assert len(runs_of(tiny)) == ENDED


@pytest.mark.slow
@pytest.mark.row("no /dev/fuse")
def test_an_optional_target_that_cannot_be_prepared_is_left_out_with_the_reason(tiny: Checkout) -> None:
    broken = {"optional": True, "prepare": [["sh", "-c", "echo no such device >&2; exit 1"]]}
    aim(tiny, **broken)
    plan(tiny)
    (name,) = (batch.batch for batch in read_plan(tiny.root / "plan.json").batches)
    receipt = tiny.root / f"{name}.json"
    (check,) = json.loads(tiny.weir(*RUN, "--preflight", "--json").stdout)
    assert (check["batch"], check["check"]) == (name, "prepare")
    assert "no such device" in check["problem"]
    done = tiny.weir(*RUN, "--receipt", receipt.name, code=0)
    assert "unavailable: target ram: `sh -c" in done.stdout
    assert "no such device" in json.loads(receipt.read_text())["batches"][0]["unavailable"]
    assert runs_of(tiny) == []
    left = what_is_left(read_plan(tiny.root / "plan.json"), tiny.root / "results/local", tiny.root)
    assert "was skipped: target ram: `sh -c" in left
    assert f"to try it again: rm {receipt}" in left
    collect = ("collect", "--plan", "plan.json", "--results", "results/local", "--out", "r.csv")
    assert "no such device" in tiny.weir(*collect, code=1).stderr
