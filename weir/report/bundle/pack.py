"""weir bundle: collects a study, its raw outputs and the code that reads them into one zip file.

Its metadata are an RO-Crate of the profile Workflow Run Crate (https://w3id.org/ro/wfrun/workflow).
"""

import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import weir
from weir.base.errors import WeirError
from weir.base.files import damage_named, file_sha256, read_object
from weir.collect.intervals import write_intervals
from weir.collect.study_facts import commit_of
from weir.data import STUDY_PARTS
from weir.plan.config.sites import home_directory
from weir.report.bundle.private import Private
from weir.report.bundle.reproduce import collected_again, drawn_again
from weir.report.bundle.source import StudySource
from weir.runs.files import ROWS_FILE, RUN_FILE
from weir.runs.ledger import LEDGER, copy_ledger, read_ledger, write_run_file
from weir.runs.manifest import MANIFEST, manifest_text, read_manifest, verify, write_manifest

CODE = (*STUDY_PARTS, "envs/pip")
_NOT_CODE = shutil.ignore_patterns("__pycache__", "*.pyc", ".[!l]*")  # .lintr alone of hidden files is kept
_CONFIGURATION = ("config", "profiles", "weir/data/config")
_DATE = (1980, 1, 1, 0, 0, 0)  # the same files give the same bytes
_REPLACED = "a text of --without must be longer than a part of a key or of a number"


Announce = Callable[[StudySource], None]


def pack(
    study: Path,
    out: Path,
    root: Path,
    *,
    figures: bool = True,
    shell: Mapping[str, str] | None = None,
    without: Sequence[str] = (),
    announce: Announce = lambda source: None,
) -> dict[str, Any]:
    """Write the bundle; returns what it holds. The study must be as it was collected.

    shell, without: as of Source.of; announce: tells what is replaced and kept, before anything is written."""
    study = study.resolve()
    differing = verify(study).differences
    if differing:
        hint = f"weir verify {study} lists all; collect the study again if the changes are meant"
        raise WeirError(f"is not as it was collected: {differing[0]}", file=study, hint=hint)
    if not (root / "Snakefile").is_file():
        hint = "run weir bundle in the checkout of weir, or in the folder of weir init, that holds the study"
        raise WeirError("has no Snakefile: the code of the bundle is missing", file=root, hint=hint)
    digest = read_object(study / "facts.json", "collect the study again")["digest"]
    source = StudySource.of(study, root, home_directory(), shell, without)
    announce(source)
    with tempfile.TemporaryDirectory(prefix="weir-bundle-") as folder:
        stage = Path(folder)
        _copy_code(source, stage / "code")
        copy = _copy_data(source, stage)
        drawn = figures and drawn_again(stage / "code", copy)
        facts = read_object(copy / "facts.json", _REPLACED)
        about = {"source_digest": digest, "commit": commit_of(root), "figures": drawn}
        with damage_named(copy / "facts.json", _REPLACED):
            metadata = crate_metadata(stage, copy.relative_to(stage), facts, about)
        (stage / METADATA).write_text(json.dumps(metadata, indent=1) + "\n")
        files = sorted(file for file in stage.rglob("*") if file.is_file())
        (stage / MANIFEST).write_text(manifest_text(stage, files))
        _zip(stage, out)
    replaced = [{"place": place, "names": names} for place, names in source.replaced()]
    return {
        "bundle": str(out),
        "files": len(files) + 1,
        "digest": facts["digest"],
        "replaced": replaced,
        "kept": [{"place": place, "text": text} for place, text in source.kept_values(without)],
        **about,
    }


def _copy_code(source: StudySource, code: Path) -> None:
    package = Path(weir.__path__[0])
    shutil.copytree(package, code / "weir", ignore=_without_parts)
    # The schemas are read from there; the rest of a study stands beside the package.
    ignored = _ignored(source)
    shutil.copytree(package / "data" / "config", code / "weir" / "data" / "config", ignore=ignored)
    for name in CODE:
        part = source.root / name
        if part.is_dir():
            shutil.copytree(part, code / name, ignore=ignored)  # links become files: a zip has none
        elif part.is_file():
            (code / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(part, code / name)
    for folder in _CONFIGURATION:
        source.write_configuration(code, folder)
    edited = {code / part for part in (*_CONFIGURATION, "envs")}
    for file in sorted(file for file in code.rglob("*") if file.is_file()):
        content = file.read_bytes()
        # Files that users edit; the code has nothing of a user, unless it repeats a private value.
        if edited & {*file.parents} and "schemas" not in file.parts:
            clean = source.private.text(content, "<%s>")
        else:
            clean = source.private.code(content)
        if clean != content:
            file.write_bytes(clean)
    source.write_site(code)


def _ignored(source: StudySource) -> Callable[[str, list[str]], set[str]]:
    """Leaves out sites, and suites of other studies, which belong to nobody who reads this one."""

    def ignored(folder: str, names: list[str]) -> set[str]:
        found, place = set(_NOT_CODE(folder, names)), Path(folder)
        if place.name == "config":
            found |= {"sites"} & {*names}
        if place.name == "suites" and place.parent.name == "config":
            found |= {name for name in names if Path(name).stem not in source.suites}
        return found

    return ignored


def _without_parts(folder: str, names: list[str]) -> set[str]:
    ignored = set(_NOT_CODE(folder, names))
    parts = {part.split("/")[0] for part in STUDY_PARTS}
    return ignored | ({*names} & parts if Path(folder).name == "data" else set())


def _copy_data(source: StudySource, stage: Path) -> Path:
    """Tables, plan and runs without what is private, collected again from the copies of the raw outputs."""
    study, private = source.study, source.private
    site = stage / "results" / study.parent.name
    copy = site / study.name
    copy.mkdir(parents=True)
    _, sums = read_manifest(study)
    copied: dict[str, str] = {}  # SHA-256 of a run.json to that of its copy
    for name in sums:
        original, goal = study / name, (copy / name).resolve()
        if not goal.is_relative_to(site.resolve()):
            raise WeirError(
                "is outside the site's results", file=name, hint="move plan and runs below results/<site>"
            )
        files = (
            # The run's judgement is missing: whoever reproduces the study judges the outputs.
            [file for file in original.parent.rglob("*") if file.is_file() and file.name != ROWS_FILE]
            if original.name == RUN_FILE
            else [original]
        )
        for file in files:
            held = goal.parent / file.relative_to(original.parent)
            held.parent.mkdir(parents=True, exist_ok=True)
            held.write_bytes(private.text(source.content(file)))
        if original.name == RUN_FILE:
            document = read_object(goal, "measure it again")
            write_run_file(goal.parent, {key: value for key, value in document.items() if key != "sha256"})
            copied[sums[name]] = file_sha256(goal)
    ledger = read_ledger(study.parent / LEDGER)
    if ledger:
        copy_ledger(ledger, site / LEDGER, copied)
    if (copy / "plan.json").is_file():
        differing = collected_again(stage / "code", copy)
        if differing:
            hint = _why_another(private)
            raise WeirError(f"the raw outputs give another {differing[0]}", file=study, hint=hint)
        return copy
    digest = write_manifest(copy, "records.csv", ())
    with damage_named(copy / "records.csv", _REPLACED):
        write_intervals(copy / "records.csv")
    facts = copy / "facts.json"
    facts.write_bytes(private.text((study / "facts.json").read_bytes()))
    facts.write_text(json.dumps(read_object(facts, _REPLACED) | {"digest": digest}, indent=1) + "\n")
    return copy


def _why_another(private: Private) -> str:
    """A hint for raw outputs of the bundle that give other tables than the study has."""
    hint = "another version of weir collected the study: collect it again, then bundle it"
    names = ", ".join(sorted(private.echoed))
    return f"{hint}; or outputs need a value that was replaced in them: publish: [{names}]" if names else hint


def _zip(stage: Path, out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(file for file in stage.rglob("*") if file.is_file()):
            entry = zipfile.ZipInfo(str(file.relative_to(stage)), _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (file.stat().st_mode & 0o755) << 16
            archive.writestr(entry, file.read_bytes())


METADATA = "ro-crate-metadata.json"
WORKFLOW = "code/Snakefile"
_CRATE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    _CRATE: "Workflow RO-Crate",
}
_CONTEXT = "https://w3id.org/ro/crate/1.1/context"
_TYPES = {".csv": "text/csv", ".json": "application/json", ".svg": "image/svg+xml", ".pdf": "application/pdf"}


def crate_metadata(
    stage: Path, study: Path, facts: Mapping[str, Any], about: Mapping[str, Any]
) -> dict[str, Any]:
    """JSON-LD for the files below stage; study is the path of the study there."""
    tables = [file for file in sorted((stage / study).rglob("*")) if file.suffix in _TYPES]
    results = [_file(file.relative_to(stage)) for file in tables]
    runs = study.parent / "runs"
    raw = {"@id": f"{runs}/", "@type": "Dataset", "name": "Raw outputs"}
    parts = [*results, *([raw] if (stage / runs).is_dir() else [])]
    version = about.get("commit") or facts.get("weir_version") or "unknown"
    return {
        "@context": _CONTEXT,
        "@graph": [
            {
                "@id": METADATA,
                "@type": "CreativeWork",
                "about": {"@id": "./"},
                "conformsTo": [{"@id": "https://w3id.org/ro/crate/1.1"}, {"@id": _CRATE}],
            },
            _root(study.name, facts, version, parts),
            *(
                {"@id": profile, "@type": "CreativeWork", "name": name, "version": profile.rpartition("/")[2]}
                for profile, name in _PROFILES.items()
            ),
            *_workflow(facts, version),
            _action(study, facts, results),
            *parts,
        ],
    }


def _root(name: str, facts: Mapping[str, Any], version: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    counts = ", ".join(f"{count} {verdict}" for verdict, count in facts["verdicts"].items())
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Storage measurements: {name}",
        "description": f"{facts['records']} records ({counts}) with raw outputs, plan and code.",
        "datePublished": facts.get("ended") or date.today().isoformat(),
        "identifier": f"sha256:{facts['digest']}",
        "version": version,
        "license": {"@id": "#license"},
        "conformsTo": [{"@id": profile} for profile in _PROFILES],
        "mainEntity": {"@id": WORKFLOW},
        "hasPart": [{"@id": WORKFLOW}, *({"@id": part["@id"]} for part in parts)],
        "mentions": [{"@id": "#measurement"}],
    }


def _workflow(facts: Mapping[str, Any], version: str) -> list[dict[str, Any]]:
    return [
        {
            "@id": WORKFLOW,
            "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
            "name": "weir",
            "version": version,
            "license": {"@id": "https://spdx.org/licenses/Apache-2.0"},
            "programmingLanguage": {"@id": "#snakemake"},
        },
        {
            "@id": "#snakemake",
            "@type": "ComputerLanguage",
            "name": "Snakemake",
            "alternateName": "snakemake",
            "identifier": {"@id": "https://doi.org/10.1093/bioinformatics/bts480"},
            "url": {"@id": "https://snakemake.readthedocs.io"},
        },
        {
            "@id": "https://spdx.org/licenses/Apache-2.0",
            "@type": "CreativeWork",
            "name": "Apache License 2.0",
        },
        {
            "@id": "#license",
            "@type": "CreativeWork",
            "name": "Not stated",
            "description": "The code is under Apache-2.0. Ask whoever measured for the licence of the data.",
        },
        {
            "@id": "#site",
            "@type": "Organization",
            "name": f"site {facts.get('site', {}).get('site', 'unknown')}",
        },
    ]


def _action(study: Path, facts: Mapping[str, Any], results: list[dict[str, Any]]) -> dict[str, Any]:
    plan = f"{study}/plan.json"
    inputs = [{"@id": plan}] if any(result["@id"] == plan for result in results) else []
    action: dict[str, Any] = {
        "@id": "#measurement",
        "@type": "CreateAction",
        "name": f"Measurement of {study.name}",
        "description": f"{facts.get('finished_executions', 'unknown')} executions, measured and collected.",
        "instrument": {"@id": WORKFLOW},
        "agent": {"@id": "#site"},
        "object": inputs,
        "result": [{"@id": result["@id"]} for result in results if result["@id"] != plan],
        "actionStatus": {"@id": "http://schema.org/CompletedActionStatus"},
    }
    times = {"startTime": facts.get("began"), "endTime": facts.get("ended")}
    return action | {key: value for key, value in times.items() if value}


def _file(path: Path) -> dict[str, Any]:
    return {"@id": str(path), "@type": "File", "name": path.name, "encodingFormat": _TYPES[path.suffix]}
