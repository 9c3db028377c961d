"""weir prove: what programs of every day really do to a mount, against what they were told to do."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from weir.commands.prove import EXIT_NOT_PROVEN
from weir.records.table import read_records
from weir.tools.witness import LIBRARY

pytestmark = pytest.mark.quick

MIB = 2**20
CLOSE = 0.01

Prove = Callable[..., dict[str, Any]]


@pytest.fixture
def prove(tmp_path: Path) -> Prove:
    """Runs a program in a folder of its own, counts what is below it, and returns what was seen."""
    if not LIBRARY.is_file():
        pytest.skip(f"{LIBRARY.name} is not built: make build")
    data = tmp_path / "data"
    data.mkdir()

    def run(*command: str, options: tuple[str, ...] = (), code: int = 0) -> dict[str, Any]:
        if not shutil.which(command[0]):
            pytest.skip(f"{command[0]} is missing")
        seen = tmp_path / "seen.json"
        whole = [
            sys.executable,
            "-m",
            "weir",
            "prove",
            "--on",
            str(data),
            "--json",
            str(seen),
            *options,
            "--",
        ]
        done = subprocess.run(
            [*whole, *command], cwd=data, check=False, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == code, done.stdout + done.stderr
        return dict(json.loads(seen.read_text())) | {"stdout": done.stdout, "stderr": done.stderr}

    return run


def counted(seen: dict[str, Any], name: str) -> int:
    return sum(phase[name] for mount in seen["mounts"] for phase in mount["phases"])


def near(seen: int, truth: int) -> bool:
    return abs(seen - truth) <= CLOSE * truth


def test_dd_wrote_and_synchronised_what_it_was_told(prove: Prove, tmp_path: Path) -> None:
    records = tmp_path / "records.csv"
    options = ("--records", str(records))
    seen = prove("dd", "if=/dev/zero", "of=f", "bs=1M", "count=20", "conv=fsync", options=options)
    assert counted(seen, "written_bytes") == counted(seen, "synced_bytes") == 20 * MIB
    (mount,) = [one for one in seen["mounts"] if one["phases"]]
    assert mount["syncs"]["fsync"] == 1
    if mount["counted"]:
        assert near(mount["whole"]["dirtied_bytes"], 20 * MIB)
    (record,) = read_records(records)
    assert (record["access"], record["moved_bytes"], record["sync"]) == ("write", 20 * MIB, True)
    assert record["verdict"] != "INVALID"
    assert "write      20 MiB" in seen["stderr"]


def test_processes_that_end_in_every_way_are_counted(prove: Prove) -> None:
    """A shell that redirects, a child that leaves by _exit, and one that another program replaces."""
    child = "import os; os.write(os.open('b', os.O_CREAT | os.O_WRONLY), bytes(3 << 20)); os._exit(0)"
    then = f"import os; f = open('c', 'wb'); f.write(bytes({MIB})); f.flush(); os.execvp('true', ['true'])"
    script = f"""
    dd if=/dev/zero bs=1M count=2 > a
    "{sys.executable}" -c "import os; pid = os.fork(); pid or exec(\\"{child}\\"); os.wait()"
    "{sys.executable}" -c "{then}"
    cp b d
    """
    seen = prove("sh", "-c", script)
    assert counted(seen, "written_bytes") == (2 + 3 + 1 + 3) * MIB
    assert counted(seen, "read_bytes") == 3 * MIB


def test_names_and_streams(prove: Prove) -> None:
    code = "import os\nfor i in range(50): open(str(i), 'w').close()\n"
    code += "for i in range(50): os.stat(str(i))\nfor i in range(50): os.unlink(str(i))"
    seen = prove(sys.executable, "-c", code)
    names = [phase["names"] for mount in seen["mounts"] for phase in mount["phases"]]
    assert [sum(one[kind] for one in names) for kind in ("create", "stat", "unlink")] == [50, 50, 50]
    streams = prove("awk", f'BEGIN {{ for (i = 0; i < {2 * MIB // 16}; i++) print "fifteen letters" > "f" }}')
    (mount,) = [one for one in streams["mounts"] if one["phases"]]
    assert near(counted(streams, "written_bytes") + mount["streamed"][1], 2 * MIB)


def test_turning_from_writing_to_reading_is_another_phase(prove: Prove) -> None:
    code = f"open('f', 'wb').write(bytes({4 * MIB})); open('f', 'rb').read()"
    seen = prove(sys.executable, "-c", code)
    assert [(one["access"], one["moved_bytes"]) for one in seen["records"]] == [
        ("write", 4 * MIB),
        ("read", 4 * MIB),
    ]
    read = seen["records"][1]
    if next(one for one in seen["mounts"] if one["phases"])["counted"]:
        assert "read-from-cache" in read["reasons"].split(";")


def test_the_exit_code_is_the_programs(prove: Prove) -> None:
    prove("sh", "-c", "exit 7", code=7)
    fails = ("--fail-on", "degraded")
    read_again = f"open('f', 'wb').write(bytes({4 * MIB})); open('f', 'rb').read()"
    seen = prove(sys.executable, "-c", "open('f', 'wb')", options=fails)
    assert seen["records"] == []
    (folder,) = {mount["point"] for mount in seen["mounts"]}
    if seen["mounts"][0]["counted"]:
        prove(sys.executable, "-c", read_again, options=fails, code=EXIT_NOT_PROVEN)
    assert folder


def test_a_program_that_cannot_be_seen_is_named(prove: Prove, tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("cc is not installed")
    source, program = tmp_path / "static.c", tmp_path / "static"
    source.write_text(
        "#include <fcntl.h>\n#include <unistd.h>\nstatic char b[1 << 20];\nint main(void) {"
        'int fd = open("f", O_CREAT | O_WRONLY, 0600);'
        "for (int i = 0; i < 8; i++) if (write(fd, b, sizeof b) != sizeof b) return 1;"
        "return fsync(fd) != 0; }"
    )
    built = subprocess.run(["cc", "-static", source, "-o", program], check=False, capture_output=True)
    if built.returncode != 0:
        pytest.skip("no static C library")
    seen = prove(str(program))
    assert counted(seen, "written_bytes") == 0
    assert any("no process of the program loaded the library" in text for text in seen["not_seen"])
    assert any("8 MiB written by calls, in processes that left no report" in one for one in seen["not_seen"])


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    def failed(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "weir", "prove", *arguments],
            check=False,
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
        return done.returncode, done.stderr

    assert failed()[0] == 2
    code, text = failed("--", "no-such-program", "x")
    assert (code, "no-such-program" in text) == (127, True)
    code, text = failed("--on", "nowhere", "--", "true")
    assert (code, "nowhere" in text) == (2, True)
