"""What tests plan with: a checkout with a tool that needs no program, and the shipped configuration."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.plan.config import Config, load_config
from weir.records.model import Cell, Footprint, Parsed, Target
from weir.tools.base import Parameter, RunPaths, Tool

ROOT = Path(__file__).resolve().parents[1]
# Sites with the targets and stacks that come with weir; no test looks at what a user adds to config/.
SHIPPED_SITES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "centre-template": (
        ("beegfs", "cephfs", "daos-dfuse", "glusterfs", "gpfs", "nfs", "nvme"),
        ("intel-mpi", "cray-mpich"),
    ),
    "cluster-lab": (("cephfs", "glusterfs", "moosefs"), ("debian",)),
    "ime-template": (("backing", "ime-fuse", "ime-native"), ("mpich-ime",)),
    "local": (("backing", "disk", "ime-fuse", "ime-native", "memory", "memory-pool"), ("debian",)),
    "lustre-template": (("scratch",), ("openmpi",)),
    "sandbox": (("disk", "memory"), ("debian",)),
    "storage-lab": (
        ("cephfs", "glusterfs", "glusterfs-dispersed", "moosefs", "nfs3", "nfs4", "nfs4-async"),
        ("debian",),
    ),
    "stacks": (("ime", "memory"), ("debian", "container", "spack-openmpi", "spack-mpich", "spack-mpich-ime")),
}
SHIPPED_SUITES = (
    *("burst-buffer", "ime-paper", "io500", "layers", "metadata", "mistral", "nersc-ior"),
    *("netcdf-features", "nodes", "queue-depth", "quick", "stack-cost"),
)
SITE = """\
site: here
description: A site for tests
partitions:
  node: {nodes: 2, cores_per_node: 4, launcher: mpirun, scheduler: local, launch: 1 s, stacks: [plain]}
stacks:
  plain:
    programs:
      fake: ["{root}/bin/fake"]
"""
TARGET = """\
target: disk
kind: disk
description: A directory
path: /scratch/weir-{user}
apis: [POSIX, MPIIO]
space: 1 GiB
expect: {write: 100 MiB/s, read: 200 MiB/s}
"""
SUITE = """\
suite: mine
question: How fast is it?
experiments:
  sizes:
    tool: fake
    nodes: [1]
    ppn: [1, 2]
    space:
      api: [POSIX, MPIIO]
      xfer: [16 KiB, 1 MiB]
    fixed:
      block: "= 4 * xfer"
    repetitions: {rounds: 2, iterations: 3}
"""


class FakeTool(Tool):
    """Writes and reads `block` bytes a rank; refuses blocks that the transfer does not divide."""

    name = "fake"
    purpose = "bandwidth"
    parameters: Mapping[str, Parameter] = {
        "api": Parameter("choice", "Interface.", "POSIX", ("POSIX", "MPIIO", "IME")),
        "xfer": Parameter("size", "Bytes of a call.", "1 MiB", minimum=1),
        "block": Parameter("size", "Bytes of a rank.", "16 MiB", minimum=1),
        "access": Parameter("choices", "What is timed.", ("write", "read"), ("write", "read")),
        "sync": Parameter("flag", "Synchronise.", True),
        "collective": Parameter("flag", "Collective calls.", False),
        "stripe_count": Parameter("count", "Stripes of the file.", 0),
        "stonewall": Parameter("seconds", "Stop after.", 0.0),
        "geometry": Parameter("text", "Shape.", ""),
        "hints": Parameter("hints", "Hints.", {}),
    }

    def label(self, params: Mapping[str, Any]) -> str:
        return f"{params['api']} {params['xfer_bytes']}"

    def problems(self, cell: Cell, target: Target) -> Sequence[str]:
        found = []
        if cell.params["block_bytes"] % cell.params["xfer_bytes"]:
            found.append("the block is not a multiple of the transfer")
        if cell.params["api"] == "IME" and target.prefix != "ime://":
            found.append(f"target {target.name} has no prefix ime://")
        return found

    def command(self, cell: Cell, target: Target, program: Sequence[str], paths: RunPaths) -> list[str]:
        return [*program, paths.data]

    def footprint(self, cell: Cell) -> Footprint:
        size_bytes = cell.ranks * cell.params["block_bytes"]
        moved_bytes = size_bytes * cell.iterations
        return Footprint(
            moved_bytes, moved_bytes, size_bytes, 1, 2 * moved_bytes // cell.params["xfer_bytes"]
        )

    def parse(self, outputs: Mapping[str, Path]) -> Parsed:
        raise NotImplementedError("nothing here runs the fake tool")


TOOLS: Mapping[str, Tool] = {"fake": FakeTool()}


def plain_cell(cell: str = "0123456789ab", **known: Any) -> Cell:
    """One of IOR on one node with one process; known: in what it differs."""
    usual = {
        **{"label": "this one", "suite": "quick", "experiment": "test", "tool": "ior", "site": "local"},
        **{"target": "disk", "stack": "debian", "partition": "here", "nodes": 1, "ppn": 1, "rounds": 1},
        **{"iterations": 1, "timeout_s": 60.0, "params": {}},
    }
    return Cell(cell, **usual | known)


def shipped(site: str, suites: Sequence[str], **overrides: Any) -> Config:
    """The shipped configuration with its own targets and stacks, whatever stands beside them."""
    targets, stacks = SHIPPED_SITES[site]
    chosen = {"site": site, "suites": list(suites), "targets": list(targets), "stacks": list(stacks)}
    return load_config(root=ROOT, overrides={**chosen, **overrides}, environment={})


def copy_shipped_config(folder: Path) -> None:
    """config/ as it is shipped: suites, sites and targets that a user added stay behind."""
    shutil.copytree(ROOT / "config", folder / "config")
    config = folder / "config"
    added = [file for file in (config / "suites").iterdir() if file.stem not in SHIPPED_SUITES]
    for site in (config / "sites").iterdir():
        if site.name not in SHIPPED_SITES:
            shutil.rmtree(site)
            continue
        known = SHIPPED_SITES[site.name][0]
        added += [file for file in (site / "targets").iterdir() if file.stem not in known]
    for file in added:
        file.unlink()
    (config / "config.yaml").write_text("site: local\nsuites: [quick]\ntargets: []\n")


def copy_parts(parts: Sequence[str], folder: Path) -> None:
    """Files and folders of this tree that it has; config/ is as it is shipped."""
    for part in parts:
        source = ROOT / part
        if part == "config":
            copy_shipped_config(folder)
        elif source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", ".snakemake")
            shutil.copytree(source, folder / part, symlinks=True, ignore=ignored)
        elif source.is_file():
            shutil.copy(source, folder / part)


def link_checkout(folder: Path) -> None:
    """What weir report reads of a checkout, as links to this one."""
    for part in ("config", "reports", "Snakefile"):
        (folder / part).symlink_to(ROOT / part)


def make_checkout(
    folder: Path,
    suites: Mapping[str, str] | None = None,
    site: str = SITE,
    targets: Mapping[str, str] | None = None,
    config: str = "site: here\nsuites: [mine]\n",
) -> Path:
    """Write the files of a checkout; the schemas are those of weir."""
    here = folder / "config" / "sites" / "here"
    (here / "targets").mkdir(parents=True, exist_ok=True)
    (folder / "config" / "suites").mkdir(exist_ok=True)
    (folder / "config" / "config.yaml").write_text(config)
    (here / "site.yaml").write_text(site)
    for name, text in ({"disk": TARGET} if targets is None else targets).items():
        (here / "targets" / f"{name}.yaml").write_text(text)
    for name, text in ({"mine": SUITE} if suites is None else suites).items():
        (folder / "config" / "suites" / f"{name}.yaml").write_text(text)
    return folder


def load(root: Path, **overrides: Any) -> Config:
    """The checkout's configuration with the fake tool, whatever the environment has."""
    return load_config(root=root, overrides=overrides, environment={}, tools=TOOLS)
