"""weir prove in a network namespace of its own, as a container has it: its links have no hardware."""

from pathlib import Path

import pytest

from tests.needs import need, network_namespaces
from tests.witness.conftest import Prove
from tests.zoo.errors import skips_unstaged
from tests.zoo.staging import served_by

_LINKS = """PATH=$PATH:/usr/sbin:/sbin
ip link add veth0 type veth peer name veth1 && ip link set veth0 up && ip link set veth1 up
exec "$@"
"""


def test_bytes_that_go_past_its_links_are_not_missing(
    prove: Prove, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service outside of the container serves the mount."""
    need(network_namespaces)
    monkeypatch.setenv("WEIR_SERVER_ADDRESSES", "192.0.2.9")
    monkeypatch.setenv("PYTHONSAFEPATH", "1")  # the file system of the zoo lists no directory
    stored, place = tmp_path / "stored", tmp_path / "data"
    stored.mkdir()
    arguments = [stored, place, "-f", "-o", "fsname=server:/export,default_permissions"]
    with skips_unstaged(), served_by("passing_fuse.c", tmp_path, arguments, place):
        inside = ("unshare", "--net", "sh", "-c", _LINKS, "container")
        seen = prove("dd", "if=/dev/urandom", "of=f", "bs=1M", "count=16", "conv=fsync", ahead=inside)
    if "links without hardware" not in seen["stderr"]:
        pytest.skip("no veth link can be made")
    (claim,) = seen["claims"]
    assert claim["verdict"] == "UNPROVEN", seen["stderr"]
