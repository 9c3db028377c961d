"""libweir-witness counts what a program did, passes it on, and names who else is in between."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from weir.tools.witness import WITNESS_FILE, gather_witness
from weir.tools.witness_facts import read_witness

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
BLOCK = 4096

Run = Callable[..., dict[str, Any]]


def build(folder: Path, name: str, *sources: Path, options: tuple[str, ...] = ()) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("cc is not installed")
    target = folder / name
    arguments = ["cc", "-O2", "-D_GNU_SOURCE", *options, *sources, "-o", target, "-ldl", "-pthread"]
    subprocess.run(arguments, check=True)
    return target


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    core = ROOT / "src/engine/core"
    shared = (core / f"{name}.c" for name in ("device", "llite", "medium", "osc", "process_io", "reducible"))
    sources = (*sorted((ROOT / "src/witness").glob("*.c")), *shared)
    folder = tmp_path_factory.mktemp("witness")
    options = ("-shared", "-fPIC", "-Wall", "-Werror", f"-I{core}")
    return build(folder, "libweir-witness.so", *sources, options=options)


@pytest.fixture(scope="session")
def actions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("actions"), "actions", HERE / "actions.c")


@pytest.fixture
def run(library: Path, actions: Path, tmp_path: Path) -> Run:
    """Runs the actions on a file under test and one elsewhere; what gather_witness() makes of it."""

    def act(*preloaded: Path, rank: int = 0, outputs: Path = tmp_path / "outputs") -> dict[str, Any]:
        data = tmp_path / "data"
        for folder in (outputs, data):
            folder.mkdir(exist_ok=True)
        environment = {
            **os.environ,
            "LD_PRELOAD": ":".join(str(path) for path in (*preloaded, library)),
            "WEIR_WITNESS": str(outputs / "witness"),
            "WEIR_WITNESS_ROOT": str(data),
            "PMIX_RANK": str(rank),
        }
        subprocess.run([actions, data / "file", tmp_path / "elsewhere"], check=True, env=environment)
        gather_witness(outputs)
        document = json.loads((outputs / WITNESS_FILE).read_text())
        assert isinstance(document, dict)
        return document

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
    assert (file["dontneed"], file["advises"], file["truncations"], file["mappings"]) == (1, 1, 1, 1)
    assert {"O_CREAT", "O_TRUNC"} <= set(file["flags"])
    assert (missing["opens"], missing["opens_failed"]) == (0, 1)
    assert process["rank"] == 0
    assert process["others"]["opens"] == 0


def test_the_output_is_as_its_schema_says(run: Run) -> None:
    schema = yaml.safe_load((ROOT / "config/schemas/witness.schema.yaml").read_text())
    jsonschema.Draft202012Validator(schema).validate(run())


def test_direct_opens_are_asked_of_the_kernel(run: Run, tmp_path: Path) -> None:
    file = run()["processes"][0]["files"][0]
    try:
        os.close(os.open(tmp_path / "data/file", os.O_RDONLY | os.O_DIRECT))
        expected = 1
    except OSError:
        expected = 0
    assert file["direct_requested"] == file["direct_reported"] == file["direct_kernel"] == expected


def test_a_clean_process_has_nothing_in_between(run: Run, tmp_path: Path) -> None:
    run()
    assert facts(tmp_path / "outputs")["interposed"] == []


SHIM = """
int fsync(int fd) { (void)fd; return 0; }
int open(const char *path, int flags, int mode) {
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    return next(path, flags & ~O_DIRECT, mode);
}
"""


def test_a_library_that_drops_synchronisation_and_flags_is_seen(run: Run, tmp_path: Path) -> None:
    (tmp_path / "shim.c").write_text(
        f"#include <dlfcn.h>\n#define open other\n#include <fcntl.h>\n#undef open\n{SHIM}"
    )
    shim = build(tmp_path, "libshim.so", tmp_path / "shim.c", options=("-shared", "-fPIC"))
    file = run(shim)["processes"][0]["files"][0]
    assert file["syncs"]["fsync"] == {"done": 0, "failed": 0}
    assert file["direct_requested"] == 0
    assert {(one["call"], Path(one["object"]).name) for one in facts(tmp_path / "outputs")["interposed"]} == {
        ("fsync", "libshim.so"),
        ("open", "libshim.so"),
    }


def test_facts_are_sums_over_the_ranks(run: Run, tmp_path: Path) -> None:
    one = facts_of(run(rank=0), tmp_path / "outputs")
    both = run(rank=0)["processes"] + run(rank=1)["processes"]
    (tmp_path / "outputs" / WITNESS_FILE).write_text(json.dumps({"schema": 1, "processes": both}))
    two = facts(tmp_path / "outputs")["witness"]
    assert one["written_bytes"] == 6 * BLOCK
    assert one["syncs"] == 2
    assert two["ranks"] == 2
    assert all(two[name] == 2 * value for name, value in one.items())


def facts_of(document: Mapping[str, Any], outputs: Path) -> Mapping[str, Any]:
    assert document["processes"]
    seen = facts(outputs)["witness"]
    assert isinstance(seen, dict)
    return seen


def test_many_files_share_one_record(library: Path, tmp_path: Path) -> None:
    program = tmp_path / "many.c"
    program.write_text(
        "#include <fcntl.h>\n#include <stdio.h>\n#include <unistd.h>\n"
        "int main(int c, char **v) { char p[4096];"
        'for (int i = 0; c && i < 100; i++) { snprintf(p, sizeof p, "%s/%d", v[1], i);'
        "int fd = open(p, O_CREAT | O_WRONLY, 0600); if (write(fd, p, 10) != 10) return 1;"
        "close(fd); } return 0; }"
    )
    data, outputs = tmp_path / "data", tmp_path / "outputs"
    data.mkdir()
    outputs.mkdir()
    many = build(tmp_path, "many", program)
    environment = {
        **os.environ,
        "LD_PRELOAD": str(library),
        "WEIR_WITNESS": str(outputs / "witness"),
        "WEIR_WITNESS_ROOT": str(data),
    }
    subprocess.run([many, data], check=True, env=environment)
    gather_witness(outputs)
    (process,) = json.loads((outputs / WITNESS_FILE).read_text())["processes"]
    assert len(process["files"]) == 64
    assert (process["other_opens"], process["others"]["opens"], process["others"]["written_bytes"]) == (
        36,
        36,
        360,
    )
    seen = facts(outputs)["witness"]
    assert (seen["opens"], seen["written_bytes"], seen["ranks"]) == (100, 1000, 0)


def test_threads_lose_no_count(library: Path, tmp_path: Path) -> None:
    program = tmp_path / "threads.c"
    program.write_text(
        "#include <fcntl.h>\n#include <pthread.h>\n#include <unistd.h>\n"
        "static int fd; static void *go(void *u) {"
        'for (int i = 0; i < 20000; i++) { if (pwrite(fd, "x", 1, 0) != 1) _exit(1); } return u; }'
        "int main(int c, char **v) { pthread_t t[4]; fd = open(v[c - 1], O_CREAT | O_WRONLY, 0600);"
        "for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, go, 0);"
        "for (int i = 0; i < 4; i++) pthread_join(t[i], 0); return 0; }"
    )
    data, outputs = tmp_path / "data", tmp_path / "outputs"
    data.mkdir()
    outputs.mkdir()
    environment = {
        **os.environ,
        "LD_PRELOAD": str(library),
        "WEIR_WITNESS": str(outputs / "witness"),
        "WEIR_WITNESS_ROOT": str(data),
    }
    subprocess.run([build(tmp_path, "threads", program), data / "a"], check=True, env=environment)
    gather_witness(outputs)
    assert facts(outputs)["witness"]["written_bytes"] == 80_000


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 1, "processes": [{"files": 3}]}', "no json"])
def test_what_the_library_did_not_write_is_no_evidence(text: str, tmp_path: Path) -> None:
    (tmp_path / WITNESS_FILE).write_text(text)
    assert facts(tmp_path) == {}
