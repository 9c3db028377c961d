"""The committed locks fit spack.yaml, and are of no machine."""

import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import weir
from tests.programs import ran
from tests.stacks.conftest import ROOT

BEGIN = f"{weir.__version__}-"
LOCKS = {
    file.stem.removeprefix(BEGIN): file
    for file in sorted((ROOT / "envs" / "spack" / "locks").glob(f"{BEGIN}*.lock"))
}
LOCK = LOCKS["x86_64_v3"]
ENVIRONMENT = yaml.safe_load((ROOT / "spack.yaml").read_text())["spack"]


@pytest.fixture(scope="module", params=LOCKS)
def target(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def lock(target: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(LOCKS[target].read_text())
    return found


def roots() -> Iterator[tuple[str, ...]]:
    """The terms of each root of spack.yaml, its matrices multiplied out."""
    lists = {name: value for one in ENVIRONMENT["definitions"] for name, value in one.items()}
    for entry in ENVIRONMENT["specs"]:
        columns = []
        for references in entry["matrix"]:
            column = []
            for reference in references:
                depends = "^" if reference.startswith("$^") else ""
                column += [f"{depends}{spec}" for spec in lists[reference.lstrip("$^")]]
            columns.append(column)
        yield from itertools.product(*columns)


def arguments(spec: str) -> frozenset[str]:
    """Names, variants and versions of a spec, whatever blanks stand between them."""
    spaced = re.sub(r"([+~^@])", r" \1", spec).replace("^ ", "^")
    return frozenset(word for word in spaced.split() if word)


def test_its_roots_are_those_of_the_environment(lock: dict[str, Any]) -> None:
    wanted = {arguments(" ".join(root)) for root in roots()}
    assert {arguments(root["spec"]) for root in lock["roots"]} == wanted
    assert len(wanted) == 20


def test_it_names_no_directory_of_a_machine(target: str, lock: dict[str, Any]) -> None:
    paths = set(re.findall(r'"(/[^"]*)"', LOCKS[target].read_text()))
    assert {path for path in paths if not path.startswith("/usr")} == set()
    externals = {node["name"] for node in lock["concrete_specs"].values() if node.get("external")}
    assert externals <= {"gcc", "glibc"}, "everything but the compiler is built"


def test_it_is_of_a_family_of_processors(target: str, lock: dict[str, Any]) -> None:
    architectures = {tuple(sorted(node["arch"].items())) for node in lock["concrete_specs"].values()}
    assert architectures == {(("platform", "linux"), ("platform_os", "debian12"), ("target", target))}


def test_what_it_builds_of_weir_has_one_commit_of_this_history(lock: dict[str, Any]) -> None:
    nodes = [node for node in lock["concrete_specs"].values() if node["namespace"].startswith("weir")]
    assert {"mpich", "openmpi", "ior", "parallel-netcdf", "weir-io", "ime-emulator"} == {
        node["name"] for node in nodes
    }
    # Each of the last commit that changed it.
    found = {(node["name"], node["parameters"]["commit"]) for node in nodes if "commit" in node["parameters"]}
    assert sorted(name for name, _ in found) == ["ime-emulator", "weir-io"]
    assert all(re.fullmatch("[0-9a-f]{40}", commit) for _, commit in found)
    if not shutil.which("git") or git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        pytest.skip("no git checkout, or one without its history: the commit cannot be looked up")
    for _, commit in found:
        assert git("merge-base", "--is-ancestor", commit, "HEAD").returncode == 0


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return ran(["git", "-C", ROOT, *arguments])


def built(lock: Path, commit: str, name: str = "weir-io") -> str:
    node = {"name": name, "namespace": "weir", "parameters": {"commit": commit}}
    lock.write_text(json.dumps({"concrete_specs": {"a": node}}))
    done = ran([ROOT / "envs/spack/built.sh", lock], code=0)
    assert f"{name} is built from commit {commit}" in done.stderr
    return done.stderr


def test_what_is_built_is_compared_with_what_is_checked_out(tmp_path: Path) -> None:
    """Another commit with the same files needs no warning."""
    if git("rev-parse", "--verify", "HEAD~1").returncode:
        pytest.skip("no git checkout with a history")
    same = git("log", "-1", "--format=%H", "--", "CMakeLists.txt", "src").stdout.strip()
    assert "warning: src/ of HEAD" not in built(tmp_path / "spack.lock", same)
    of_ime = git("log", "-1", "--format=%H", "--", "src/ime").stdout.strip()
    assert "warning: src/ of HEAD" not in built(tmp_path / "spack.lock", of_ime, "ime-emulator")
    warned = built(tmp_path / "spack.lock", "0" * 40)
    assert "src/ of HEAD is not known to be what is built of weir-io" in warned
    assert "replaces spack.lock" in warned
