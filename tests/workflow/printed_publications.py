"""The reproduced publications as PDF: those of the archive, and a small ime-paper as it would be measured."""

from pathlib import Path

import pytest

from tests.made_once import made_once
from tests.workflow.conftest import Checkout, copy_of_the_tree
from tests.workflow.report_study import (
    ROOT,
    Printed,
    Record,
    draw,
    facts_of,
    print_study,
    record,
    run,
    write_study,
)

ARCHIVE = "reference/ddn-lustre-2018.csv"
STUDY = "results/archive/ddn-lustre-2018"
TERMINAL = "printed.txt"  # in the checkout: what the workflow wrote to it

# What one program alone has, and no point of the study differs in.
DEFAULTS = {
    "iodepth": 1, "rate": 0, "rw_mix": 0, "zipf": 0, "distribution": "blocks", "file_view": False,
    "compress_percent": 0, "dedupe_percent": 0,
}  # fmt: skip
DEGRADED = {"verdict": "DEGRADED", "reasons": "sync-not-applied", "evidence": "no fsync"}


def measured_rows() -> list[Record]:
    """A small ime-paper: an emulated burst buffer by both interfaces, and the file system behind it, in three
    rounds; of the mount two rounds are degraded."""
    apis = {"buffer": "IME", "mount": "POSIX", "backing": "POSIX", "disk": "POSIX"}
    return [
        record(
            access, 100.0 * (2 if api == "IME" else 1) * (1 + xfer / 2**20) + round, api=api, target=target,
            xfer_bytes=xfer, order=order, ppn=ppn, run=round, emulated=target != "disk", suite="ime-paper",
            cell=f"{target}-{xfer}-{order}-{ppn}", experiment="bandwidth", purpose="bandwidth",
            **(DEGRADED if target == "mount" and round else {}), **(DEFAULTS if api == "POSIX" else {}),
        )
        for target, api in apis.items()
        for xfer in (2**14, 2**20)
        for order in ("sequential", "random")
        for ppn in (1, 2)
        for round in range(3)
        for access in ("write", "read")
    ]  # fmt: skip


def measured_facts(rows: list[Record]) -> dict[str, object]:
    kinds = {"buffer": "burst-buffer", "mount": "burst-buffer-fuse", "backing": "disk", "disk": "disk"}
    suite = {
        "suite": "ime-paper",
        "scale": "quick",
        "question": "Is it faster?",
        "description": "",
        "claims": ["ime-paper"],
    }
    targets = [
        {"target": name, "kind": kind, "description": "", "emulated": name != "disk", "file_system": "ext4"}
        for name, kind in kinds.items()
    ]
    return facts_of(rows, suites=[suite], targets=targets)


def printed_by_the_workflow(folders: pytest.TempPathFactory) -> Checkout:
    """A checkout in which the archive of 2018 was printed: that takes longest of all publications."""
    return Checkout(made_once(folders, "archive", _print_the_archive) / "checkout")


def _print_the_archive(folder: Path) -> None:
    checkout = copy_of_the_tree(folder)
    done = checkout.snakemake("paper", "--config", f"records={ARCHIVE}", code=0)
    checkout.write(TERMINAL, done.stdout)


def printed_archive(checkout: Checkout) -> Printed:
    folder = checkout.root / STUDY
    return Printed(folder, (folder / "logs/print.log").read_text())


def printed(folder: Path, name: str) -> Printed:
    """The study is drawn and printed in the folder, without Snakemake."""
    if name == "ime-paper":
        rows = measured_rows()
        write_study(folder, rows, measured_facts(rows))
    else:
        archive = "import", f"reference/{name}.csv", "--facts", f"reference/{name}.yaml"
        run(ROOT / ".venv/bin/weir", *archive, "--out", folder / "records.csv", code=0)
    draw(folder)
    return Printed(folder, print_study(folder, name, code=0).stdout)
