"""weir import of directories: everything below is recognised by content, IO500 results are scored."""

import csv
import json
import shutil
import tarfile
from collections.abc import Callable
from functools import partial, partialmethod
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, beside
from tests.unit.conftest import RunWeir
from tests.unit.decide.io500.results import IOR_LOG, SOUND_LOG, ini, new_summary, old_summary, write
from weir.collect.table import read_records

# The example of the talk of 2017, as its slide prints it.
EXAMPLE_OF_2017 = """\
[RESULT] BW   phase 1            ior_easy_write               96.133 GB/s : time 187.24 seconds
[RESULT] BW   phase 2            ior_hard_write               11.230 GB/s : time  46.79 seconds
[RESULT] BW   phase 3             ior_easy_read              109.249 GB/s : time 164.76 seconds
[RESULT] BW   phase 4             ior_hard_read                7.871 GB/s : time  66.74 seconds
[RESULT] IOPS phase 1         mdtest_easy_write               49.231 kiops : time  19.61 seconds
[RESULT] IOPS phase 2         mdtest_hard_write               15.444 kiops : time  17.05 seconds
[RESULT] IOPS phase 3                      find                8.120 kiops : time  98.45 seconds
[RESULT] IOPS phase 4          mdtest_easy_stat                5.313 kiops : time 127.18 seconds
[RESULT] IOPS phase 5          mdtest_hard_stat                6.772 kiops : time  30.43 seconds
[RESULT] IOPS phase 6        mdtest_easy_delete               14.873 kiops : time  49.98 seconds
[RESULT] IOPS phase 7          mdtest_hard_read               45.599 kiops : time  10.16 seconds
[RESULT] IOPS phase 8        mdtest_hard_delete               30.776 kiops : time  11.84 seconds
[SCORE] Bandwidth 31.04 GB/s : IOPS 16.1537 kiops : TOTAL 501.4108
"""


Imported = Callable[..., dict[str, Any]]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out/records.csv"


@pytest.fixture
def imported(out: Path, run_weir: RunWeir) -> Imported:
    """Compares the number of refused files; the answer is the summary."""

    def imported(tree: Path, refused: int = 0) -> dict[str, Any]:
        printed = run_weir("import", tree, "--out", out, "--json", code=int(refused > 0)).out
        summary: dict[str, Any] = json.loads(printed)
        assert summary["read"]["refused"] == refused
        return summary

    return imported


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return tmp_path / "tree"


def test_a_tree_of_everything_is_read_by_content(tree: Path, out: Path, imported: Imported) -> None:
    (tree / "logs/deep/er").mkdir(parents=True)
    write(tree / "old/run", result_summary=EXAMPLE_OF_2017)
    write(tree / "new/run", result_summary=new_summary(), result=ini())
    (tree / "new/run/ior-easy-write.txt").write_text(IOR_LOG.format(stonewall=300))
    shutil.copy(ROOT / "tests/golden/ior/ior-posix-shared.txt", tree / "logs/deep/er/any.name")
    (tree / "logs/readme.md").write_text("nothing\n")
    (tree / "logs/core").write_bytes(b"\x7fELF\0\0IOR-3.0.1")
    (tree / "logs/loop").symlink_to(tree)
    (tree / "logs/table.csv").write_text("api,access,speed\nPOSIX,write,3\n")
    write(tree / "broken", result_summary=new_summary().replace("4.000000", "nan", 1))

    found = imported(tree, refused=2)
    assert found["files"] == 9
    assert found["files_by_tool"] == {"find": 2, "ior": 4, "mdtest": 2}
    assert [Path(name).name for name in found["files_without_results"]] == ["core", "readme.md"]
    first, second = found["files_with_errors"]
    assert "broken/result_summary.txt:2" in first
    assert "table.csv:1: speed" in second
    by_name = {one["result_set"]: one for one in found["io500"]}
    assert list(by_name) == ["new/run", "old/run"]  # two directories of one name
    old, new = by_name["old/run"], by_name["new/run"]
    assert (round(old["bandwidth_gib_s"], 2), round(old["metadata_kiops"], 4)) == (31.04, 16.1537)
    assert (round(old["index_2017"], 2), old["score_2017"], old["agrees"]) == (501.41, None, True)
    assert "not a valid IO500 score: shortened run" in old["doubts"]
    assert (new["valid"], new["score_today"], new["rule"]) == (True, pytest.approx(6.0), "today's rule")

    rows = [row for row in read_records(out) if row["target"] == "new/run"]
    assert len(rows) == 12
    (log,) = [row for row in rows if row["source"].endswith("ior-easy-write.txt")]
    assert (log["suite"], log["experiment"], log["api"], log["nn"]) == ("io500", "ior-easy", "POSIX", 2)
    (hard,) = [row for row in rows if row["experiment"] == "mdtest-hard" and row["access"] == "remove"]
    known = {"ops_s": 9000.0, "api": "POSIX", "xfer_bytes": 3901, "verdict": "UNPROVEN"}
    assert {name: hard[name] for name in known} == known
    with out.with_name("io500.csv").open(newline="") as stream:
        assert [row["result_set"] for row in csv.DictReader(stream)] == ["new/run", "old/run"]


def test_a_log_that_contradicts_its_summary_is_named(tree: Path, out: Path, run_weir: RunWeir) -> None:
    log = IOR_LOG.format(stonewall=300).replace("4096.00", "8192.0")
    write(tree, result_summary=old_summary(), ior_easy_write=log)
    text = run_weir("import", tree, "--out", out).out
    assert "ior_easy_write is 4 GiB/s in the summary and 8 in its log" in text
    assert "1 IO500 result sets (io500.csv), 1 of them valid: 1 of 1 published scores agree" in text


def test_of_several_iterations_the_summary_has_the_best(tree: Path, imported: Imported) -> None:
    """No clock differs: the slower iteration lasts longer than the phase that is in the summary."""
    first = next(line for line in IOR_LOG.splitlines() if line.startswith("write "))
    second = first.replace("4096.00", "2048.00").replace("300.", "600.").replace("38     0", "38     1")
    log = IOR_LOG.format(stonewall=300).replace(first, f"{first}\n{second}")
    write(tree, result_summary=old_summary(), ior_easy_write=log)
    (one,) = imported(tree)["io500"]
    told = "the logs have several iterations: ior_easy_write the best of 2; the audit "
    assert one["doubts"].startswith(told)


def test_a_directory_without_results_is_refused(tmp_path: Path, run_weir: RunWeir) -> None:
    (tmp_path / "note").write_text("none\n")
    error = run_weir("import", tmp_path, "--out", tmp_path / "records.csv", code=2).err
    assert "holds no results that weir can read" in error


@pytest.mark.slow
def test_the_raw_directories_are_imported_whole(imported: Imported) -> None:
    """26 directories of all versions: each log agrees with its summary, each score is recomputed."""
    found = imported(beside("reference/io500-raw"))
    assert (len(found["io500"]), found["files_without_results"], found["files_with_errors"]) == (26, [], [])
    assert found["records"] == 26 * 12 + 8  # and eight of extended runs
    assert found["files_by_tool"] == {"find": 26, "ior": 112, "mdtest": 181}
    assert all(one["valid"] for one in found["io500"])
    (other,) = [one for one in found["io500"] if not one["agrees"]]
    assert other["result_set"] == "set-02"
    assert "with the values of its logs the score is 34.7995 (-0.000%)" in other["doubts"]
    assert not any("in its log" in one["doubts"] for one in found["io500"])
    (skewed,) = [one for one in found["io500"] if "INVALID" in one["doubts"]]
    assert skewed["doubts"].startswith("the clocks of the nodes differ")
    assert skewed["doubts"].endswith("; the audit calls 4 logs INVALID: phases-overlap")


def test_a_second_import_does_not_read_the_first_ones_output(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch, imported: Imported
) -> None:
    write(tmp_path / "run", result_summary=new_summary())
    (tmp_path / "run/ior-easy-write.txt").write_text(IOR_LOG.format(stonewall=300))
    monkeypatch.chdir(tmp_path)
    first = imported(Path())
    table = out.read_text()
    second = imported(Path())
    assert (second["files"], second["records"]) == (first["files"], first["records"])
    assert out.read_text() == table
    assert second["files_without_results"] == []


def refuse(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Files that this user may not read; as root every file can be."""
    real = {method: getattr(Path, method) for method in ("open", "read_text")}

    def refused(method: str, self: Path, *args: Any, **options: Any) -> Any:
        if self.name in names:
            raise PermissionError(13, "Permission denied", str(self))
        return real[method](self, *args, **options)

    for method in real:
        monkeypatch.setattr(Path, method, partialmethod(partial(refused, method)))
    opened = open

    def refused_by_name(file: Any, *args: Any, **options: Any) -> Any:
        return Path(file).open(*args, **options) if isinstance(file, Path) else opened(file, *args, **options)

    monkeypatch.setattr("builtins.open", refused_by_name)


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_imported(
    tree: Path, monkeypatch: pytest.MonkeyPatch, imported: Imported, run_weir: RunWeir
) -> None:
    write(tree / "run", result_summary=new_summary())
    for name in ("run/ior-easy-write.txt", "run/notes", "run/ior-hard-write.txt"):
        (tree / name).write_text(IOR_LOG.format(stonewall=300))
    refuse(monkeypatch, "ior-hard-write.txt", "notes")
    found = imported(tree, refused=2)
    named = [Path(error.split(": ")[0]).name for error in found["files_with_errors"]]
    assert named == ["ior-hard-write.txt", "notes"]
    (one,) = found["io500"]
    assert one["result_set"] == "run"
    assert "ior-hard-write.txt cannot be read: Permission denied" in one["doubts"]
    refuse(monkeypatch, "result_summary.txt")
    error = run_weir("io500", tree / "run", code=2).err
    assert "result_summary.txt cannot be read: Permission denied" in error


def test_a_directory_with_the_summaries_of_several_runs_has_a_set_for_each(
    tree: Path, imported: Imported
) -> None:
    write(tree, first=new_summary(), second=old_summary().replace(" 9.000 ", " 8.000 "))
    found = imported(tree)
    assert [one["result_set"] for one in found["io500"]] == ["tree/first", "tree/second"]
    assert found["files_with_errors"] == []
    assert found["records"] == 12 + 12


ONE_PHASE = """\
SLURM_JOB_ID: 44758883
IO500 version io500-isc22_v1 (standard)
[RESULT]       ior-easy-write        2.380078 GiB/s : time 396.967 seconds
ERROR: open64("/mnt/mdtest-easy/file.mdtest.1.0", 66, 0664) failed. Error: No such file or directory
"""


def test_what_the_scheduler_kept_of_another_run_is_a_result_of_its_own(
    tree: Path, out: Path, imported: Imported
) -> None:
    """The first job failed after its first phase: its result was lost, and the file named nowhere."""
    write(tree, result_summary=new_summary())
    (tree / "slurm-1.out").write_text(ONE_PHASE)
    (tree / "slurm-2.out").write_text(f"SLURM_JOB_ID: 2\n{new_summary()}")
    (tree / "slurm-3.out").write_text("[RESULT]       ior-easy-write        torn\n")
    (tree / "slurm-4.out").write_text("[RESULT] other 1 kIOPS : time 1 seconds\n")
    found = imported(tree, refused=1)
    assert "slurm-3.out:1" in found["files_with_errors"][0]
    assert [Path(name).name for name in found["files_without_results"]] == ["slurm-4.out"]
    assert [one["result_set"] for one in found["io500"]] == ["tree", "tree/slurm-1"]
    rows = read_records(out)
    assert len(rows) == 13
    (first,) = [row for row in rows if row["target"] == "tree/slurm-1"]
    assert (first["bw_mib_s"], first["total_s"]) == (pytest.approx(2.380078 * 1024), 396.967)
    assert first["source"].endswith("slurm-1.out")


def test_a_result_in_its_log_its_summary_and_the_output_of_its_job_is_one_record(
    tree: Path, out: Path, imported: Imported
) -> None:
    """The output of an earlier job beside it made each file a set without logs: the result stood three times,
    and the two without the findings of its log were UNPROVEN."""
    write(tree, result=ini(), ior_easy_write=SOUND_LOG.replace("-g -b", "-b"))
    (tree / "slurm-1.out").write_text(ONE_PHASE)
    (tree / "slurm-2.out").write_text(new_summary())
    (tree / "result_summary.txt").write_text("IO500 version io500-isc22_v1 (standard)\n")  # it ended early
    found = imported(tree)
    assert [one["result_set"] for one in found["io500"]] == ["tree", "tree/slurm-1"]
    rows = [row for row in read_records(out) if row["target"] == "tree"]
    (easy,) = [row for row in rows if row["experiment"] == "ior-easy" and row["access"] == "write"]
    assert (len(rows), Path(easy["source"]).name) == (12, "ior_easy_write.txt")


def test_the_interface_of_a_phase_is_that_of_its_command(tree: Path, out: Path, imported: Imported) -> None:
    text = ini().replace("./mdtest -k -a POSIX", "./mdtest '-k' -a=DFS").replace("./ior", "/opt/ior")
    write(tree, result=text, result_summary=new_summary())
    imported(tree)
    rows = read_records(out)
    assert {row["api"] for row in rows if row["tool"] == "ior"} == {"POSIX"}
    assert {row["api"] for row in rows if row["tool"] == "mdtest" and row["access"] == "stat"} == {"DFS"}
    assert {row["api"] for row in rows if row["tool"] == "find"} == {"not printed"}


def test_the_sizes_and_the_layout_of_a_phase_are_those_of_its_command(
    tree: Path, out: Path, imported: Imported
) -> None:
    """Where no logs are kept: the records of easy phases had neither."""
    easy = ini().replace("./ior -k -e", "./ior -k -e -t 2m -b 9920m -F --posix.odirect", 2)
    write(tree, result=easy.replace("./mdtest -k", "./mdtest -u -w 3901 -e 16 -k"))
    imported(tree)
    rows = {(row["experiment"], row["access"]): row for row in read_records(out)}
    names = ("xfer_bytes", "block_bytes", "layout", "direct", "sync", "directories", "item")
    of_ior = (2 << 20, 9920 << 20, "file-per-process", True, True, None, None)
    assert tuple(rows["ior-easy", "write"][name] for name in names) == of_ior
    of_mdtest = (3901, None, None, None, False, "own", "file")
    assert tuple(rows["mdtest-easy", "stat"][name] for name in names) == of_mdtest
    assert rows["mdtest-hard", "read"]["xfer_bytes"] == 16


def test_a_summary_with_blanks_before_its_lines(tree: Path, imported: Imported) -> None:
    """As a page of text quotes it: it held no results that weir can read."""
    lines = [f"    {line}" for line in new_summary().splitlines()]
    write(tree, result="\n".join(["", *lines, ""]))
    found = imported(tree)
    assert (found["records"], found["io500"][0]["score_today"]) == (12, pytest.approx(6.0))


@pytest.mark.parametrize("is_named", [True, False])
def test_a_page_with_the_summaries_of_two_runs_has_both(
    is_named: bool, tree: Path, out: Path, imported: Imported
) -> None:
    """The second one was a phase printed twice, and neither was read."""
    texts = [new_summary(), new_summary().replace("4.000000 GiB/s :", "5.000000 GiB/s :")]
    tree.mkdir()
    page = tree / "page.md"
    page.write_text("\n".join(f"## Run\n\n```\n{text}```\n" for text in (*texts, texts[1])))
    found = imported(page if is_named else tree)
    assert (len(found["io500"]), found["records"], found["files_with_errors"]) == (2, 24, [])
    rows = [row for row in read_records(out) if row["experiment"] == "ior-hard"]
    assert len({row["cell"] for row in rows}) == 2
    assert {row["bw_mib_s"] for row in rows if row["access"] == "read"} == {4096, 5120}


def test_an_archive_of_a_result_beside_it_is_no_other_result(tree: Path, imported: Imported) -> None:
    """Many a directory keeps one: its summary was a second result, or a line in it could not be read."""
    write(tree, result_summary=new_summary(), result=ini())
    with tarfile.open(tree / "run.tgz", "w:gz") as archive:
        for name in ("result.txt", "result_summary.txt"):
            archive.add(tree / name, f"other/{name}")
    found = imported(tree)
    assert (found["records"], len(found["io500"]), found["files_with_errors"]) == (12, 1, [])
    assert "a tar archive, to be unpacked first" in found["files_by_kind"]
