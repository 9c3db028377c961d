"""weir prove: what programs of every day really do to a mount, against what they were told to do."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.needs import USER_NAMESPACE, need, user_mount_namespaces
from tests.programs import ran
from tests.witness.conftest import MIB, Prove, counted, near, need_library, need_programs
from weir.audit.explain import hint_of
from weir.audit.registry import rules
from weir.collect.table import read_records
from weir.commands.prove import EXIT_NOT_PROVEN
from weir.decide.history.store import add_campaign
from weir.prove.reports import prove_variables, read_reports
from weir.prove.start import watchers
from weir.witness.document import LIBRARY


def test_dd_wrote_and_synchronised_what_it_was_told(prove: Prove, tmp_path: Path) -> None:
    records = tmp_path / "records.csv"
    options = ("--records", str(records))
    seen = prove("dd", "if=/dev/zero", "of=f", "bs=1M", "count=20", "conv=fsync", options=options)
    assert counted(seen, "written_bytes") == counted(seen, "synced_bytes") == 20 * MIB
    (mount,) = [one for one in seen["mounts"] if one["phases"]]
    assert mount["syncs"]["fsync"] == 1
    if mount["counted"]:
        assert near(mount["whole"]["dirtied_bytes"], 20 * MIB)
    *phases, claim = read_records(records)
    assert sum(record["moved_bytes"] for record in phases) == claim["moved_bytes"] == 20 * MIB
    assert {(record["access"], record["sync"]) for record in phases} == {("write", True)}
    assert add_campaign(tmp_path / "history", records).is_dir()
    assert "requested  read 0 B in 0 calls; write 20 MiB" in seen["stderr"]


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


def test_descriptors_of_every_origin_are_counted(prove: Prove) -> None:
    """Of mkstemp, which opens the file within the C library, and of a socket that brought them."""
    code = f"""
import ctypes, os, socket
made = ctypes.CDLL(None).mkstemp(ctypes.create_string_buffer(b"tXXXXXX"))
os.write(made, bytes({2 * MIB}))
os.fsync(made)
ends = socket.socketpair()
if os.fork() == 0:
    _, (brought,), _, _ = socket.recv_fds(ends[0], 1, 1)
    os.write(brought, bytes({3 * MIB}))
    os.fsync(brought)
    os._exit(0)
socket.send_fds(ends[1], [b"x"], [os.open("f", os.O_CREAT | os.O_WRONLY)])
os.wait()
"""
    seen = prove(sys.executable, "-c", code)
    assert counted(seen, "written_bytes") == counted(seen, "synced_bytes") == 5 * MIB


def test_o_direct_is_what_the_kernel_has_at_the_transfer(prove: Prove) -> None:
    """MySQL sets it by fcntl, and dd takes it away for a last part."""
    code = f"""
import fcntl, mmap, os
page = mmap.mmap(-1, {MIB})
def write(flags, then, times):
    fd = os.open("f", os.O_CREAT | os.O_WRONLY | flags)
    fcntl.fcntl(fd, fcntl.F_SETFL, then)
    for _ in range(times):
        os.write(fd, page)
try:
    write(0, os.O_DIRECT, 1)
    write(os.O_DIRECT, 0, 2)
except OSError:
    print("no O_DIRECT")
"""
    seen = prove(sys.executable, "-c", code)
    if "no O_DIRECT" in seen["stdout"]:
        pytest.skip("the file system has no O_DIRECT")
    assert (counted(seen, "direct_written_bytes"), counted(seen, "written_bytes")) == (MIB, 3 * MIB)
    (mount,) = [one for one in seen["mounts"] if one["phases"]]
    assert (mount["counts"]["direct_requested"], mount["counts"]["direct_kernel"]) == (2, 2)


@pytest.mark.parametrize(("bound", "below"), [("on", ""), (".", "on/"), ("on/inner", "")])
def test_a_container_has_the_directory_by_another_path(
    prove: Prove, tmp_path: Path, bound: str, below: str
) -> None:
    """What is bound into it is that directory, one above it, or one in it; another one does not count."""
    inner, point = tmp_path / "on/inner", tmp_path / "point"
    inner.mkdir(parents=True)
    point.mkdir()
    need(user_mount_namespaces)
    script = f"mount --bind '{tmp_path}/{bound}' '{point}'"
    for count, file in ((3, f"{point}/{below}f"), (2, f"{tmp_path}/f")):
        script += f" && dd if=/dev/zero of='{file}' bs=1M count={count}"
    seen = prove(*USER_NAMESPACE, "sh", "-c", script, options=("--on", str(tmp_path / "on")))
    assert seen["exit_code"] == 0
    assert counted(seen, "written_bytes") == 3 * MIB


def test_apptainer_binds_what_a_program_needs_to_be_seen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    need_library()
    monkeypatch.setenv("APPTAINER_BIND", "/scratch:/data")
    bound = prove_variables(tmp_path, None, "")["APPTAINER_BIND"]
    assert bound == f"/scratch:/data,{LIBRARY},{tmp_path}"


@pytest.mark.parametrize("name", ["with a space", "a:colon"])
def test_a_library_in_any_directory_is_preloaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    """The loader splits its list there."""
    need_library()
    (tmp_path / name).mkdir()
    shutil.copy(LIBRARY, tmp_path / name)
    monkeypatch.setattr("weir.prove.reports.LIBRARY", tmp_path / name / LIBRARY.name)
    for _ in range(2):
        variables = prove_variables(tmp_path, None, "")
    done = ran(["true"], env=variables, check=True)
    assert done.stderr == ""
    assert len(read_reports(tmp_path)[0]) == 1


def test_little_is_told_without_a_verdict(prove: Prove) -> None:
    seen = prove("dd", "if=/dev/zero", "of=f", "bs=1k", "count=100")
    told = "read 0 B in 0 calls; write 100 KiB in 100 calls; a verdict takes 1 MiB"
    assert re.search(rf"^/\S* \(.*\): {told}$", seen["stderr"], re.MULTILINE)
    assert "no file of any mount" not in seen["stderr"]
    assert "no file of any mount was read or written by calls that were seen" in prove("true")["stderr"]


def test_a_watcher_counts_its_mount_alone(tmp_path: Path) -> None:
    """What cat itself opens, such as its locale, is on another mount, which another watcher may have left."""
    if not LIBRARY.is_file() or not Path("/dev/shm").is_mount():
        pytest.skip("needs the library (make build) and /dev/shm")
    with watchers(prove_variables(tmp_path, None, ""), [Path("/dev/shm"), tmp_path]):
        pass
    processes, _ = read_reports(tmp_path)
    assert [mount["watched"] for one in processes for mount in one["mounts"]] == [True, True]


def test_names_and_streams(prove: Prove) -> None:
    code = "import os\nfor i in range(50): open(str(i), 'w').close()\n"
    code += "for i in range(50): os.stat(str(i))\nfor i in range(50): os.unlink(str(i))"
    seen = prove(sys.executable, "-P", "-c", code)  # or Python 3.13 looks at this directory itself
    names = [phase["names"] for mount in seen["mounts"] for phase in mount["phases"]]
    assert [sum(one[kind] for one in names) for kind in ("create", "stat", "unlink")] == [50, 50, 50]
    assert re.search(r"^  time .* s in calls \(name [0-9.]+ s\)$", seen["stderr"], re.MULTILINE)
    streams = prove("awk", f'BEGIN {{ for (i = 0; i < {2 * MIB // 16}; i++) print "fifteen letters" > "f" }}')
    (mount,) = [one for one in streams["mounts"] if one["phases"]]
    assert near(counted(streams, "written_bytes") + mount["streamed"][1], 2 * MIB)


def test_turning_from_writing_to_reading_is_another_phase(prove: Prove) -> None:
    code = f"open('f', 'wb').write(bytes({4 * MIB})); open('f', 'rb').read()"
    seen = prove(sys.executable, "-c", code)
    by_access = {"write": 0, "read": 0}
    for one in seen["records"]:
        by_access[one["access"]] += one["moved_bytes"]
    assert by_access == {"write": 4 * MIB, "read": 4 * MIB}
    assert all(0 in (one["read_bytes"], one["written_bytes"]) for one in seen["mounts"][0]["phases"])
    assert re.match(r"weir prove: [0-2] of 2 phases VALID", seen["stderr"])
    read = seen["records"][-1]
    if next(one for one in seen["mounts"] if one["phases"])["counted"]:
        assert "read-from-cache" in read["reasons"].split(";")
        hint = hint_of(rules()["read-from-cache"], of_log=True)
        assert f"hint: read-from-cache: {hint}" in seen["stderr"].splitlines()


def test_reads_and_writes_of_one_phase_have_ends_of_their_own(prove: Prove) -> None:
    """Through one descriptor, as elbencho does it."""
    code = f"import os; f = os.open('f', os.O_CREAT | os.O_RDWR); os.write(f, bytes({4 * MIB})); os.fsync(f)"
    seen = prove(sys.executable, "-c", f"{code}; os.pread(f, {4 * MIB}, 0)")
    (phase,) = [one for mount in seen["mounts"] for one in mount["phases"]]
    ends = phase["ends_ns"]
    assert ends["write"][0] < ends["write"][1] <= ends["sync"][0] < ends["sync"][1] <= ends["read"][0]
    assert "name" not in ends


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
    need_programs("cc")
    source, program = tmp_path / "static.c", tmp_path / "static"
    source.write_text(
        "#include <fcntl.h>\n#include <unistd.h>\nstatic char b[1 << 20];\nint main(void) {"
        'int fd = open("f", O_CREAT | O_WRONLY, 0600);'
        "for (int i = 0; i < 8; i++) if (write(fd, b, sizeof b) != sizeof b) return 1;"
        "return fsync(fd) != 0; }"
    )
    built = ran(["cc", "-static", source, "-o", program])
    if built.returncode != 0:
        pytest.skip("no static C library")
    options = ("--fail-on", "unproven", "--expect", "write 900 GiB/s")
    seen = prove(str(program), options=options, code=EXIT_NOT_PROVEN)
    assert "claimed by --expect: write 922,000 MiB/s: UNPROVEN, no call" in seen["stderr"]
    assert counted(seen, "written_bytes") == 0
    assert any("no process of the program left a report" in text for text in seen["not_seen"])
    assert any("8 MiB written by calls, in processes that left no report" in one for one in seen["not_seen"])
    (mount,) = seen["mounts"]
    if mount["device"] is not None:
        assert mount["whole"]["device"][1] >= 8 * MIB
        assert "requested  not seen" in seen["stderr"]


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    def failed(*arguments: str) -> tuple[int, str]:
        done = ran([sys.executable, "-m", "weir", "prove", *arguments], cwd=tmp_path)
        return done.returncode, done.stderr

    assert failed()[0] == 2
    code, text = failed("--", "no-such-program", "x")
    assert (code, "no-such-program" in text) == (127, True)
    code, text = failed("--on", "nowhere", "--", "true")
    assert (code, "nowhere" in text) == (2, True)


@pytest.mark.parametrize("ignored", [False, True])
def test_a_daemon_is_no_forger(prove: Prove, ignored: bool) -> None:
    """Its parent has ended, or does not wait for it."""
    code = "import os, signal\n"
    code += "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n" * ignored
    code += (
        "read, write = os.pipe()\nif os.fork():\n    os.close(write)\n    os.read(read, 1)\n    os._exit(0)\n"
    )
    code += "if not os.fork():\n    f = os.open('f', os.O_CREAT | os.O_WRONLY)\n"
    code += f"    os.write(f, bytes({8 * MIB}))\n    os.fsync(f)\n"
    seen = prove(sys.executable, "-c", code)
    assert counted(seen, "written_bytes") == 8 * MIB
    assert not any("nothing is believed" in text for text in seen["not_seen"])
    assert any("nobody waits for them" in text for text in seen["not_seen"]) is ignored


def test_what_a_program_did_before_it_became_a_daemon_counts(prove: Prove) -> None:
    """The C library ends the first process by a call of its own."""
    code = f"""
import ctypes, os
def write(name):
    f = os.open(name, os.O_CREAT | os.O_WRONLY)
    os.write(f, bytes({MIB}))
write("before")
ctypes.CDLL(None).daemon(1, 1)
write("after")
"""
    assert counted(prove(sys.executable, "-c", code), "written_bytes") == 2 * MIB


def test_a_child_begins_at_its_own_counts(prove: Prove, tmp_path: Path) -> None:
    """What its parent moved before it, elsewhere on the disk, is not taken from the child's."""
    code = f"""
import os
def write(name):
    f = os.open(name, os.O_CREAT | os.O_WRONLY)
    os.write(f, bytes({8 * MIB})), os.fsync(f)
write({str(tmp_path / "elsewhere")!r})
os.stat("."), os.open("empty", os.O_CREAT | os.O_WRONLY)
if os.fork():
    os.wait()
else:
    write("f")
"""
    seen = prove(sys.executable, "-P", "-c", code)  # or Python 3.13 looks at this directory first
    (mount,) = [one for one in seen["mounts"] if one["phases"]]
    assert counted(seen, "written_bytes") == 8 * MIB
    if mount["counted"]:
        assert near(mount["whole"]["dirtied_bytes"], 8 * MIB)


def test_calls_with_flags_and_splices_are_counted(prove: Prove) -> None:
    code = f"""
import os
f, (read, write) = os.open("f", os.O_CREAT | os.O_RDWR), os.pipe()
os.pwritev(f, [bytes({4 * MIB})], 0, os.RWF_HIPRI)
os.preadv(f, [bytearray({2 * MIB})], 0, os.RWF_HIPRI)
for at in range(128):
    os.write(write, bytes(65536))
    os.splice(read, f, 65536)
os.fsync(f)
"""
    seen = prove(sys.executable, "-c", code)
    assert counted(seen, "written_bytes") == 12 * MIB
    assert counted(seen, "read_bytes") == 2 * MIB
    assert not any("nothing is believed" in text for text in seen["not_seen"])


def test_a_number_that_was_closed_with_others_is_of_what_has_it_next(prove: Prove) -> None:
    """A pipe has it here, as in a program that closes all that it inherited."""
    code = (
        f"import os; f = os.open('f', os.O_RDWR | os.O_CREAT); os.write(f, bytes({MIB}));"
        " os.closerange(3, 99999); ends = os.pipe(); assert f in ends; os.write(ends[1], bytes(4096));"
        f" os.read(ends[0], {MIB})"
    )
    seen = prove(sys.executable, "-c", code)
    assert (counted(seen, "written_bytes"), counted(seen, "read_bytes")) == (MIB, 0), seen["stderr"]
