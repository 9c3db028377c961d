"""What weir bundle replaces: users, directories, values of secret variables, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from weir.report.bundle.private import Replacements, replacements


def of(*users: str, path: str = "/scratch/weir-{user}/disk", **environment: str) -> Replacements:
    """For a study that alice measured on a target of this path."""
    planned = path.replace("{user}", "alice").replace("{root}", "/home/alice/weir")
    plan = {"site": {"targets": {"disk": {"path": planned}}, "stacks": {"one": {"environment": environment}}}}
    configuration = [{"target": "disk", "path": path}, {"suite": "quick"}]
    root = Path("/home/alice/weir")
    return replacements(plan, configuration, root, root / "results", Path("/home/alice"), users)


@pytest.mark.parametrize("path", ["/scratch/weir-{user}/disk", "{root}/of/{user}", "/a/{user}/b/{user}"])
def test_whoever_measured_is_replaced_when_somebody_else_bundles(path: str) -> None:
    found = of("bob", path=path).apply(b"/dev/shm/weir-alice/ime, by bob, for alice.")
    assert found == b"/dev/shm/weir-user/ime, by user, for user."


def test_a_user_without_a_name_leaves_the_numbers_alone(tmp_path: Path) -> None:
    assert of("1000").apply(b"1000 MiB/s in /tmp/weir-1000/x") == b"1000 MiB/s in /tmp/weir-user/x"
    assert of("root").apply(b"root rank, /tmp/weir-root/x") == b"root rank, /tmp/weir-user/x"


@pytest.mark.parametrize(
    "name", ["AWS_SECRET_ACCESS_KEY", "KEY_PASSPHRASE", "PROXY_AUTH", "FLEXLM_LICENSE_KEY"]
)
def test_a_secret_is_removed_wherever_it_is(name: str) -> None:
    assert of(**{name: "hunter2"}).apply(b"--key=hunter2") == b"--key={removed}"


@pytest.mark.parametrize(("name", "value"), [("USE_TOKEN", "true"), ("AUTHOR", "jane"), ("PATH", "/opt/x")])
def test_what_is_no_secret_stays(name: str, value: str) -> None:
    assert of(**{name: value}).apply(value.encode()) == value.encode()
