"""libweir-witness counts what a program did, passes it on, and names who else is in between."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.compiled import built, shared_library
from tests.programs import ran
from tests.witness.conftest import need_library
from tests.witness.watched import Watched
from weir.audit.rules.interposed import CLOCKS, MAPPINGS, NAMES, SYNCHRONISATION, TRANSFERS, does
from weir.witness.document import LIBRARY, WITNESS_FILE, gather_witness, preloadable
from weir.witness.facts import read_witness

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
BLOCK = 4096

Run = Callable[..., dict[str, Any]]


def build(target: Path, source: str | Path, *options: str) -> Path:
    return built(target, source, "-O2", "-D_GNU_SOURCE", "-pthread", *options)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_library()
    return Path(preloadable(LIBRARY, tmp_path_factory.mktemp("witness")))


@pytest.fixture(scope="session")
def actions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("actions") / "actions", HERE / "actions.c")


@pytest.fixture
def run(library: Path, actions: Path, tmp_path: Path) -> Run:
    """Runs the actions on a file under test and one elsewhere; what gather_witness() makes of it."""

    def act(*preloaded: Path, rank: int = 0) -> dict[str, Any]:
        watched = Watched(tmp_path)
        environment = watched.environment(":".join(str(path) for path in (*preloaded, library)), rank)
        subprocess.run([actions, watched.data / "file", tmp_path / "elsewhere"], check=True, env=environment)
        return watched.gathered()

    return act


def facts(outputs: Path) -> Mapping[str, Any]:
    return read_witness({"witness": outputs / WITNESS_FILE}).common()


def test_every_call_is_counted_once(run: Run, tmp_path: Path) -> None:
    document = run()
    (process,) = document["processes"]  # the child of fork had nothing to report
    file, missing = process["files"]
    assert file["path"] == str(tmp_path / "data/file")
    assert (file["writes"], file["written_bytes"]) == (4, 6 * BLOCK)
    assert (file["reads"], file["read_bytes"]) == (5, 7 * BLOCK)
    assert file["syncs"]["fsync"] == {"done": 1, "failed": 0}
    assert file["syncs"]["fdatasync"] == {"done": 1, "failed": 0}
    assert file["syncs"]["msync"] == {"done": 1, "failed": 0}  # of all of the mapping, and awaited
    assert (file["dontneed"], file["advises"], file["truncations"], file["mappings"]) == (1, 1, 1, 2)
    assert {"O_CREAT", "O_TRUNC"} <= set(file["flags"])
    assert (missing["opens"], missing["opens_failed"]) == (0, 1)
    assert process["rank"] == 0
    assert process["others"]["opens"] == 0


def test_the_output_is_as_its_schema_says(run: Run) -> None:
    schema = yaml.safe_load((ROOT / "config/schemas/witness.schema.yaml").read_text())
    jsonschema.Draft202012Validator(schema).validate(run())


def test_observers_are_there_when_the_library_looks(library: Path, actions: Path, tmp_path: Path) -> None:
    """The constructors of a library run in the order in which it was linked, but for those with a number."""
    if not Path("/dev/pts").is_mount():
        pytest.skip("/dev/pts is no file system of its own")
    environment = {"LD_PRELOAD": str(library), "WEIR_WITNESS": str(tmp_path / "witness")}
    environment |= {"WEIR_WITNESS_ROOT": "/dev/pts", "PMIX_RANK": "0"}
    subprocess.run([actions, tmp_path / "a", tmp_path / "b"], check=True, env={**os.environ, **environment})
    gather_witness(tmp_path)
    (process,) = json.loads((tmp_path / WITNESS_FILE).read_text())["processes"]
    assert [one["observer"] for one in process["observers"]] == ["ports"]


def test_direct_opens_are_asked_of_the_kernel(run: Run, tmp_path: Path) -> None:
    file = run()["processes"][0]["files"][0]
    try:
        os.close(os.open(tmp_path / "data/file", os.O_RDONLY | os.O_DIRECT))
        expected = 1
    except OSError:
        expected = 0
    assert file["direct_requested"] == file["direct_reported"] == file["direct_kernel"] == expected


def strangers(seen: Mapping[str, Any]) -> set[tuple[str, str, bool]]:
    """Calls that matter to a measurement and that another object provides."""
    kinds = (TRANSFERS, SYNCHRONISATION, CLOCKS, MAPPINGS, NAMES)
    return {
        (one["call"], Path(one["object"]).name, one["behind"])
        for one in seen["interposed"]
        if does(one["call"], kinds)
    }


def test_a_clean_process_has_nothing_in_between(run: Run, tmp_path: Path) -> None:
    run()
    assert strangers(facts(tmp_path / "outputs")) == set()


SHIM = """
int fsync(int fd) { (void)fd; return 0; }
int open(const char *path, int flags, int mode) {
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    return next(path, flags & ~O_DIRECT, mode);
}
"""


def test_a_library_that_drops_synchronisation_and_flags_is_seen(run: Run, tmp_path: Path) -> None:
    text = f"#include <dlfcn.h>\n#define open other\n#include <fcntl.h>\n#undef open\n{SHIM}"
    shim = shared_library(tmp_path / "libshim.so", text, "-D_GNU_SOURCE")
    file = run(shim)["processes"][0]["files"][0]
    assert file["syncs"]["fsync"] == {"done": 0, "failed": 0}
    assert file["direct_requested"] == 0
    assert strangers(facts(tmp_path / "outputs")) == {
        ("fsync", "libshim.so", False),
        ("open", "libshim.so", False),
    }


def test_a_library_is_seen_whatever_it_is_called_and_wherever_it_stands(
    library: Path, tmp_path: Path
) -> None:
    """Linked to the program it stands behind the witness: what the witness counts may go nowhere."""
    text = "int rmdir(const char *path) { (void)path; return 0; }"
    mine = shared_library(tmp_path / "libmpi-open.so", text)
    text = "#include <unistd.h>\nint main(int c, char **v) { return rmdir(v[c - 1]); }"
    program = build(tmp_path / "program", text)
    behind = build(tmp_path / "behind", text, str(mine), f"-Wl,-rpath,{tmp_path}")
    for start, preload, expected in (
        (program, f"{mine}:{library}", ("rmdir", "libmpi-open.so", False)),
        (behind, str(library), ("rmdir", "libmpi-open.so", True)),
    ):
        seen = run_once([start, tmp_path / "data/a"], tmp_path, preload)
        assert strangers(seen) == {expected}
        assert process_of(tmp_path)["names"]["rmdir"] == int(expected[2])


def run_once(arguments: Sequence[Path | str], folder: Path, preload: str) -> Mapping[str, Any]:
    """What the witness saw of a program; folder/data is under test."""
    watched = Watched(folder)
    subprocess.run([*map(str, arguments)], check=True, env=watched.environment(preload))
    watched.gathered()
    return facts(watched.outputs)


def process_of(folder: Path) -> Mapping[str, Any]:
    (process,) = json.loads((folder / "outputs" / WITNESS_FILE).read_text())["processes"]
    assert isinstance(process, dict)
    return process


NAMES_PROGRAM = """
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int c, char **v) {
    char path[4096];
    struct stat facts;
    for (int phase = 0; c > 1 && phase < 4; phase++) {
        for (int i = 0; i < 100; i++) {
            snprintf(path, sizeof path, "%s/%d", v[1], i);
            int status = phase == 0   ? mkdir(path, 0700)
                         : phase == 1 ? stat(path, &facts)
                         : phase == 2 ? lstat(path, &facts)
                                      : rmdir(path);
            if (status != 0) return 1;
        }
    }
    return mkdir("/proc/none", 0700) == 0 || chdir(v[1]) != 0 || mkdir("a", 0700) != 0 ||
           unlink("a") == 0 || rmdir("a") != 0;
}
"""


def test_operations_on_names_are_counted_and_their_effect_is_looked_up(library: Path, tmp_path: Path) -> None:
    names = build(tmp_path / "names", NAMES_PROGRAM)
    run_once([names, tmp_path / "data"], tmp_path, str(library))
    process = process_of(tmp_path)
    expected = {"create": 0, "open": 0, "mkdir": 101, "stat": 200, "rename": 0, "unlink": 0, "rmdir": 101}
    assert process["names"] == expected
    turns = [(one["kind"], one["operations"], one["sampled"], one["there"]) for one in process["turns"]]
    assert turns[:3] == [("mkdir", 100, 16, 16), ("stat", 200, 0, 0), ("rmdir", 100, 16, 0)]
    assert [one[:2] for one in turns[3:]] == [("mkdir", 1), ("unlink", 0), ("rmdir", 1)]
    assert all(one["span"]["ended_ns"] >= one["span"]["transfers_end_ns"] for one in process["turns"])
    schema = yaml.safe_load((ROOT / "config/schemas/witness.schema.yaml").read_text())
    jsonschema.Draft202012Validator(schema).validate({"schema": 1, "processes": [process]})


def test_a_kernel_that_does_nothing_is_seen(library: Path, tmp_path: Path) -> None:
    """A filter of system calls answers mkdir and rmdir with success: all calls were made, without effect."""
    names = build(
        tmp_path / "names",
        "#include <sys/stat.h>\n#include <unistd.h>\n#include <stdio.h>\n"
        "int main(int c, char **v) { char path[4096]; for (int i = 0; c > 1 && i < 20; i++) {"
        'snprintf(path, sizeof path, "%s/%d", v[1], i); if (mkdir(path, 0700) != 0) return 1; } return 0; }',
    )
    faults = ROOT / "tests/zoo/faults.c"
    filtered = build(tmp_path / "filter", faults, "-DFILTER", "-DFILTERED=SYS_mkdir")
    run_once([filtered, names, tmp_path / "data"], tmp_path, str(library))
    processes = json.loads((tmp_path / "outputs" / WITNESS_FILE).read_text())["processes"]
    process = next(one for one in processes if one["turns"])
    assert [(one["kind"], one["sampled"], one["there"]) for one in process["turns"]] == [("mkdir", 16, 0)]


def test_facts_are_sums_over_the_ranks(run: Run, tmp_path: Path) -> None:
    run(rank=0)
    one = facts(tmp_path / "outputs")["witness"]
    both = run(rank=0)["processes"] + run(rank=1)["processes"]
    (tmp_path / "outputs" / WITNESS_FILE).write_text(json.dumps({"schema": 1, "processes": both}))
    two = facts(tmp_path / "outputs")["witness"]
    assert one["written_bytes"] == 6 * BLOCK
    assert one["syncs"] == 3
    assert two["ranks"] == 2
    assert all(two[name] == 2 * value for name, value in one.items())


def test_many_files_share_one_record(library: Path, tmp_path: Path) -> None:
    many = build(
        tmp_path / "many",
        "#include <fcntl.h>\n#include <stdio.h>\n#include <unistd.h>\n"
        "int main(int c, char **v) { char p[4096];"
        'for (int i = 0; c && i < 100; i++) { snprintf(p, sizeof p, "%s/%d", v[1], i);'
        "int fd = open(p, O_CREAT | O_WRONLY, 0600); if (write(fd, p, 10) != 10) return 1;"
        "close(fd); } return 0; }",
    )
    watched = Watched(tmp_path)
    subprocess.run([many, watched.data], check=True, env=watched.environment(str(library), rank=None))
    process = watched.process()
    assert len(process["files"]) == 64
    assert (process["other_opens"], process["others"]["opens"], process["others"]["written_bytes"]) == (
        36,
        36,
        360,
    )
    seen = facts(watched.outputs)["witness"]
    assert (seen["opens"], seen["written_bytes"], seen["ranks"]) == (100, 1000, 0)


def test_threads_lose_no_count(library: Path, tmp_path: Path) -> None:
    threads = build(
        tmp_path / "threads",
        "#include <fcntl.h>\n#include <pthread.h>\n#include <unistd.h>\n"
        "static int fd; static void *go(void *u) {"
        'for (int i = 0; i < 20000; i++) { if (pwrite(fd, "x", 1, 0) != 1) _exit(1); } return u; }'
        "int main(int c, char **v) { pthread_t t[4]; fd = open(v[c - 1], O_CREAT | O_WRONLY, 0600);"
        "for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, go, 0);"
        "for (int i = 0; i < 4; i++) pthread_join(t[i], 0); return 0; }",
    )
    watched = Watched(tmp_path)
    environment = watched.environment(str(library), rank=None)
    subprocess.run([threads, watched.data / "a"], check=True, env=environment)
    watched.gathered()
    assert facts(watched.outputs)["witness"]["written_bytes"] == 80_000


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 1, "processes": [{"files": 3}]}', "no json"])
def test_what_the_library_did_not_write_is_no_evidence(text: str, tmp_path: Path) -> None:
    (tmp_path / WITNESS_FILE).write_text(text)
    assert facts(tmp_path) == {}


def test_every_name_of_a_transfer_is_counted() -> None:
    """The C library has many, and a program is linked to the one that its compiler chose."""
    if not shutil.which("nm") or not LIBRARY.is_file():
        pytest.skip("nm or the library is missing")

    def names(library: str) -> set[str]:
        listed = ran(["nm", "-D", library], check=True)
        lines = [line.split() for line in listed.stdout.splitlines() if " U " not in line]
        return {line[-1].partition("@")[0] for line in lines}

    maps = Path("/proc/self/maps").read_text()
    libc = next(line.split()[-1] for line in maps.splitlines() if "/libc.so" in line)
    pattern = re.compile(r"p?(read|write)v?(64)?(v?2)?|__p?read(64)?_chk")
    transfers = {name for name in names(libc) if pattern.fullmatch(name)}
    assert len(transfers) > 12
    assert transfers <= names(str(LIBRARY))
