"""The sources of a bundle: the study, its checkout, its site's files, and which values in them are
private."""

import json
import socket
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from weir.audit.registry import rules
from weir.base.files import from_json, read_object
from weir.base.units import counted
from weir.data.yaml_classes import DUMPER, LOADER
from weir.plan import read_plan
from weir.plan.config.sites import user_name
from weir.plan.config.yaml_file import read_yaml
from weir.records.columns import columns
from weir.report.bundle.private import Private, measured_by
from weir.report.bundle.publishable import is_distinctive, is_public, is_secret_name
from weir.runs.files import RUN_FILE
from weir.runs.manifest import read_manifest
from weir.tools import tools

_PLAN = "plan.json"
_PRINTED = ("stdout.txt", "stderr.txt")
_PROSE = ("description", "question", "because", "experiments")  # keys of a plan
_TELLING = 8  # characters: a shorter value of MPI or an I/O library is a number or a switch


@dataclass(frozen=True)
class StudySource:
    """A study in its checkout; site_files: the files of its site with their data, if they are YAML."""

    study: Path
    root: Path
    private: Private
    site_files: Mapping[Path, Any]
    publish: frozenset[str]
    suites: frozenset[str]  # of the study
    printed: Mapping[str, int]  # variables of the shell, and how many outputs of runs hold their values
    kept: Sequence[tuple[str, str]]  # places and what stays there that may be confidential

    @classmethod
    def of(
        cls,
        study: Path,
        root: Path,
        home: Path,
        shell: Mapping[str, str] | None = None,
        without: Sequence[str] = (),
    ) -> "StudySource":
        """All files are read once, so that what one of them shows to be private is replaced in each.

        shell: variables of whoever bundles, whose values programs may have printed; without: texts, or
        variables of the shell, whose values are replaced everywhere.
        """
        shell, file = shell or {}, study / _PLAN
        if file.is_file():
            read_plan(file)  # a damaged one is named, with what is wrong
        plan = read_object(file, "plan and collect again") if file.is_file() else {}
        site = str(plan.get("site", {}).get("name", ""))
        data = {file: read_yaml(file, root).data for file in _yaml_files(root, site)}
        publish = frozenset(
            name for each in data.values() if isinstance(each, dict) for name in each.get("publish") or ()
        )
        users = {user_name(), *_owner(study), *measured_by(plan, data.values())}
        private = Private(publish, _folders(plan, root, study.parent.parent, home), users, _terms(plan))
        suites = frozenset(str(each.get("suite")) for each in plan.get("suites", ()))
        printed = _printed_of(study, {name: text for name, text in shell.items() if _may_be_printed(text)})
        for name in without:
            private.withhold(shell.get(name) or name, name if name in shell else "--without")
        for name in (name for name in printed if is_secret_name(name)):
            private.withhold(shell[name], f"{name} of your shell")
        source = cls(study, root, private, data, publish, suites, printed, [])
        source._look(plan)
        kept = ((place, private.text(text.encode()).decode()) for place, text in _read_by_people(plan))
        return replace(source, kept=[*dict.fromkeys(kept)])

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

    def kept_values(self, without: Sequence[str] = ()) -> list[tuple[str, str]]:
        """Each place with what stays there; its author knows whether that is confidential."""
        found = [*self.kept]
        if names := ", ".join(sorted(self.private.also_terms)):
            found.append(("values that are names of the study", names))
        for name, count in self.printed.items():
            if not is_secret_name(name) and name not in without:
                found.append((f"{name} of your shell", f"its value is in {counted(count, 'output')} of runs"))
        return found

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

    def write_configuration(self, code: Path, folder: str) -> None:
        """Configuration without comments, which may hold anything."""
        for file in sorted((code / folder).rglob("*.yaml")):
            text = file.read_text(encoding="utf-8")
            if "#" in text and "schemas" not in file.parts:
                file.write_text(_dumped(yaml.load(text, Loader=LOADER)), encoding="utf-8")

    def write_site(self, code: Path) -> None:
        """The files of the site without comments, which may hold anything, and those that it publishes."""
        for file, data in self.site_files.items():
            clean = self.private.fields(data, _place(file), "<%s>")
            self._write(code, file, _dumped(clean).encode())
        for file in (file for file in self._others() if file.name in self.publish):
            self._write(code, file, file.read_bytes()).chmod(file.stat().st_mode & 0o755)

    def _write(self, code: Path, file: Path, content: bytes) -> Path:
        goal = code / file.relative_to(self.root)
        goal.parent.mkdir(parents=True, exist_ok=True)
        goal.write_bytes(self.private.text(content, "<%s>"))
        return goal


def _dumped(data: Any) -> str:
    text: str = yaml.dump(data, Dumper=DUMPER, sort_keys=False, allow_unicode=True, width=120)
    return text


def _may_be_printed(value: str) -> bool:
    """Whether a value of the shell is a secret by its form: neither a path nor the name of the machine."""
    return is_distinctive(value) and not value.startswith("/") and value != socket.gethostname()


def _printed_of(study: Path, values: Mapping[str, str]) -> dict[str, int]:
    """The names of the values that programs of the study printed, with the number of their outputs."""
    found: Counter[str] = Counter()
    _, sums = read_manifest(study)
    for folder in (study / name for name in sums if values and Path(name).name == RUN_FILE):
        for file in (folder.with_name(name) for name in _PRINTED):
            content = file.read_bytes() if file.is_file() else b""
            found.update(name for name, value in values.items() if value.encode() in content)
    return dict(sorted(found.items()))


def _read_by_people(plan: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Prose of the plan, and values of variables that a bundle may hold."""
    for key in ("site", "suites", "exclusions"):
        yield from _prose(plan.get(key), key)


def _prose(data: Any, place: str) -> Iterator[tuple[str, str]]:
    for key, value in data.items() if isinstance(data, Mapping) else enumerate(data or ()):
        named = value.get("suite", key) if isinstance(value, Mapping) else key
        inner = f"{place}.{named}".removeprefix("site.")
        if key == "environment" and isinstance(value, Mapping):
            yield from (
                (f"{inner}.{name}", text)
                for name, text in value.items()
                if isinstance(text, str) and len(text) >= _TELLING and is_public(name, text)
            )
        elif key in _PROSE:
            texts = value.values() if isinstance(value, Mapping) else (value,)
            yield from ((inner, text) for text in texts if isinstance(text, str) and text)
        elif isinstance(value, (Mapping, list)):
            yield from _prose(value, inner)


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
