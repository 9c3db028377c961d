"""DLIO: counters that were recorded beside a summary, set against the samples of each epoch."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.programs import write_file
from tests.unit.imported import rows_of
from weir.collect.imported_files import Facts
from weir.collect.importing import Source, import_files, import_sources
from weir.records.model import Row

GOLDEN = Path(__file__).resolve().parents[2] / "golden/dlio/training.json"
SAMPLES_MIB = 2.0
EPOCHS = {  # as DLIO writes them: two seconds each
    str(number): {
        "start": f"2026-11-25T09:02:{10 * number}.000000",
        "block1": {
            "start": f"2026-11-25T09:02:{10 * number}.000000",
            "end": f"2026-11-25T09:02:{10 * number + 2}.000000",
        },
        "end": f"2026-11-25T09:02:{10 * number + 2}.100000",
    }
    for number in (1, 2, 3)
}
RATES = {11: 1.0, 12: 1.0, 21: 0.0, 22: 0.1}  # MiB a second; the third epoch has far more
STAMPS = ("2026-11-25T09:02:{:02d}+0000", "2026-11-25T10:02:{:02d}+0100", "11/25/26 09:02:{:02d}")


def iostat(stamp: str, host: str = "vm") -> dict[str, Any]:
    """As iostat of sysstat 12.6 has it; a layer above a disk counts its bytes again."""
    reports = [
        {
            "timestamp": stamp.format(second),
            "disk": [
                {"disk_device": "vda", "rMB/s": RATES.get(second, 9.0)},
                {"disk_device": "dm-0", "rMB/s": RATES.get(second, 9.0)},
            ],
        }
        for second in range(5, 40)
    ]
    return {"sysstat": {"hosts": [{"nodename": host, "statistics": reports}]}}


def sar() -> dict[str, Any]:
    reports = [
        {
            "timestamp": {"date": "2026-11-25", "time": f"09:02:{second:02d}", "utc": 1, "interval": 1},
            "network": {"net-dev": [{"iface": "eth0", "rxkB": RATES.get(second, 9.0) * 1024}]},
        }
        for second in range(5, 40)
    ]
    return {"sysstat": {"hosts": [{"nodename": "vm", "statistics": reports}]}}


def epochs_of(folder: Path, **documents: object) -> list[Row]:
    (folder / "summary.json").write_text(GOLDEN.read_text())
    for name, document in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(document, indent=1))
    rows = import_files([folder / "summary.json"], Facts()).rows
    return [row for row in rows if row["experiment"] == "train"]


@pytest.mark.parametrize(
    "counters", [*({"iostat": iostat(stamp)} for stamp in STAMPS), {"sar_vm": sar()}], ids=[*STAMPS, "sar"]
)
def test_each_epoch_has_what_disks_or_networks_gave(tmp_path: Path, counters: dict[str, Any]) -> None:
    rows = epochs_of(tmp_path, per_epoch_stats=EPOCHS, **counters)
    given = [row["fetched_bytes"] / 2**20 for row in rows]
    assert given == pytest.approx([2.0, 0.1, 18.0], abs=0.01)
    assert {row["moved_bytes"] for row in rows} == {SAMPLES_MIB * 2**20}
    first, from_memory, more = rows
    assert "read-from-cache" in first["checked"].split(";")
    assert (from_memory["verdict"], "read-from-cache" in from_memory["reasons"]) == ("DEGRADED", True)
    assert more["verdict"] == "UNPROVEN"  # other users, or read-ahead: nobody knows


@pytest.mark.parametrize(
    ("documents", "why"),
    [
        ({"per_epoch_stats": EPOCHS}, "counters were recorded on 0 of 1 hosts"),
        (
            {"per_epoch_stats": EPOCHS, "iostat": iostat("2026-11-25T23:02:{:02d}+0000")},
            "the counters of vm do not cover the epoch",
        ),
        ({"iostat": iostat(STAMPS[0])}, ""),
    ],
)
def test_without_them_an_epoch_is_never_proven(tmp_path: Path, documents: dict[str, Any], why: str) -> None:
    first, later, _ = epochs_of(tmp_path, **documents)
    assert (first["fetched_bytes"], first["verdict"]) == (None, "UNPROVEN")
    assert (later["verdict"], "epoch-from-memory" in later["reasons"]) == ("DEGRADED", True)
    assert why in later["evidence"]


@pytest.mark.parametrize("first", [("model", "start"), ("num_accelerators", "hostname")])
def test_summaries_of_the_first_round_of_mlperf_storage(tmp_path: Path, first: tuple[str, ...]) -> None:
    summary = json.loads(GOLDEN.read_text()) | {"model": "unet3d"}
    for later in ("num_hosts", "host_memory_GB", "potential_caching"):
        summary.pop(later, None)
    rest = {name: value for name, value in summary.items() if name not in first and name != "model"}
    rows = rows_of(tmp_path, json.dumps({name: summary[name] for name in first} | rest, indent=4))
    epochs = [row for row in rows if row["experiment"] == "train"]
    assert [row["ops_s"] for row in epochs] == summary["metric"]["train_throughput_samples_per_second"]
    assert {(row["nn"], row["verdict"]) for row in epochs} == {(None, "UNPROVEN")}


@pytest.mark.parametrize(
    ("sample_mib", "busy", "samples_s", "verdict"),
    [
        (140.0, 11.0, 1.2, "UNPROVEN"),  # 168 MiB/s, and the accelerators waited
        (140.0, 91.0, 1.2, "DEGRADED"),  # they set the rate themselves
        (140.0, 11.0, 3.6, "DEGRADED"),  # as quick as one reader from memory
        (0.004, 11.0, 190.0, "DEGRADED"),  # small samples take the time of their calls
    ],
)
def test_an_epoch_slower_than_memory_is_not_suspected(
    tmp_path: Path, sample_mib: float, busy: float, samples_s: float, verdict: str
) -> None:
    """As from an object store, at the same rate in every epoch."""
    summary = json.loads(GOLDEN.read_text()) | {"host_memory_GB": [100]}
    summary["metric"] |= {
        "train_au_percentage": [busy] * 3,
        "train_throughput_samples_per_second": [samples_s] * 3,
        "train_throughput_mean_samples_per_second": samples_s,
        "train_io_mean_MB_per_second": samples_s * sample_mib,
    }
    rows = rows_of(tmp_path, json.dumps(summary, indent=4))
    assert [row["verdict"] for row in rows if row["experiment"] == "train"] == ["UNPROVEN", verdict, verdict]


def test_the_log_of_a_run_with_a_summary_is_not_refused(tmp_path: Path) -> None:
    """A submission has what DLIO printed beside its summary: weir import ended with 1."""
    printed = "[INFO] Running DLIO with 2 process(es) [/opt/dlio_benchmark/dlio_benchmark/main.py:100]\n"
    logs = [tmp_path / name / "log.txt" for name in ("whole", "cut")]
    for log in logs:
        write_file(log, printed)
    summary = tmp_path / "whole" / "summary.json"
    summary.write_text(GOLDEN.read_text())
    imported = import_sources([Source(file, is_found=True) for file in (*logs, summary)], Facts())
    assert imported.rows
    assert imported.without_results == {
        logs[0]: "what dlio printed of a run with a summary.json",
        logs[1]: "output of dlio",
    }
    assert imported.refused == 1
