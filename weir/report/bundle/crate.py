"""The metadata of a bundle: an RO-Crate of the profile Workflow Run Crate (https://w3id.org/ro/wfrun/workflow)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

METADATA = "ro-crate-metadata.json"
WORKFLOW = "code/Snakefile"
_PROFILES = (
    "https://w3id.org/ro/wfrun/process/0.5",
    "https://w3id.org/ro/wfrun/workflow/0.5",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
)
_CONTEXT = "https://w3id.org/ro/crate/1.1/context"
_TYPES = {".csv": "text/csv", ".json": "application/json", ".svg": "image/svg+xml", ".pdf": "application/pdf"}


def crate_metadata(
    stage: Path, study: Path, facts: Mapping[str, Any], about: Mapping[str, Any]
) -> dict[str, Any]:
    """JSON-LD for the files below stage; study is the path of the study there."""
    tables = [file for file in sorted((stage / study).rglob("*")) if file.suffix in _TYPES]
    results = [_file(file.relative_to(stage)) for file in tables]
    runs = study.parent / "runs"
    parts = (
        [*results, {"@id": f"{runs}/", "@type": "Dataset", "name": "Raw outputs"}]
        if (stage / runs).is_dir()
        else results
    )
    name = str(study.name)
    return {
        "@context": _CONTEXT,
        "@graph": [
            {
                "@id": METADATA,
                "@type": "CreativeWork",
                "about": {"@id": "./"},
                "conformsTo": [{"@id": "https://w3id.org/ro/crate/1.1"}, {"@id": _PROFILES[2]}],
            },
            _root(name, facts, about, parts),
            *(
                {
                    "@id": profile,
                    "@type": "CreativeWork",
                    "name": _profile_name(profile),
                    "version": profile.rpartition("/")[2],
                }
                for profile in _PROFILES
            ),
            *_workflow(facts, about),
            _action(name, study, facts, results),
            *parts,
        ],
    }


def _root(
    name: str, facts: Mapping[str, Any], about: Mapping[str, Any], parts: list[dict[str, Any]]
) -> dict[str, Any]:
    counts = ", ".join(f"{count} {verdict}" for verdict, count in facts["verdicts"].items())
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Storage measurements: {name}",
        "description": f"{facts['records']} records ({counts}) with raw outputs, plan and code.",
        "datePublished": facts.get("ended") or date.today().isoformat(),
        "identifier": f"sha256:{facts['digest']}",
        "version": about.get("commit") or facts.get("weir_version") or "unknown",
        "license": {"@id": "#license"},
        "conformsTo": [{"@id": profile} for profile in _PROFILES],
        "mainEntity": {"@id": WORKFLOW},
        "hasPart": [{"@id": WORKFLOW}, *({"@id": part["@id"]} for part in parts)],
        "mentions": [{"@id": "#measurement"}],
    }


def _workflow(facts: Mapping[str, Any], about: Mapping[str, Any]) -> list[dict[str, Any]]:
    version = about.get("commit") or facts.get("weir_version") or "unknown"
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


def _action(
    name: str, study: Path, facts: Mapping[str, Any], results: list[dict[str, Any]]
) -> dict[str, Any]:
    plan = f"{study}/plan.json"
    inputs = [{"@id": plan}] if any(result["@id"] == plan for result in results) else []
    action: dict[str, Any] = {
        "@id": "#measurement",
        "@type": "CreateAction",
        "name": f"Measurement of {name}",
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


def _profile_name(profile: str) -> str:
    names = {"process": "Process Run Crate", "workflow": "Workflow Run Crate"}
    return names.get(profile.split("/")[-2], "Workflow RO-Crate")
