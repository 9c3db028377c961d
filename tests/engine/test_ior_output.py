"""What weir-io ior prints is what IOR prints, for people and for the parsers of other projects."""

import csv
import fcntl
import io
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.engine.runs import ROOT, Done, Engine
from weir.tools.ior import TOOL

SHAPE = ["-w", "-r", "-e", "-t", "64k", "-b", "256k", "-i", "2"]
NUMBER = r"[0-9]+\.[0-9]+"


def as_json(engine: Engine, *arguments: object, ranks: int = 1) -> tuple[Done, dict[str, Any]]:
    done = engine.call(["ior", *SHAPE, "-o", "data", *arguments, "-O", "summaryFormat=JSON"], ranks)
    assert done.code == 0, done.err
    return done, json.loads(done.out)


def keys(document: dict[str, Any]) -> dict[str, list[str]]:
    """Of each part of IOR's JSON, in order; of lists, those of the first."""
    [test] = document["tests"]
    parts = {"head": document, "test": test, "result": test["Results"][0], "summary": document["summary"][0]}
    return {name: list(part) for name, part in {**parts, **test}.items() if isinstance(part, dict)}


def test_json_has_the_keys_of_ior(engine: Engine) -> None:
    captured = (ROOT / "tests/golden/ior/ior-summaryfile.json").read_text().split("\n", 1)[1]
    _, document = as_json(engine)
    assert keys(document) == keys(json.loads(captured))
    parameters = document["tests"][0]["Parameters"]
    assert (parameters["transferSize"], parameters["blockSize"], parameters["repetitions"]) == (
        65536,
        262144,
        2,
    )


def test_json_has_ior_s_further_keys_where_ior_has_them(engine: Engine) -> None:
    options = ["-v", "-C", "-A", "7", "-D", "5", "-O", "stoneWallingWearOut=1"]
    _, document = as_json(engine, *options, ranks=2)
    [test] = document["tests"]
    named = {"task offset": 1, "stonewallingTime": 5, "stoneWallingWearOut": 1, "verbose": 1}
    assert {name: test["Options"][name] for name in named} == named
    assert [result["access"] for result in test["Results"]] == 2 * ["write", "read", "remove"]
    assert list(test["max"]) == ["writeMiB", "writeMB", "readMiB", "readMB"]
    assert test["max"]["writeMB"] == pytest.approx(test["max"]["writeMiB"] * 1.048576)
    for line in document["summary"]:
        assert line["ReferenceNumber"] == 7
        assert {"StoneWallTime", "StoneWallbwMeanMIB"} <= set(line)


def test_a_parser_that_takes_the_first_write_of_the_first_test(engine: Engine) -> None:
    """As IOPS does: tests[0].Results, the first of them whose access is write, all its keys."""
    summary = engine.folder / "out.json"
    done = engine.call(["ior", *SHAPE, "-o", "data", "-O", f"summaryFormat=JSON,summaryFile={summary}"])
    assert done.out == f"Writing output to {summary}\n"
    results = json.loads(summary.read_text()).get("tests", [])[0].get("Results", [])
    write = next(result for result in results if str(result.get("access", "")).lower() == "write")
    times = ("openTime", "wrRdTime", "closeTime", "totalTime")
    assert all(write[name] >= 0 for name in ("bwMiB", "iops", "latency", *times))
    assert (write["blockKiB"], write["xferKiB"]) == (256, 64)
    assert write["bwMiB"] == pytest.approx(0.25 / write["totalTime"])


def ramble_rows(text: str) -> list[dict[str, str]]:
    """By Ramble's expression for a row of an iteration: the block is a whole number, others have a point."""
    names = ["bw", "IOPS", "latency", "block", "xfer", "open", "wrrd", "close", "total", "iter"]
    forms = {"block": "[0-9]+", "iter": "[0-9]+"}
    columns = "".join(rf"\s+(?P<{name}>{forms.get(name, NUMBER)})" for name in names)
    expression = re.compile(f"(?P<access>(read|write)){columns}\\s*$")
    return [found.groupdict() for line in text.splitlines() if (found := expression.search(line))]


def ramble_summary(text: str) -> list[list[str]]:
    """By Ramble's expression for a line of the summary: nine numbers, two texts, twelve counts and more."""
    numbers, texts, counts = 9 * rf"\s+{NUMBER}", 2 * r"\s+\w+", 12 * r"\s+[0-9]+"
    expression = re.compile(rf"(read|write){numbers}{texts}{counts}\s+{NUMBER}\s+\w+\s+[0-9]+")
    return [found[0].split() for line in text.splitlines() if (found := expression.search(line))]


def test_the_table_is_read_by_the_expressions_of_ramble(engine: Engine) -> None:
    """It wants a block without a point and rates with one, so a slow storage and blocks of 4 MiB."""
    slow = ["-w", "-r", "-t", "64k", "-b", "4m", "-i", "2", "-a", "NULL", "--null.delay-us=2000"]
    done = engine.call(["ior", *slow])
    rows = ramble_rows(done.out)
    assert [(row["access"], row["iter"]) for row in rows] == [
        (access, iteration) for iteration in "01" for access in ("write", "read")
    ]
    assert {(row["block"], row["xfer"]) for row in rows} == {("4096", "64.00")}
    lines = ramble_summary(done.out)
    assert [line[0] for line in lines] == ["write", "read"]
    assert {tuple(line[12:17]) for line in lines} == {("0", "1", "1", "2", "0")}


def test_the_table_is_read_by_the_expressions_of_ior_parser(engine: Engine) -> None:
    done = engine.call(["ior", *SHAPE, "-o", "data"])
    for name in ("Began", "Command line", "Machine", "TestID", "StartTime", "Path", "FS", "Finished"):
        assert re.search(rf"{name}\s*:\s*(.+)", done.out), name
    inodes = r"Inodes:\s*\d+\.?\d*\s*Mi\s+Used Inodes:\s*\d+\.?\d*%"
    assert re.search(rf"\d+\.?\d*\s*[TG]iB\s+Used FS:\s*\d+\.?\d*%\s+{inodes}", done.out)
    options = re.search(r"Options:\s*\n(.*?)(?=\nResults:|\Z)", done.out, re.DOTALL)
    assert options
    lines = [line.partition(":") for line in options[1].splitlines()]
    pairs = {key.strip(): value.strip() for key, _, value in lines}
    assert (pairs["api"], pairs["xfersize"], pairs["blocksize"]) == ("POSIX", "65536 bytes", "262144 bytes")
    summary = re.search(r"Summary of all tests:\s*\n(.*?)(?=\nFinished|\Z)", done.out, re.DOTALL)
    assert summary
    rows = [line.split() for line in summary[1].splitlines() if line.startswith(("write", "read"))]
    assert [len(row) >= 23 for row in rows] == [True, True]
    assert all(float(number) >= 0 for row in rows for number in row[1:10])


def test_csv_is_ior_s(engine: Engine) -> None:
    captured = (ROOT / "tests/golden/ior/ior-posix-shared.csv").read_text().splitlines()
    head = next(line for line in captured if line.startswith("access,"))
    done = engine.call(["ior", *SHAPE, "-o", "data", "-O", "summaryFormat=CSV"])
    assert done.out.splitlines()[0] == head
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [(row["access"], row["iter"], row["numTasks"]) for row in rows] == [
        (access, iteration, "1") for iteration in "01" for access in ("write", "read")
    ]


def test_warnings_do_not_spoil_what_a_program_reads(engine: Engine) -> None:
    """IOR prints them into its JSON; with a file for the results they are on stdout, as in IOR."""
    walled = ["-w", "-a", "NULL", "--null.delay-us=20000", "-t", "8", "-b", "8000", "-D", "0.1"]
    arguments = ["ior", *walled, "-O", "stoneWallingWearOut=1,summaryFormat=JSON"]
    done = engine.call(arguments)
    assert json.loads(done.out)["tests"][0]["Results"][0]["access"] == "write"
    assert "WARNING: Maybe caused by deadlineForStonewalling" in done.err
    filed = engine.call([*arguments, "-O", "summaryFile=out.json"])
    assert "WARNING: Maybe caused by deadlineForStonewalling" in filed.out
    assert json.loads((engine.folder / "out.json").read_text())["summary"]


def test_a_run_that_fails_leaves_json_too(engine: Engine) -> None:
    arguments = ["ior", "-a", "NULL", "-w", "-r", "--null.fail=close", "-O", "summaryFormat=JSON"]
    done = engine.call(arguments)
    assert done.code == 1
    document = json.loads(done.out)
    assert (document["tests"][0]["Results"], document["summary"]) == ([], [])


def writes_of(engine: Engine, stream: str, *arguments: str) -> list[bytes]:
    """What weir-io writes to stdout or stderr, write by write."""
    reader, writer = os.pipe2(os.O_DIRECT | os.O_CLOEXEC)  # each read is one write
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 2**20)
    streams: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: writer}
    subprocess.run([str(engine.program), *arguments], cwd=engine.folder, timeout=60, check=False, **streams)
    os.close(writer)
    writes = []
    while text := os.read(reader, 65536):
        writes.append(text)
    os.close(reader)
    return writes


@pytest.mark.parametrize("form", ["default", "CSV", "JSON"])
def test_every_write_ends_with_a_line(engine: Engine, form: str) -> None:
    """mpirun of Open MPI 5 gives the beginning of a line to the standard error, if that has a line then."""
    options = ["-D", "5", "-O", "stoneWallingWearOut=1", "-O", f"summaryFormat={form}", "-o", "data"]
    writes = writes_of(engine, "stdout", "ior", *SHAPE, *options)
    assert len(writes) > 1
    assert [text for text in writes if not text.endswith(b"\n")] == []


def test_a_message_is_one_write(engine: Engine) -> None:
    """The same mpirun gives the beginning of a message to the standard output."""
    (engine.folder / "data").write_bytes(b"x")
    wrong = ["-r", "-t", "16k", "-b", "1m", "-z", "-z", "-o", "./" * 60 + "data"]
    messages = [text for text in writes_of(engine, "stderr", "ior", *wrong) if b"weir-io" in text]
    assert [text.count(b"reads blocks of") for text in messages] == [1]
    assert len(messages[0]) > 128
    assert messages[0].endswith(b"\n")


def test_weir_reads_both_of_its_files(engine: Engine, tmp_path: Path) -> None:
    """Its own document has what a record needs; IOR's JSON is a run of weir-io with IOR's columns."""
    own, theirs = tmp_path / "own.json", tmp_path / "theirs.json"
    arguments = ["ior", *SHAPE, "-o", "data", f"--json={own}"]
    assert engine.call([*arguments, "-O", f"summaryFile={theirs},summaryFormat=JSON"]).code == 0
    first, second = (TOOL.parse({"summary": file}) for file in (own, theirs))
    assert len(first.rows) == len(second.rows) == 4
    for a, b in zip(first.rows, second.rows, strict=True):
        assert a["bw_mib_s"] == pytest.approx(b["bw_mib_s"])
        assert (a["access"], a["xfer_bytes"], a["block_bytes"]) == (
            b["access"],
            b["xfer_bytes"],
            b["block_bytes"],
        )
    assert (first.program, first.tool_version) == (second.program, second.tool_version)
    assert second.complete


@pytest.mark.parametrize("form", ["default", "JSON", "CSV"])
def test_results_without_room_are_a_failure(engine: Engine, form: str) -> None:
    full = Path("/dev/full")
    if not full.is_char_device():
        pytest.skip(f"{full} is missing")
    done = engine.call(["ior", "-a", "NULL", "-o", "x", "-O", f"summaryFile={full},summaryFormat={form}"])
    assert done.code == 1
    assert "the summary file is not whole" in done.err
