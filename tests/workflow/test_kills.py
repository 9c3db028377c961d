"""Kills, second starts and faults of the machine while cells share a launch: nothing lost, nothing left."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.workflow.conftest import ROOT, SUITE, Checkout, copy_of_the_tree
from tests.workflow.gate import ENDED, close_gate
from tests.workflow.processes import GUARDIAN, children, kill, processes_below, start, until
from tests.workflow.test_faults import RUN, aim, ask_for_twenty_executions, ended, plan, runs_of, small_mount
from weir.measure.clean_up.directories import Workspace

__all__ = ["small_mount"]
WEIR = (sys.executable, "-m", "weir")


def weir_run(checkout: Checkout, *more: str) -> subprocess.Popen[str]:
    return start(checkout, *WEIR, *RUN, *more)


def nothing_is_left(checkout: Checkout, target: Path) -> bool:
    return list(target.iterdir()) == [] and processes_below(checkout.root) == []


@pytest.fixture
def twenty(tiny: Checkout) -> Checkout:
    """Twenty executions that share a launch."""
    ask_for_twenty_executions(tiny)
    plan(tiny)
    return tiny


@dataclass(frozen=True)
class Running:
    """A measurement with three executions behind it. The clean-up of its target waits for go_on."""

    checkout: Checkout
    process: subprocess.Popen[str]
    hold: Path

    def go_on(self) -> None:
        self.hold.unlink(missing_ok=True)


@pytest.fixture
def running(twenty: Checkout) -> Iterator[Running]:
    hold = twenty.write("hold", "")
    aim(twenty, cleanup=[["sh", "-c", f"while [ -e '{hold}' ]; do sleep 0.05; done"]])
    plan(twenty)
    first = Running(twenty, weir_run(twenty, "--seed", "2"), hold)
    assert until(lambda: ended(twenty) >= 3)
    yield first
    first.go_on()
    if first.process.poll() is None:
        first.process.kill()
    first.process.wait()


def seeds(checkout: Checkout) -> list[int]:
    documents = [json.loads(file.read_text()) for file in runs_of(checkout)]
    assert {each["status"] for each in documents} <= {"done"}
    return [each["seed"] for each in documents]


@pytest.mark.slow
@pytest.mark.row("another checkout of the same user")
def test_a_second_checkout_is_refused_with_the_holders_name(running: Running, tmp_path: Path) -> None:
    first = running.process
    (tmp_path / "other").mkdir()
    other = copy_of_the_tree(tmp_path / "other")
    for file in (other.root / "config/sites/local/targets").glob("*.yaml"):
        file.unlink()
    for name in ("config/suites/tiny.yaml", "config/sites/local/targets/ram.yaml", "config/config.yaml"):
        other.write(name, (running.checkout.root / name).read_text())
    plan(other)
    seconds = [
        start(other, *WEIR, *RUN, *more, "--errors", str(len(more))) for more in ((), ("--preflight",))
    ]
    assert [each.wait(300) for each in seconds] == [1, 1]
    for name in ("0", "1"):
        reason = (other.root / name).read_text()
        assert f"target ram is being measured by process {first.pid} on" in reason
        assert str(running.checkout.root / "results/local") in reason
    running.go_on()
    assert first.wait(300) == 0
    assert seeds(running.checkout) == [2] * 20
    assert runs_of(other) == []


@pytest.mark.slow
def test_a_restart_waits_for_the_orphan_and_measures_nothing_twice(running: Running) -> None:
    # Stopped within its launch: on a busy machine all twenty may have ended before a second weir is up.
    running.process.send_signal(signal.SIGSTOP)
    script = 'out=$1; shift; exec "$@" >"$out" 2>&1'
    again = start(running.checkout, "sh", "-c", script, "sh", "printed", *WEIR, *RUN, "--seed", "1")
    printed = running.checkout.root / "printed"
    waits = f"waiting for process {running.process.pid} on"
    assert until(lambda: printed.is_file() and waits in printed.read_text())
    running.process.send_signal(signal.SIGCONT)
    running.go_on()
    assert again.wait(300) == 0, printed.read_text()
    assert "20 of 20 were there already" in printed.read_text()
    assert running.process.wait(300) == 0
    assert seeds(running.checkout) == [2] * 20


@pytest.mark.slow
def test_after_sigkill_the_guardian_keeps_what_has_run_and_leaves_nothing(
    running: Running, target_folder: Path
) -> None:
    checkout = running.checkout
    running.process.kill()
    running.process.wait()
    running.go_on()
    assert until(lambda: nothing_is_left(checkout, target_folder)), processes_below(checkout.root)
    kept = len(runs_of(checkout))
    assert kept >= 3
    assert not list((checkout.root / "results/local/launches").iterdir())
    again = checkout.weir(*RUN, "--seed", "1")
    assert f"{kept} of 20 were there already" in again.stdout
    assert sorted(seeds(checkout)) == [1] * (20 - kept) + [2] * kept


@pytest.mark.slow
def test_after_a_kill_of_the_guardian_another_one_goes_on(running: Running, target_folder: Path) -> None:
    kill(children(running.process.pid, GUARDIAN))
    running.go_on()
    assert running.process.wait(300) == 0
    assert seeds(running.checkout) == [2] * 20
    assert until(lambda: nothing_is_left(running.checkout, target_folder))


@pytest.mark.slow
@pytest.mark.parametrize("cleaner", ["the next start", "a start elsewhere", "weir clean"])
def test_after_sigkill_of_weir_and_its_guardian_something_cleans_up(
    twenty: Checkout, target_folder: Path, tmp_path: Path, cleaner: str
) -> None:
    """Another measurement of this user on this machine does it, too, whatever it measures."""
    marker, temporary = twenty.root / "cleaned", tmp_path / "temporary"
    temporary.mkdir()
    aim(twenty, cleanup=[["touch", str(marker)]])
    gate = close_gate(twenty)
    first = start(twenty, *WEIR, *RUN, "--seed", "2", environment={"TMPDIR": str(temporary)})
    gate.wait()
    kill(
        [*children(first.pid, GUARDIAN), *children(first.pid, "mpirun"), *children(first.pid, ""), first.pid]
    )
    first.wait()
    gate.open()
    marker.unlink(missing_ok=True)
    if cleaner == "weir clean":
        cleaned = twenty.weir("clean", code=0)
        # Any start of this user may have cleaned up before; one that is at it is waited for.
        own = [line for line in cleaned.stdout.splitlines() if str(twenty.root) in line]
        assert all(f"of {twenty.root}/results/local on target ram: cleaned up" in line for line in own)
        assert str(twenty.root) not in twenty.weir("clean").stdout
    elif cleaner == "a start elsewhere":
        (tmp_path / "other").mkdir()
        other = plan_json_for_another_target(twenty, tmp_path / "other")
        for attempt in range(3):
            results = str(tmp_path / f"results-{attempt}")
            twenty.weir("run", "--plan", str(other), "--results", results, "--any-kind", code=0)
            # A start of another test may have been at it, and have been killed by that test before its end.
            if until(lambda: nothing_is_left(twenty, target_folder), limit_s=20):
                break
    if cleaner != "the next start":
        assert until(lambda: nothing_is_left(twenty, target_folder)), processes_below(twenty.root)
        assert len(runs_of(twenty)) == ENDED
    twenty.weir(*RUN, "--seed", "1", code=0)
    assert until(lambda: nothing_is_left(twenty, target_folder)), processes_below(twenty.root)
    assert marker.exists()
    assert sorted(seeds(twenty)) == [1] * (20 - ENDED) + [2] * ENDED
    assert list(temporary.iterdir()) == []


def plan_json_for_another_target(checkout: Checkout, folder: Path) -> Path:
    """The same plan as the checkout's, but with its data below another folder, and one run of each cell."""
    (folder / "target").mkdir()
    document = json.loads((checkout.root / "plan.json").read_text())
    document["site"]["targets"]["ram"] |= {"path": str(folder / "target"), "cleanup": []}
    file = folder / "plan.json"
    file.write_text(json.dumps(document))
    return file


@pytest.mark.slow
def test_weir_clean_with_a_plan_needs_no_note_and_touches_no_living_measurement(
    running: Running, target_folder: Path
) -> None:
    checkout = running.checkout
    clean = ("clean", "--plan", "plan.json", "--results", "results/local")
    held = checkout.weir(*clean, code=0)
    assert f"not touched, process {running.process.pid} on" in held.stdout
    running.go_on()
    assert running.process.wait(300) == 0
    left = Workspace(target_folder, checkout.root / "results/local", "ram-debian-1x2")
    left.claim()
    assert checkout.weir(*clean).returncode == 0
    assert list(target_folder.iterdir()) == []
    assert len(seeds(checkout)) == 20


@pytest.mark.slow
@pytest.mark.row("a damaged run.json or launch.json", "results")
def test_damaged_files_are_set_aside_and_measured_again(twenty: Checkout) -> None:
    assert twenty.weir(*RUN, "--seed", "2").returncode == 0
    cut, empty = runs_of(twenty)[:2]
    cut.write_text(cut.read_text()[:100])
    empty.write_text("")
    launches = twenty.root / "results/local/launches/ram-debian-1x2"
    launches.mkdir(parents=True)
    (launches / "launch.json").write_text("{")
    again = twenty.weir(*RUN, "--seed", "1", code=0)
    assert "18 of 20 were there already" in again.stdout
    assert sorted(seeds(twenty)) == [1] * 2 + [2] * 18
    assert len(list((twenty.root / "results/local/runs").glob("*/*.damaged-1"))) == 2
    assert [each.name for each in launches.parent.iterdir()] == ["ram-debian-1x2.damaged-1"]


@pytest.mark.slow
def test_snakemake_that_is_killed_as_it_starts_leaves_no_directory(tiny: Checkout, tmp_path: Path) -> None:
    """While it reads what the plan needs, which takes longest."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    dry_run = ("snakemake", "--cores", "1", "--dry-run")
    card = tiny.root / "weir/plan/card.py"
    text = card.read_text()
    card.write_text(f"{text}\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    killed = tiny.call(*dry_run, environment={"TMPDIR": str(temporary)})
    assert killed.returncode == -signal.SIGKILL
    left = list(temporary.iterdir())
    assert left != []
    card.write_text(text)
    tiny.call(*dry_run, environment={"TMPDIR": str(temporary)}, code=0)
    assert [each for each in left if each.exists()] == []


@pytest.mark.slow
def test_cleanup_runs_when_settling_completes_the_batch(twenty: Checkout, target_folder: Path) -> None:
    assert twenty.weir(*RUN).returncode == 0
    launches = twenty.root / "results/local/launches/ram-debian-1x2"
    launches.mkdir(parents=True)
    (launches / "launch.json").write_text("{}")
    marker = twenty.root / "cleaned"
    aim(twenty, prepare=[["true"]], cleanup=[["touch", str(marker)]])
    document = json.loads((twenty.root / "plan.json").read_text())
    document["site"]["targets"]["ram"]["cleanup"] = [["touch", str(marker)]]
    (twenty.root / "plan.json").write_text(json.dumps(document))
    again = twenty.weir(*RUN)
    assert "20 of 20 were there already" in again.stdout, again.stderr
    assert marker.exists()
    assert list(target_folder.iterdir()) == []


@pytest.mark.slow
@pytest.mark.row("a full results disk")
def test_a_full_results_disk_ends_the_batch_and_blames_no_cell(twenty: Checkout, small_mount: Path) -> None:
    hog = small_mount / "hog"
    run = ("run", "--plan", "plan.json", "--results", str(small_mount), "--errors", "errors.json")
    gate = close_gate(twenty, small_mount)
    first = start(twenty, *WEIR, *run, "--seed", "2")
    gate.wait()
    with hog.open("wb", buffering=0) as stream:  # or its end would write what did not fit
        try:
            while stream.write(bytes(65536)):
                pass
        except OSError:
            pass
    gate.open()
    assert first.wait(300) == 1
    runs = list(small_mount.glob("runs/*/*/run.json"))
    assert {json.loads(file.read_text())["status"] for file in runs} <= {"done"}
    assert "No space left on device" in (twenty.root / "errors.json").read_text()
    hog.unlink()
    twenty.weir(*run, "--seed", "1", code=0)
    runs = list(small_mount.glob("runs/*/*/run.json"))
    assert [json.loads(file.read_text())["status"] for file in runs] == ["done"] * 20


@pytest.mark.slow
@pytest.mark.row("the target is unmounted (`umount -l`)")
def test_a_target_that_is_unmounted_in_a_shared_launch_blames_no_cell(
    twenty: Checkout, small_mount: Path
) -> None:
    aim(twenty, path=str(small_mount))
    gate = close_gate(twenty)
    first = weir_run(twenty, "--errors", "errors.json", "--seed", "2")
    gate.wait()
    subprocess.run(["umount", "--lazy", str(small_mount)], check=True)
    gate.open()
    assert first.wait(300) == 1
    assert "was" in (twenty.root / "errors.json").read_text()
    assert "unmounted" in (twenty.root / "errors.json").read_text()
    assert len(seeds(twenty)) == ENDED
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "none", str(small_mount)], check=True)
    twenty.weir(*RUN, "--seed", "1", code=0)
    assert len(seeds(twenty)) == 20


@pytest.mark.slow
@pytest.mark.row("a cell that lost its summary.json")
def test_a_cell_that_lost_its_summary_is_not_valid(twenty: Checkout) -> None:
    """weir-io ends well, and something takes its document away before weir has read it."""
    thief = twenty.write(
        "thief.sh",
        f'#!/bin/sh\n"{ROOT}/build/weir-io" "$@"\ncode=$?\nrm -f ../../runs/*/*/summary.json\nexit $code\n',
    )
    program = twenty.root / "weir-io"
    program.symlink_to(thief)
    twenty.use(ior=[str(program), "ior"])
    plan(twenty)
    twenty.weir(*RUN, code=1)
    errors = [json.loads(each.read_text())["error"] for each in runs_of(twenty)]
    assert len(errors) == 20
    assert all("summary.json is missing" in error for error in errors)


@pytest.mark.slow
@pytest.mark.row("a target that hangs while it is measured")
def test_a_file_system_that_does_not_answer_is_named_and_keeps_nothing_back(
    twenty: Checkout, target_folder: Path
) -> None:
    """The process behind the FUSE mount is stopped while cells share a launch."""
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("/dev/fuse is not usable here")
    script, base = str(twenty.root / "config/sites/local/burst-buffer"), target_folder / "base"
    places = [str(twenty.root), str(target_folder / "fast"), str(base)]
    point = base / "mount"
    commands = {"prepare": [[script, "mount", *places]], "cleanup": [[script, "down", *places]]}
    aim(twenty, kind="burst-buffer-fuse", path=str(point), mount=str(point), **commands)
    with twenty.edited(SUITE) as suite:
        suite["experiments"]["one"]["timeout"] = "20 s"
    gate = close_gate(twenty)
    first = weir_run(twenty, "--errors", "errors.json", "--seed", "2")
    gate.wait()
    (daemon,) = (int(line.split()[0]) for line in processes_below(base) if f"ime-fuse {point}" in line)
    os.kill(daemon, signal.SIGSTOP)
    gate.open()
    try:
        assert first.wait(300) == 1
        assert f"{point} does not answer for" in (twenty.root / "errors.json").read_text()
        assert len(seeds(twenty)) == ENDED
    finally:
        with contextlib.suppress(ProcessLookupError):  # clean-up may have ended it
            os.kill(daemon, signal.SIGCONT)
    # The guardian ends what prepare started, and then unmounts what is left of it.
    until(lambda: processes_below(twenty.root) + processes_below(target_folder) == [])
    assert processes_below(twenty.root) + processes_below(target_folder) == []
    assert until(lambda: str(point) not in Path("/proc/self/mounts").read_text())
    twenty.weir(*RUN, "--seed", "1", code=0)
    assert len(seeds(twenty)) == 20
