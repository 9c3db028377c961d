"""weir bundle: collects a study, its raw outputs and the code that reads them into one zip file."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import weir
from weir.base.errors import WeirError
from weir.base.files import read_object
from weir.data import STUDY_PARTS
from weir.plan.config.sites import user_name
from weir.plan.config.yaml_file import read_yaml
from weir.report.bundle.crate import METADATA, crate_metadata
from weir.report.bundle.private import Replacements, replacements
from weir.report.bundle.rebuild import collected_again, drawn_again
from weir.runs.files import ROWS_FILE, RUN_FILE, file_sha256, write_run_file
from weir.runs.ledger import LEDGER, copy_ledger, read_ledger
from weir.runs.manifest import MANIFEST, manifest_text, read_manifest, write_manifest
from weir.runs.provenance import commit_of
from weir.runs.verify import verify

CODE = (*STUDY_PARTS, "envs/pip")
_NOT_CODE = shutil.ignore_patterns("__pycache__", "*.pyc", ".snakemake")
_DATE = (1980, 1, 1, 0, 0, 0)  # the same files give the same bytes


def pack(
    study: Path, out: Path, root: Path, *, figures: bool = True, home: Path | None = None
) -> dict[str, Any]:
    """Write the bundle; returns what it holds. The study must be as it was collected."""
    study = study.resolve()
    differing = verify(study).differences
    if differing:
        hint = f"weir verify {study} lists all; collect the study again if the changes are meant"
        raise WeirError(f"is not as it was collected: {differing[0]}", file=str(study), hint=hint)
    if not (root / "Snakefile").is_file():
        hint = "run weir bundle in the checkout of weir, or in the folder of weir init, that holds the study"
        raise WeirError("has no Snakefile: the code of the bundle is missing", file=str(root), hint=hint)
    digest = read_object(study / "facts.json", "collect the study again")["digest"]
    with tempfile.TemporaryDirectory(prefix="weir-bundle-") as folder:
        stage = Path(folder)
        private = _private(study, root, home or Path.home())
        _copy_code(root, stage / "code", private)
        copy = _copy_data(study, stage, private)
        drawn = figures and drawn_again(stage / "code", copy)
        facts = read_object(copy / "facts.json", "collect the study again")
        about = {"source_digest": digest, "commit": commit_of(root), "figures": drawn}
        metadata = crate_metadata(stage, copy.relative_to(stage), facts, about)
        (stage / METADATA).write_text(json.dumps(metadata, indent=1) + "\n")
        files = sorted(file for file in stage.rglob("*") if file.is_file())
        (stage / MANIFEST).write_text(manifest_text(stage, files))
        _zip(stage, out)
    return {"bundle": str(out), "files": len(files) + 1, "digest": facts["digest"], **about}


def _private(study: Path, root: Path, home: Path) -> Replacements:
    plan = study / "plan.json"
    data = read_object(plan, "plan and collect again") if plan.is_file() else {}
    files = sorted(file for file in (root / "config").rglob("*.yaml") if "schemas" not in file.parts)
    configuration = [read_yaml(file, root).data for file in files]
    users = {user_name(), *_owner(study)}
    return replacements(data, configuration, root, study.parent.parent, home, users)


def _owner(study: Path) -> Iterator[str]:
    try:
        yield study.owner()
    except KeyError:  # as in a container, which has no name for it
        return


def _copy_code(root: Path, code: Path, private: Replacements) -> None:
    package = Path(weir.__path__[0])
    shutil.copytree(package, code / "weir", ignore=_without_parts)
    # The schemas are read from there; the rest of a study stands beside the package.
    shutil.copytree(package / "data" / "config", code / "weir" / "data" / "config", ignore=_NOT_CODE)
    for name in CODE:
        source = root / name
        if source.is_dir():
            shutil.copytree(source, code / name, ignore=_NOT_CODE)  # links become files: a zip has none
        elif source.is_file():
            (code / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, code / name)
    # What users edit; schemas and code have nothing of a user.
    for part in ("config", "profiles", "weir/data/config"):
        for file in (code / part).rglob("*.yaml"):
            if "schemas" not in file.parts:
                file.write_bytes(private.apply_to_yaml(file.read_bytes()))


def _without_parts(folder: str, names: list[str]) -> set[str]:
    ignored = set(_NOT_CODE(folder, names))
    return ignored | ({*names} & {*STUDY_PARTS} if Path(folder).name == "data" else set())


def _copy_data(study: Path, stage: Path, private: Replacements) -> Path:
    """Tables, plan and runs without what is private, collected again from the copies of the raw outputs."""
    site = stage / "results" / study.parent.name
    copy = site / study.name
    copy.mkdir(parents=True)
    _, sums = read_manifest(study)
    copied: dict[str, str] = {}  # SHA-256 of a run.json to that of its copy
    for name in sums:
        source, goal = study / name, (copy / name).resolve()
        if not goal.is_relative_to(site.resolve()):
            raise WeirError(
                "is outside the site's results", file=name, hint="move plan and runs below results/<site>"
            )
        files = (
            # Without what the run was judged: whoever reproduces the study judges the outputs.
            [file for file in source.parent.rglob("*") if file.is_file() and file.name != ROWS_FILE]
            if source.name == RUN_FILE
            else [source]
        )
        for file in files:
            held = goal.parent / file.relative_to(source.parent)
            held.parent.mkdir(parents=True, exist_ok=True)
            held.write_bytes(private.apply(file.read_bytes()))
        if source.name == RUN_FILE:
            document = read_object(goal, "measure it again")
            write_run_file(goal.parent, {key: value for key, value in document.items() if key != "sha256"})
            copied[sums[name]] = file_sha256(goal)
    ledger = read_ledger(study.parent / LEDGER)
    if ledger:
        copy_ledger(ledger, site / LEDGER, copied)
    if (copy / "plan.json").is_file():
        differing = collected_again(stage / "code", copy)
        if differing:
            hint = "another version of weir collected the study: collect it again, then bundle it"
            raise WeirError(f"the raw outputs give another {differing[0]}", file=str(study), hint=hint)
        return copy
    digest = write_manifest(copy, "records.csv", ())
    facts = private.apply((study / "facts.json").read_bytes())
    (copy / "facts.json").write_text(json.dumps(json.loads(facts) | {"digest": digest}, indent=1) + "\n")
    return copy


def _zip(stage: Path, out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(file for file in stage.rglob("*") if file.is_file()):
            entry = zipfile.ZipInfo(str(file.relative_to(stage)), _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (file.stat().st_mode & 0o755) << 16
            archive.writestr(entry, file.read_bytes())
