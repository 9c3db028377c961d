"""Kills at random moments under load: what was finished stays whole, and no mount is left over."""

import contextlib
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.ime.conftest import TIMES, Mounter, Store, StoreMaker, drainer_pid, is_mounted, wait_for

WRITERS = 3


def arguments(store: Store, mount: Path | None) -> list[str]:
    where = f"{mount}/" if mount else "ime://"
    mounted = ["--mounted"] if mount else []
    state = ["--state", str(store.folder / "state"), "--writers", str(WRITERS)]
    files = ["--path", f"{where}blocks", "--log", f"{where}log"]
    return [str(store.programs / "ime-crash"), *state, *files, *mounted]


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def kill_round(store: Store, draw: random.Random, mount: Path | None, mount_pid: int | None) -> None:
    """Writers under load; at random times some of them, or what serves them, are killed, then the rest."""
    acts = [["--writer", str(i), "write"] for i in range(WRITERS)] + [["churn"], ["churn"]]
    workers = [
        subprocess.Popen([*arguments(store, mount), *act], env=store.environment, stderr=subprocess.DEVNULL)
        for act in acts
    ]
    victims = [drainer_pid(store), *(worker.pid for worker in workers)]
    for victim in [mount_pid] if mount_pid else draw.sample(victims, k=draw.randint(1, len(victims))):
        time.sleep(draw.uniform(0.005, 0.08))
        if victim is not None:
            kill(victim)
    time.sleep(draw.uniform(0, 0.05))
    for worker in workers:
        kill(worker.pid)
        worker.wait()


def verify(store: Store, mount: Path | None) -> None:
    done = store.run(*arguments(store, mount), "verify", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


ROUNDS = 15 * TIMES
TIGHT = {"capacity": "1 MiB", "drain": "auto"}
ROOMY = {"capacity": "64 MiB", "drain": "auto"}


@pytest.mark.parametrize(
    ("settings", "count", "seed"),
    [
        pytest.param(TIGHT, 4, 1, id="a few"),
        pytest.param(TIGHT, ROUNDS, 2, id="many"),
        pytest.param(ROOMY, ROUNDS, 6, id="many with room"),
        pytest.param(
            {**TIGHT, "drain_rate": "30 MiB/s", "granule": "16 KiB"},
            ROUNDS,
            3,
            id="many with a slow drain and large granules",
        ),
    ],
)
def test_rounds_on_the_library(
    settings: dict[str, str], count: int, seed: int, make_store: StoreMaker
) -> None:
    store, draw = make_store(**settings), random.Random(seed)
    for _ in range(count):
        kill_round(store, draw, None, None)
        verify(store, None)
    store.imectl("drain")
    used = store.status()
    granule = used["granule_bytes"]
    assert used["total"]["dirty_bytes"] == 0
    data_bytes = used["used_bytes"] - used["index_bytes"]
    # Partly filled: the last granule of a file, and both ends of what a writer wrote last.
    partly_filled = len(used["files"]) + 1 + 2 * WRITERS
    assert abs(data_bytes - used["total"]["resident_bytes"]) < granule * partly_filled
    store.imectl("evict")
    verify(store, None)


def leave(mount: Path) -> None:
    """After a kill, libfuse's helper unmounts what answers no more. It looks once, and leaves what was not
    yet detached at that moment; then whoever mounts again unmounts first."""
    for _ in range(100):
        if not is_mounted(mount):
            return
        time.sleep(0.02)
    subprocess.run(["umount", "--lazy", str(mount)], check=False)
    wait_for(lambda: not is_mounted(mount), f"{mount} is unmounted after the kill")


@pytest.mark.parametrize(("count", "seed"), [(1, 4), (ROUNDS, 5)], ids=["one", "many"])
def test_rounds_on_the_mount(count: int, seed: int, make_store: StoreMaker, mounted: Mounter) -> None:
    store, draw = make_store(**TIGHT), random.Random(seed)
    for _ in range(count):
        mount, pid = mounted(store), mounted.last_pid()
        kill_round(store, draw, mount, pid)
        leave(mount)
        verify(store, None)


def test_a_kill_while_data_move_between_the_tiers_leaves_a_true_count(
    programs: Path, make_store: StoreMaker
) -> None:
    """What the dead one had set aside counts as used until somebody repairs the file, and no longer."""
    store, draw = make_store(), random.Random(7)
    store.fill("file", 8 << 20, 65536)
    store.imectl("drain")
    for number in range(60):
        command = [str(programs / "imectl"), "evict" if number % 2 == 0 else "stage-in", "ime://file"]
        process = subprocess.Popen(command, env=store.environment)
        time.sleep(draw.uniform(0.001, 0.008))
        process.kill()
        process.wait()
        store.imectl("status")  # counts anew what is used
        store.imectl("drain")  # repairs the file
        status = store.status()
        assert status["used_bytes"] - status["index_bytes"] == status["total"]["resident_bytes"], number
        store.imectl("stage-in" if number % 2 == 1 else "evict", "ime://file")


def test_after_a_boot_everything_drained_is_dirty_again(make_store: StoreMaker) -> None:
    """What was drained may not have reached the disks of the backing when the power went."""
    store = make_store()
    store.fill("file", 1 << 20, 65536)
    store.imectl("drain")
    store.begin_another_boot()
    (store.backing / "file").write_bytes(bytes(1 << 20))  # as if lost
    status = store.status()
    assert status["total"]["dirty_bytes"] == 1 << 20
    assert status["used_bytes"] == (1 << 20) + status["index_bytes"]
    store.imectl("drain")
    assert (store.backing / "file").read_bytes() == bytes([1]) * (1 << 20)
