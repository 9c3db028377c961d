"""The document has the layout of its schema, and its numbers fit each other."""

import os
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.engine.runs import ROOT, Engine, argv

pytestmark = pytest.mark.quick

SCHEMA = yaml.safe_load((ROOT / "config/schemas/engine.schema.yaml").read_text())
SHAPE = ["-b", "64k", "-t", "8k", "-o", "data"]


def assert_valid(document: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    errors = [
        f"{'/'.join(map(str, e.path))}: {e.message}"
        for e in Draft202012Validator(SCHEMA).iter_errors(document)
    ]
    assert errors == []


RUNS = [
    ["-a", "POSIX", "-w", "-W", "-r", "-R", "-e", "-g", "-i", "2", *SHAPE],
    ["-a", "MPIIO", "-c", "-F", *SHAPE],
    ["-a", "NULL", "-D", "0.01", "-O", "stoneWallingWearOut=1", *SHAPE],
    ["-a", "NULL", "-w", "--null.eio-at=2", *SHAPE],
    ["-w", "-o", "absent/data"],
    ["-r", "-R", "-G", "3", "-b", "8k", "-t", "8k", "-o", "wrong"],
]


@pytest.mark.parametrize(
    "arguments",
    [pytest.param(arguments, marks=pytest.mark.slow if i % 3 else ()) for i, arguments in enumerate(RUNS)],
)
def test_documents_are_valid(engine: Engine, arguments: list[str]) -> None:
    (engine.folder / "wrong").write_bytes(bytes(8192))
    assert_valid(engine.run(*arguments).document)


@pytest.mark.slow
def test_numbers_fit_each_other(engine: Engine) -> None:
    done = engine.good("-w", "-r", "-e", "-g", "-i", 2, *SHAPE, ranks=2)
    assert_valid(done.document)
    assert [(r["access"], r["iteration"]) for r in done.document["results"]] == [
        ("write", 0),
        ("read", 0),
        ("write", 1),
        ("read", 1),
    ]
    for result in done.document["results"]:
        assert result["moved_bytes"] == result["requested_bytes"] == result["file_bytes"] == 131072
        assert result["operations"] == result["latency"]["count"] == 16
        assert result["open_s"] + result["io_s"] + result["close_s"] <= result["total_s"]
        assert result["sync_s"] <= result["io_s"]
        assert (result["sync_s"] > 0) == (result["access"] == "write")
        assert result["observed"]["sync_calls"] == (2 if result["access"] == "write" else 0)
        assert result["bw_mib_s"] * result["total_s"] == pytest.approx(131072 / 2**20)
        assert result["ops_s"] * result["io_s"] == pytest.approx(16)
        for step in ("open_s", "io_s", "sync_s", "close_s"):
            assert 0 <= result["rank_extremes"][step]["min"] <= result["rank_extremes"][step]["max"]
            assert result["rank_extremes"][step]["max"] <= result[step] + 1e-12
        assert_latency(result["latency"])


def assert_latency(latency: dict[str, Any]) -> None:
    """Quantiles come from the buckets, with an error of at most 1 %."""
    ordered = [latency[key] for key in ("min_us", "p50_us", "p90_us", "p99_us", "p999_us", "max_us")]
    assert ordered == sorted(ordered)
    assert latency["min_us"] <= latency["mean_us"] <= latency["max_us"]
    uppers = [upper for upper, _ in latency["buckets"]]
    assert uppers == sorted(set(uppers))
    assert sum(count for _, count in latency["buckets"]) == latency["count"]
    assert uppers[-1] == pytest.approx(latency["max_us"], rel=0.01)
    low = sum(min(upper, latency["max_us"]) * count for upper, count in latency["buckets"])
    assert low / latency["count"] == pytest.approx(latency["mean_us"], rel=0.01)


@pytest.mark.slow
def test_delays_are_seen_where_they_are(engine: Engine) -> None:
    """The null back end takes at least 2 ms for each transfer, and 20 ms for open, sync and close."""
    arguments = ["-a", "NULL", "-w", "-e", "--null.delay-us=2000", "--null.step-delay-us=20000", *SHAPE]
    result = engine.good(*arguments).result("write")
    assert result["open_s"] >= 0.02
    assert result["sync_s"] >= 0.02
    assert result["close_s"] >= 0.02
    assert result["io_s"] >= 8 * 0.002 + 0.02
    assert result["latency"]["min_us"] >= 2000
    assert result["total_s"] >= result["open_s"] + result["io_s"] + result["close_s"]


@pytest.mark.slow
def test_the_command_line_and_moments(engine: Engine) -> None:
    before = time.time()
    document = engine.good("-w", *SHAPE).document
    assert document["command_line"][1:4] == ["ior", "-w", "-b"]
    began, ended = (datetime.fromisoformat(document[key]).timestamp() for key in ("began", "ended"))
    assert before - 1 <= began <= ended <= time.time() + 1
    assert sum(document["job"]["ranks_per_host"]) == document["job"]["tasks"] == 1
    assert len(document["job"]["hosts"]) == document["job"]["nodes"] == 1


@pytest.mark.slow
def test_what_was_requested(engine: Engine) -> None:
    arguments = argv("-a MPIIO -w -F -z -s 3 -i 2 -D 1.5 -e -g -Z -k")
    requested = engine.good(*arguments, *SHAPE).document["requested"]
    expected = {
        "api": "MPIIO",
        "layout": "file-per-process",
        "order": "random",
        "xfer_bytes": 8192,
        "block_bytes": 65536,
        "segments": 3,
        "iterations": 2,
        "stonewall_s": 1.5,
        "wear_out": False,
        "sync": True,
        "collective": False,
        "direct": False,
        "barriers": True,
        "reorder": "random",
        "verify_write": False,
        "verify_read": False,
        "keep": True,
        "test_file": "data",
        "access": ["write"],
        "hints": {},
    }
    assert {key: requested[key] for key in expected} == expected


@pytest.mark.slow
def test_flags_on_the_descriptor(engine: Engine) -> None:
    done = engine.good("-w", "-r", *SHAPE)
    assert done.result("write")["observed"]["open_flags"] == ["O_RDWR"]
    assert done.result("read")["observed"]["open_flags"] == ["O_RDONLY"]
    done = engine.run("--posix.odirect", "-w", "-W", "-r", "-R", *SHAPE)
    if done.code != 0 and "Invalid argument" in done.complaints[0]:
        pytest.skip(f"no O_DIRECT on the file system of {engine.folder}")
    for access in ("write", "read"):
        assert "O_DIRECT" in done.result(access)["observed"]["open_flags"]
        assert done.result(access)["observed"]["direct"] is True


@pytest.mark.slow
def test_flags_and_hints_under_mpi_io(engine: Engine) -> None:
    # ROMIO of Open MPI 5 ignores the hints that MPI_File_open is given.
    hints = {"IOR_HINT__MPI__cb_buffer_size": "4194304", "OMPI_MCA_io": "ompio"}
    done = engine.good("-a", "MPIIO", "-w", "-c", *SHAPE, ranks=2, environment=hints)
    assert done.document["requested"]["hints"] == {"cb_buffer_size": "4194304"}
    observed = done.result("write")["observed"]
    assert observed["hints"]["cb_buffer_size"] == "4194304"
    assert observed["open_flags"][0] in ("O_WRONLY", "O_RDWR")


@pytest.mark.slow
def test_hints_from_a_file(engine: Engine) -> None:
    (engine.folder / "hints").write_text("# two\nIOR_HINT__MPI__cb_nodes = 1\nIOR_HINT__MPI__other=x\n")
    requested = engine.good("-a", "MPIIO", "-w", "-U", "hints", *SHAPE).document["requested"]
    assert requested["hints"] == {"cb_nodes": "1", "other": "x"}
    (engine.folder / "hints").write_text("cb_nodes=1\n")
    done = engine.call(["ior", "-a", "MPIIO", "-w", "-U", "hints", *SHAPE])
    assert done.code == 2
    assert "hints, line 1: 'cb_nodes=1'" in done.complaints[0]


@pytest.mark.slow
def test_a_path_that_is_no_text_leaves_a_valid_document(engine: Engine, tmp_path: Path) -> None:
    name = b'quote"back\\slash\ttab\xff'.decode(errors="surrogateescape")
    done = engine.good("-w", "-k", "-b", "8k", "-t", "8k", "-o", name)
    assert done.document["requested"]["test_file"] == 'quote"back\\slash\ttab�'
    assert (tmp_path / name).stat().st_size == 8192


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_what_is_no_file_keeps_its_name(engine: Engine, tmp_path: Path, kind: str) -> None:
    """A document of root replaced /dev/stdout, and one in place of a directory was lost after the run."""
    name = tmp_path / "there"
    if kind == "link":
        name.symlink_to("/dev/null")
    elif kind == "folder":
        name.mkdir()
    else:
        os.mkfifo(name)
    before = name.lstat()
    done = engine.call(["ior", "-a", "NULL", "-o", "x", f"--json={name}"])
    assert (done.code, name.lstat()) == (2, before)
    assert f"cannot write the summary file {name}: something else than a file" in done.err


def test_the_table_is_that_of_ior(engine: Engine) -> None:
    """Header and rows as IOR 4 prints them; the numbers are those of the document, rounded."""
    done = engine.good("-w", "-r", *SHAPE)
    lines = done.out.splitlines()
    header = next(line for line in lines if line.startswith("access    bw"))
    names = "access bw(MiB/s) IOPS Latency(s) block(KiB) xfer(KiB) open(s) wr/rd(s) close(s) total(s) iter"
    assert " ".join(header.split()) == names
    rows = [
        line.split() for line in lines if line.startswith(("write ", "read ")) and len(line.split()) == 11
    ]
    assert [row[0] for row in rows] == ["write", "read"]
    for row, result in zip(rows, done.document["results"], strict=True):
        assert row[4:6] == ["64.00", "8.00"]
        assert float(row[7]) == pytest.approx(result["io_s"], abs=1e-6)
        assert float(row[9]) == pytest.approx(result["total_s"], abs=1e-6)
        assert float(row[1]) == pytest.approx(result["bw_mib_s"], rel=0.01, abs=1)
    assert any(line.startswith("Summary of all tests:") for line in lines)
