"""The back end IME on the emulated burst buffer: bytes, verification, refusals."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.runs import Engine, argv
from tests.ime.conftest import Store


@pytest.fixture
def store(build: Path, tmp_path: Path) -> Iterator[Store]:
    made = Store(build / "ime", tmp_path / "store")
    for each in (made.fast, made.backing):
        each.mkdir(parents=True)
    made.config.write_text(f"fast = {made.fast}\nbacking = {made.backing}\ncapacity = 64 MiB\n")
    made.imectl("create")
    yield made
    made.imectl("destroy")


def test_what_is_written_natively_reaches_the_backing(engine: Engine, store: Store) -> None:
    arguments = argv("ior -a IME -w -r -W -R -G 7 -z -t 4k -b 256k -e -k")
    done = engine.call([*arguments, "-o", f"ime://{store.backing}/data"], environment=store.environment)
    assert done.code == 0, done.err
    plain = engine.call([*arguments, "-a", "POSIX", "-o", engine.folder / "plain"])
    assert plain.code == 0, plain.err
    assert store.status()["total"]["resident_bytes"] == 2**18
    store.imectl("drain")
    assert store.status()["total"]["dirty_bytes"] == 0
    assert (store.backing / "data").read_bytes() == (engine.folder / "plain").read_bytes()


def test_ranks_share_a_file_and_verify_each_other(engine: Engine, store: Store) -> None:
    arguments = ["ior", "-a", "IME", "-w", "-r", "-R", "-G", "7", "-C", "-t", "4k", "-b", "64k", "-s", "3"]
    done = engine.call([*arguments, "-o", f"ime://{store.backing}/data"], 2, store.environment)
    assert done.code == 0, done.err
    assert list(store.backing.glob("data*")) == []  # removed through the library


def test_a_plain_path_and_a_missing_store_are_told(engine: Engine) -> None:
    plain = engine.call(["ior", "-a", "IME", "-w", "-o", "/tmp/f"])
    assert plain.code == 2
    assert "needs a path that begins with ime://" in plain.complaints[0]
    lost = engine.call(
        ["ior", "-a", "IME", "-w", "-o", "ime:///tmp/f"], environment={"IM_CLIENT_CFG_FILE": ""}
    )
    assert lost.code == 1
    assert "No such device" in lost.complaints[0]
