"""A checkout of its own for each test: the tree's files copied, the environment and the engine shared."""

import csv
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import copy_parts
from tests.programs import ran

ROOT = Path(__file__).resolve().parents[2]
# Files of a checkout of `tiny`: its site, its target and its suite.
SITE, TARGET = "config/sites/local/site.yaml", "config/sites/local/targets/ram.yaml"
SUITE = "config/suites/tiny.yaml"
PARTS = (
    "Snakefile",
    "analysis",
    "config",
    "envs",
    "profiles",
    "reference",
    "reframe_checks",
    "reports",
    "src",
    "weir",
    "workflow",
)


@dataclass(frozen=True)
class Checkout:
    """A copy of the tree that a test may change."""

    root: Path
    imported: Path | None = None  # the checkout whose weir is imported; by default this one

    def call(
        self, *arguments: str, environment: Mapping[str, str] | None = None, code: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        """A program, which ends with the exit code if one is given."""
        path = f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"
        clean = {
            name: value for name, value in os.environ.items() if not name.startswith(("WEIR_", "SNAKEMAKE"))
        }
        own = {"PATH": path, "PYTHONPATH": str(self.imported or self.root)}
        environment = {**clean, **own, **(environment or {})}
        return ran(arguments, cwd=self.root, env=environment, timeout=600, code=code)

    def weir(self, *arguments: str, code: int | None = None) -> subprocess.CompletedProcess[str]:
        return self.call("python", "-m", "weir", *arguments, code=code)

    def good(self, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
        """What weir prints when it succeeds."""
        return self.call("python", "-m", "weir", *arguments, environment=environment, code=0).stdout

    def measure(
        self, study: str, *chosen: str, environment: Mapping[str, str] | None = None
    ) -> list[dict[str, str]]:
        """Records of a study, which is planned, run and collected."""
        plan, results = f"{study}/plan.json", str(Path(study).parent)
        self.good("plan", *chosen, "--out", plan, environment=environment)
        self.good("run", "--plan", plan, "--results", results, environment=environment)
        return self.collect(f"{study}/records.csv", plan, results, environment)

    def collect(
        self,
        records: str,
        plan: str = "plan.json",
        results: str = "results/local",
        environment: Mapping[str, str] | None = None,
    ) -> list[dict[str, str]]:
        """The records of what was measured."""
        arguments = ("--plan", plan, "--results", results, "--out", records)
        self.good("collect", *arguments, environment=environment)
        with (self.root / records).open(newline="") as stream:
            return list(csv.DictReader(stream))

    def snakemake(self, *arguments: str, code: int | None = None) -> subprocess.CompletedProcess[str]:
        return self.call("snakemake", "--cores", "2", *arguments, code=code)

    def write(self, name: str, content: object) -> Path:
        """A text as it is, anything else as YAML; a script is a program."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)
        path.write_text(text)
        if text.startswith("#!"):
            path.chmod(0o755)
        return path

    def read(self, name: str) -> dict[str, Any]:
        """What a file of YAML holds."""
        return dict(yaml.safe_load((self.root / name).read_text()))

    @contextmanager
    def edited(self, name: str) -> Iterator[dict[str, Any]]:
        """The same, which is written when the block has changed it."""
        content = self.read(name)
        yield content
        self.write(name, content)

    def use(self, **programs: list[str]) -> None:
        """The programs of the only stack."""
        with self.edited(SITE) as site:
            site["stacks"]["debian"]["programs"] = programs


def copy_of_the_tree(folder: Path) -> Checkout:
    root = folder / "checkout"
    root.mkdir()
    copy_parts(PARTS, root)
    if (ROOT / "build").is_dir():
        (root / "build").symlink_to(ROOT / "build")
    return Checkout(root)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return copy_of_the_tree(tmp_path)


@pytest.fixture
def target_folder() -> Iterator[Path]:
    """A directory on tmpfs, outside of any home."""
    folder = Path(tempfile.mkdtemp(prefix="weir-test-", dir="/dev/shm"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def tiny(checkout: Checkout, target_folder: Path) -> Checkout:
    """A checkout whose only suite is done in seconds, on a target of its own."""
    tiny_configuration(checkout, target_folder)
    return checkout


def tiny_configuration(checkout: Checkout, target_folder: Path) -> None:
    chosen = {"site": "local", "suites": ["tiny"], "stacks": ["debian"]}
    checkout.write("config/config.yaml", chosen)
    sites = checkout.root / "config/sites"
    for site in sites.iterdir():
        if site.name != "local":
            shutil.rmtree(site)  # each start of ReFrame asks the programs of all sites
    for file in (sites / "local/targets").glob("*.yaml"):
        file.unlink()
    checkout.write(
        TARGET,
        {"target": "ram", "kind": "memory", "description": "tmpfs of a test", "path": str(target_folder)},
    )
    checkout.write(
        SUITE,
        {
            "suite": "tiny",
            "question": "Does the whole way work?",
            "experiments": {
                "one": {
                    "tool": "ior",
                    "nodes": [1],
                    "ppn": [2],
                    "space": {"xfer": ["16 KiB", "64 KiB"], "api": ["POSIX", "MPIIO"]},
                    "fixed": {"access": ["write", "read"], "block": "256 KiB", "sync": True},
                    "repetitions": {"rounds": 1, "iterations": 2},
                }
            },
        },
    )
