"""weir verify: each edit of a study is named; without a digest or signature the limit is printed."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.programs import replace_in, write_file
from tests.unit.conftest import RunWeir
from weir.runs.files import fresh_folder, is_finished, is_kept
from weir.runs.ledger import write_run_file
from weir.runs.manifest import MANIFEST, SIGNATURE, verify, write_manifest

CELLS = ("1111", "2222")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Two executions of two cells each, and their tables."""
    site = tmp_path / "results" / "here"
    folder = site / "mine"
    folder.mkdir(parents=True)
    runs = []
    for cell in CELLS:
        for run in range(2):
            outputs = site / "runs" / cell / f"{run:03d}"
            write_file(outputs / "stdout", f"{cell} {run}: 100 MiB/s\n")
            (outputs / "summary.json").write_text('{"bw_mib_s": 100}\n')
            write_run_file(outputs, {"run": run, "status": "done"})
            runs.append(outputs / "run.json")
    (folder / "records.csv").write_text(
        "cell,bw_mib_s,verdict,reasons\n1111,100,VALID,\n2222,90,DEGRADED,cache\n"
    )
    for name in ("excluded.csv", "latencies.csv", "plan.json"):
        (folder / name).write_text(f"{name}\n")
    digest = write_manifest(folder, "records.csv", [folder / "plan.json", *runs])
    (folder / "facts.json").write_text(json.dumps({"digest": digest}))
    return folder


def of(study: Path, cell: str = "1111", run: str = "000") -> Path:
    return study.parent / "runs" / cell / run


def test_a_study_that_nobody_touched(study: Path, run_weir: RunWeir) -> None:
    shown = run_weir("verify", study).out
    assert "16 files compared, 0 differ" in shown
    assert "an edit that also rewrites the checksums is not detected" in shown
    checked = subprocess.run(["sha256sum", "--check", "--quiet", MANIFEST], cwd=study, check=False)
    assert checked.returncode == 0


EDITS: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "a number in a summary": (
        lambda study: replace_in(of(study) / "summary.json", "100", "400"),
        ["edited: ../runs/1111/000/summary.json"],
    ),
    "a deleted row": (
        lambda study: replace_in(study / "records.csv", "2222,90,DEGRADED,cache\n", ""),
        ["edited: records.csv"],
    ),
    "a deleted reason": (
        lambda study: replace_in(study / "records.csv", "DEGRADED,cache", "VALID,"),
        ["edited: records.csv"],
    ),
    "a run.json": (
        lambda study: replace_in(of(study) / "run.json", "done", "failed"),
        ["edited: ../runs/1111/000/run.json"],
    ),
    "a summary and its sum in run.json": (
        lambda study: (
            replace_in(of(study) / "summary.json", "100", "400"),
            write_run_file(of(study), {"run": 0, "status": "done"}),
        ),
        ["edited: ../runs/1111/000/run.json"],
    ),
    "a deleted execution": (
        lambda study: shutil.rmtree(of(study, "2222", "001")),
        ["deleted: ../runs/2222/001/run.json"],
    ),
    "an added execution": (
        lambda study: shutil.copytree(of(study), of(study, "1111", "002")),
        ["added: ../runs/1111/002/run.json"],
    ),
    "an added output": (
        lambda study: (of(study) / "summary2.json").write_text("{}"),
        ["added: ../runs/1111/000/summary2.json"],
    ),
    "facts": (lambda study: replace_in(study / "facts.json", "digest", "digits"), ["edited: facts.json"]),
    "the manifest": (
        lambda study: replace_in(study / MANIFEST, "  plan.json", "  plan2.json"),
        ["edited: facts.json", "deleted: plan2.json"],
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_named(study: Path, name: str, run_weir: RunWeir) -> None:
    edit, differences = EDITS[name]
    edit(study)
    assert run_weir("verify", study, code=1).out.splitlines()[1 : 1 + len(differences)] == differences


def test_an_attempt_that_was_set_aside_is_no_difference(study: Path) -> None:
    shutil.copytree(of(study), of(study, "1111", "000.failed-1"))
    assert verify(study).differences == ()


def rewritten(study: Path) -> None:
    """An editor who knows weir: a result, its run.json, the manifest and the facts agree again."""
    replace_in(of(study) / "summary.json", "100", "400")
    write_run_file(of(study), {"run": 0, "status": "done"})
    runs = sorted(study.parent.glob("runs/*/*/run.json"))
    digest = write_manifest(study, "records.csv", [study / "plan.json", *runs])
    (study / "facts.json").write_text(json.dumps({"digest": digest}))


def test_a_consistent_edit_needs_the_digest_of_the_report(study: Path, run_weir: RunWeir) -> None:
    printed = verify(study).digest
    run_weir("verify", study, "--digest", printed[:16])
    rewritten(study)
    run_weir("verify", study)
    assert "the digest is" in run_weir("verify", study, "--digest", printed[:16], code=1).err
    run_weir("verify", study, "--digest", printed[:3], code=1)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A pair of keys for signatures."""
    if not shutil.which("ssh-keygen"):
        pytest.skip("ssh-keygen is missing")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
    return tmp_path / "key"


def test_a_signature_names_the_signer_and_breaks_with_the_study(
    study: Path, key: Path, run_weir: RunWeir
) -> None:
    allowed = key.with_name("allowed")
    public = key.with_suffix(".pub").read_text().split()
    allowed.write_text(f"storage@example.org {public[0]} {public[1]}\n")
    arguments = ["verify", str(study), "--allowed-signers", str(allowed)]
    assert "there is no signature" in run_weir(*arguments, code=1).err
    assert f"signature: {study / SIGNATURE}" in run_weir("verify", study, "--sign", key).out
    assert "signed by storage@example.org" in run_weir(*arguments).out
    rewritten(study)
    assert "ssh-keygen -Y verify failed" in run_weir(*arguments, code=1).err


def test_wrong_files_of_keys_have_a_way_out(study: Path, key: Path, run_weir: RunWeir) -> None:
    """The message was ssh-keygen's, with its carriage returns, and named a manual page."""
    allowed = key.with_name("allowed")
    run_weir("verify", study, "--sign", key)
    error = run_weir("verify", study, "--allowed-signers", allowed, code=2).err
    assert f"{allowed}: there is no such file of signers" in error
    assert "NAME KEY" in error
    error = run_weir("verify", study, "--allowed-signers", key.with_suffix(".pub"), code=1).err
    assert "NAME KEY" in error
    assert "u000d" not in error
    error = run_weir("verify", study, "--sign", key.with_name("none"), code=1).err
    assert "name the key that ssh-keygen" in error


def test_what_differs_is_not_signed(study: Path, tmp_path: Path, run_weir: RunWeir) -> None:
    (study / "records.csv").write_text("edited\n")
    printed = run_weir("verify", study, "--sign", tmp_path / "key", code=1).out
    assert printed.splitlines()[-1] == "not signed: what differs is not signed"


def test_a_directory_that_is_not_a_study_is_wrong_use(tmp_path: Path, run_weir: RunWeir) -> None:
    assert f"{tmp_path}/SHA256SUMS: cannot be read" in run_weir("verify", tmp_path, code=2).err
    (tmp_path / MANIFEST).write_text("no sum here\n")
    assert "SHA256SUMS:1: is damaged" in run_weir("verify", tmp_path, code=1).err


def test_a_folder_without_run_file_is_litter(tmp_path: Path) -> None:
    (fresh_folder(tmp_path, "c", 0) / "stdout.txt").write_text("half")
    assert not is_finished(tmp_path, "c", 0)
    assert list(fresh_folder(tmp_path, "c", 0).iterdir()) == []


def test_a_failed_run_counts_and_is_set_aside_when_tried_again(tmp_path: Path) -> None:
    folder = fresh_folder(tmp_path, "c", 0)
    write_run_file(folder, {"status": "failed"})
    assert is_finished(tmp_path, "c", 0)
    assert not is_kept(tmp_path, "c", 0, only_successful=True)
    again = fresh_folder(tmp_path, "c", 0)
    write_run_file(again, {"status": "done"})
    assert is_kept(tmp_path, "c", 0, only_successful=True)
    assert sorted(path.name for path in again.parent.iterdir()) == ["000", "000.failed-1"]


def test_run_file_appears_whole(tmp_path: Path) -> None:
    folder = fresh_folder(tmp_path, "c", 1)
    write_run_file(folder, {"status": "done"})
    assert [path.name for path in folder.iterdir()] == ["run.json"]
