"""The sources of a bundle: the study, its checkout, its site's files, and which values in them are
private."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from weir.audit.registry import rules
from weir.base.files import from_json, read_object
from weir.plan.config.sites import user_name
from weir.plan.config.yaml_file import read_yaml
from weir.report.bundle.private import Private, measured_by
from weir.runs.files import RUN_FILE
from weir.runs.manifest import read_manifest
from weir.terms.columns import columns
from weir.tools import tools

_PLAN = "plan.json"


@dataclass(frozen=True)
class Source:
    """A study in its checkout; site_files: the files of its site with their data, if they are YAML."""

    study: Path
    root: Path
    private: Private
    site_files: Mapping[Path, Any]
    publish: frozenset[str]

    @classmethod
    def of(cls, study: Path, root: Path, home: Path) -> Source:
        """All files are read once, so that what one of them shows to be private is replaced in each."""
        file = study / _PLAN
        plan = read_object(file, "plan and collect again") if file.is_file() else {}
        site = str(plan.get("site", {}).get("name", ""))
        data = {file: read_yaml(file, root).data for file in _yaml_files(root, site)}
        publish = frozenset(
            name for each in data.values() if isinstance(each, dict) for name in each.get("publish", ())
        )
        users = {user_name(), *_owner(study), *measured_by(plan, data.values())}
        private = Private(publish, _folders(plan, root, study.parent.parent, home), users, _terms(plan))
        source = cls(study, root, private, data, publish)
        source._look(plan)
        return source

    def _look(self, plan: Mapping[str, Any]) -> None:
        """Note what is private in the plan, the files of the site and what the runs were started with."""
        self.private.fields(plan.get("site", {}))
        for file, data in self.site_files.items():
            self.private.fields(data, _place(file))
        _, sums = read_manifest(self.study)
        for name in (name for name in sums if Path(name).name == RUN_FILE):
            self.private.fields(read_object(self.study / name, "measure it again"))

    def replaced(self) -> list[tuple[str, str]]:
        """Each place with the names of what is replaced there; at last the files that stay behind."""
        left = ", ".join(sorted({file.name for file in self._others() if file.name not in self.publish}))
        return [*self.private.replaced(), *([("files of the site", left)] if left else [])]

    def _others(self) -> Iterator[Path]:
        """Files of the site that weir does not read, such as a script that a target is prepared by."""
        for folder in (file.parent for file in self.site_files if file.name == "site.yaml"):
            files = (file for file in sorted(folder.rglob("*")) if file.is_file())
            yield from (file for file in files if file not in self.site_files)

    def content(self, file: Path) -> bytes:
        """A file of the study, without what is private in its fields."""
        content = file.read_bytes()
        if file.name not in (_PLAN, RUN_FILE):
            return content
        data = from_json(content)
        clean = (
            data | {"site": self.private.fields(data["site"])}
            if file.name == _PLAN
            else self.private.fields(data)
        )
        return content if clean == data else json.dumps(clean, indent=1).encode() + b"\n"

    def write_site(self, code: Path) -> None:
        """The files of the site without comments, which may hold anything, and those that it publishes."""
        for file, data in self.site_files.items():
            clean = self.private.fields(data, _place(file), "<%s>")
            text = yaml.dump(clean, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=120)
            self._write(code, file, text.encode())
        for file in (file for file in self._others() if file.name in self.publish):
            self._write(code, file, file.read_bytes()).chmod(file.stat().st_mode & 0o755)

    def _write(self, code: Path, file: Path, content: bytes) -> Path:
        goal = code / file.relative_to(self.root)
        goal.parent.mkdir(parents=True, exist_ok=True)
        goal.write_bytes(self.private.text(content, "<%s>"))
        return goal


def _yaml_files(root: Path, site: str) -> list[Path]:
    folder = root / "config" / "sites" / site
    files = [folder / "site.yaml", *sorted((folder / "targets").glob("*.yaml"))]
    return [file for file in files if site and file.is_file()]


def _place(file: Path) -> str:
    """The key of a file in the plan: the contents of a target's file are below its name."""
    return f"targets.{file.stem}" if file.parent.name == "targets" else ""


def _folders(plan: Mapping[str, Any], root: Path, results: Path, home: Path) -> dict[str, str]:
    targets = plan.get("site", {}).get("targets", {})
    folders = {str(results): "results", str(root): "root"}
    folders |= {target["path"]: name for name, target in targets.items() if target["path"].startswith("/")}
    return folders if home == Path("/") else folders | {str(home): "home"}


def _owner(study: Path) -> Iterator[str]:
    try:
        yield study.owner()
    except KeyError:  # as in a container, which has no name for it
        return


def _terms(plan: Mapping[str, Any]) -> Iterator[str]:
    """The terms that a text of the study cannot do without: its names, labels, parameters and paths, and
    weir's terms."""
    site = plan.get("site", {})
    yield from (*columns(), *tools(), *rules())
    for name, target in site.get("targets", {}).items():
        yield from (name, target["kind"], target["path"], target.get("mount", ""))
    yield from (*site.get("stacks", {}), *site.get("partitions", {}), site.get("name", ""))
    for batch in plan.get("batches", ()):
        for cell in batch["cells"]:
            yield from (cell["label"], cell["suite"], cell["experiment"], json.dumps(cell["params"]))
