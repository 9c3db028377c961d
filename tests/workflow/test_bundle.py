"""weir bundle and weir reproduce: nothing private leaves, the same tables and figures come out."""

import importlib.resources
import json
import os
import shutil
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from tests.programs import ran
from tests.workflow.conftest import ROOT, SITE, SUITE, TARGET, Checkout, copy_of_the_tree
from weir.cli import main

SECRET = "hunter2-of-the-burst-buffer"
ELSEWHERE = "hunter3-of-another-site"
USER = "dorothea"
OWN = {"LOGNAME": USER}
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout whose target has the user's name and whose stack has a secret."""
    return copy_of_the_tree(tmp_path_factory.mktemp(USER))


@pytest.fixture(scope="module")
def bundle(checkout: Checkout) -> Path:
    """A study of two cells, measured by a script that prints IOR's table, and bundled."""
    with checkout.edited(SITE) as site:
        site["stacks"]["debian"]["environment"]["LAB_API_KEY"] = SECRET
    site["stacks"]["debian"]["environment"]["LAB_API_KEY"] = ELSEWHERE
    checkout.write("config/sites/elsewhere/site.yaml", site | {"site": "elsewhere"})
    target = f"/dev/shm/weir-{USER}-{os.getpid()}"
    about = {"target": "ram", "kind": "memory", "description": "tmpfs of a test", "path": target}
    checkout.write(TARGET, about | {"prepare": [["mkdir", "-p", target]]})
    experiment = {"tool": "ior", "nodes": [1], "ppn": [1], "space": {"xfer": ["16 KiB", "64 KiB"]}}
    experiment |= {"fixed": {"block": "256 KiB", "sync": True}, "repetitions": {"rounds": 2}}
    suite = {"suite": "tiny", "question": "Does it work?", "experiments": {"one": experiment}}
    checkout.write(SUITE, suite)
    if not (ROOT / "build/weir-io").exists():
        pytest.skip("build/weir-io is missing: make build")
    checkout.measure("results/local/tiny", "--suite", "tiny", "--target", "ram", environment=OWN)
    printed = good(checkout, "bundle", "results/local/tiny", "--out", "tiny.zip")
    shutil.rmtree(target)
    assert "tiny.zip: " in printed
    return checkout.root / "tiny.zip"


def good(checkout: Checkout, *arguments: str) -> str:
    return checkout.good(*arguments, environment=OWN)


def test_nothing_private_is_in_it(checkout: Checkout, bundle: Path) -> None:
    """Neither in what was measured nor in the configuration, that of sites beside the study's included."""
    private = (USER.encode(), SECRET.encode(), ELSEWHERE.encode(), str(checkout.root).encode())
    home = os.environ.get("HOME", "")  # that of a user without a name is /, which all paths begin with
    private = (*private, f"{home}/".encode()) if home.count("/") > 1 or home == "/root" else private
    with zipfile.ZipFile(bundle) as archive:
        data = {name: archive.read(name) for name in archive.namelist()}
    assert yaml.safe_load(data["code/config/sites/local/targets/ram.yaml"])["path"] == "<ram>"
    assert any(b"{removed}" in content for content in data.values())
    assert any(b"{root}/build/weir-io" in content for content in data.values())
    found = {(name, text) for name, content in data.items() for text in private if text in content}
    assert found == set()


def test_the_same_study_gives_the_same_bytes(checkout: Checkout, bundle: Path) -> None:
    good(checkout, "bundle", "results/local/tiny", "--out", "again.zip")
    assert (checkout.root / "again.zip").read_bytes() == bundle.read_bytes()


def test_it_is_reproduced_elsewhere_without_network(bundle: Path) -> None:
    """Another folder; where root can make them, another user and a namespace without network."""
    alone = ["unshare", "--net", *AS_NOBODY] if can_be_alone() else []
    python = "/usr/bin/python3" if alone else sys.executable
    with tempfile.TemporaryDirectory(prefix="weir-again-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        copy = shutil.copy(bundle, folder)
        Path(copy).chmod(0o644)
        arguments = [
            *alone,
            python,
            "-m",
            "weir",
            "reproduce",
            copy,
            "--out",
            f"{name}/again",
            "--trust",
            "--json",
        ]
        path = os.pathsep.join((str(ROOT), sysconfig.get_path("purelib")))
        kept = {"PATH": os.environ["PATH"], "HOME": name, "PYTHONPATH": path}
        done = ran(arguments, cwd=folder, env=kept, code=0)
    outcome = json.loads(done.stdout)
    assert outcome["different"] == []
    assert {"records.csv", "latencies.csv", "SHA256SUMS"} <= set(outcome["identical"])
    if shutil.which("Rscript"):
        assert outcome["skipped"] == ""
        assert any(name.startswith("figures/") and name.endswith(".svg") for name in outcome["identical"])
        # None for a study without a best setting, as this one; test_appendix.py has some.
        assert all(line["found"] == line["expected"] for line in outcome["lines"])


def test_imported_logs_are_bundled_with_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their records are not collected again; what they are drawn with is made again from them."""

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    study, out = tmp_path / "study", tmp_path / "study.zip"
    log = ROOT / "tests/golden/ior/ior-posix-shared.txt"
    assert main(["import", str(log), "--out", str(study / "records.csv")]) == 0
    figures = () if shutil.which("Rscript") else ("--no-figures",)
    assert main(["bundle", str(study), "--out", str(out), *figures]) == 0
    with zipfile.ZipFile(out) as archive:
        assert {"records.csv", "intervals.csv"} <= {Path(name).name for name in archive.namelist()}
    for word in ("e", "1"):
        assert main(["bundle", str(study), "--out", str(out), "--no-figures", "--without", word]) == 1
        assert "--without must be longer" in capsys.readouterr().err


def test_its_artifact_appendix_is_written_and_printed(bundle: Path, tmp_path: Path) -> None:
    """From files that weir and R wrote, not from what a test takes for them."""
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path)
    study = tmp_path / "results/local/tiny"
    if not (study / "page.json").is_file():
        pytest.skip("the study was not drawn: Rscript is missing")
    assert main(["appendix", str(study)]) == 0
    text = (study / "appendix.tex").read_text()
    assert "--config site=local suites=tiny" in text
    assert "targets=ram" in text
    if shutil.which("latexmk"):
        printing = [ROOT / "reports/print.sh", "reports/appendix/main.tex", study, study / "appendix.pdf"]
        assert "warning:" not in ran(printing, cwd=ROOT, code=0).stdout


def can_be_alone() -> bool:
    """Whether nobody, in a namespace of its own, can start a Python that has what weir imports."""
    if os.getuid() != 0 or not shutil.which("unshare") or not shutil.which("setpriv"):
        return False
    path = {"PYTHONPATH": os.pathsep.join((str(ROOT), sysconfig.get_path("purelib")))}
    arguments = [
        "unshare",
        "--net",
        *AS_NOBODY,
        "/usr/bin/python3",
        "-c",
        "import weir.cli, yaml, jsonschema",
    ]
    return ran(arguments, env=path, cwd="/").returncode == 0


def repacked(bundle: Path, copy: Path, edited: str) -> Path:
    """The bundle with another digit in one of its files."""
    with zipfile.ZipFile(bundle) as source, zipfile.ZipFile(copy, "w") as goal:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename.endswith(edited):
                content = content.replace(b"1", b"2", 1)
            goal.writestr(entry, content)
    return copy


def test_an_edited_bundle_is_named_and_not_reproduced(
    checkout: Checkout, bundle: Path, tmp_path: Path
) -> None:
    assert " 0 differ" in good(checkout, "verify", str(bundle))
    broken = repacked(bundle, tmp_path / "broken.zip", "tiny/records.csv")
    done = checkout.weir("verify", str(broken), code=1)
    assert "edited: results/local/tiny/records.csv" in done.stdout
    done = checkout.weir("reproduce", str(broken), "--out", str(tmp_path / "again"), "--trust", code=1)
    assert "is not as it was written: edited: " in done.stderr


def test_a_study_that_was_edited_is_not_bundled(checkout: Checkout, bundle: Path) -> None:
    copy = checkout.root / "results/local/other"
    shutil.copytree(bundle.parent / "results/local/tiny", copy)
    records = copy / "records.csv"
    records.write_text(records.read_text().replace("1", "2", 1))
    done = checkout.weir("bundle", "results/local/other", "--out", "other.zip", code=1)
    shutil.rmtree(copy)
    assert "is not as it was collected: edited: records.csv" in done.stderr


def test_the_crate_is_read_and_valid(bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By rocrate, and by roc-validator: every REQUIRED check of the profile Workflow Run Crate."""
    loader = pytest.importorskip("rocrate_validator.utils.document_loader")
    http = pytest.importorskip("rocrate_validator.utils.http")
    from rocrate.rocrate import ROCrate
    from rocrate_validator import models, services

    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path)
    crate: Any = ROCrate(tmp_path)
    assert crate.mainEntity.id == "code/Snakefile"
    assert {entity.id for entity in crate.mainEntity.crate.get_by_type("CreateAction")} == {"#measurement"}
    # No network in tests: the context is that of rocrate, a later version, in which one term has moved.
    text = importlib.resources.files("rocrate").joinpath("data/ro-crate.jsonld").read_text()
    text = text.replace("bioschemas.org/terms/Comp", "bioschemas.org/Comp")
    monkeypatch.setattr(loader, "_fetch_json_ld", lambda url: json.loads(text))
    answer = SimpleNamespace(status_code=200, ok=True, headers={"Content-Type": "application/ld+json"})
    answer.text, answer.content, answer.json = text, text.encode(), lambda: json.loads(text)
    monkeypatch.setattr(http.HttpRequester, "get", lambda self, url, **options: answer, raising=False)
    settings = services.ValidationSettings(
        rocrate_uri=str(tmp_path),
        profile_identifier="workflow-run-crate-0.5",
        requirement_severity=models.Severity.REQUIRED,
    )
    issues = services.validate(settings).get_issues()
    assert [(issue.check.identifier, issue.message) for issue in issues] == []
