"""Reads config/sites/<site>/: the site and its targets."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.config.schema import check, load_schema
from weir.config.yaml_file import YamlFile, read_yaml
from weir.errors import ConfigError, Problem, did_you_mean
from weir.model import Partition, Site, Stack, Target
from weir.units import parse_duration, parse_rate, parse_size

# What of a target reaches a measurement, and so its cells' identity; before {root} and {user} are put in.
_IDENTITY_OF_TARGET = ("path", "prefix", "environment", "prepare")


@dataclass(frozen=True)
class Identities:
    """What of a site influences a measurement, as its files say it, so that a checkout can move."""

    targets: Mapping[str, Mapping[str, Any]]
    stacks: Mapping[str, Mapping[str, Any]]


def load_site(root: Path, name: str) -> tuple[Site, Identities]:
    """The site with its targets, resolved, and the identities of both."""
    folder = root / "config" / "sites" / name
    if not (folder / "site.yaml").is_file():
        known = [file.parent.name for file in (root / "config" / "sites").glob("*/site.yaml")]
        raise ConfigError(
            [Problem(f"there is no site '{name}'", "config/sites", mend=did_you_mean(name, known))]
        )
    problems: list[Problem] = []
    schemas = root / "config" / "schemas"
    site_file = _checked(folder / "site.yaml", root, load_schema(schemas, "site"), problems)
    target_files = [
        _checked(path, root, load_schema(schemas, "target"), problems)
        for path in sorted((folder / "targets").glob("*.yaml"))
    ]
    if not target_files:
        problems.append(Problem("the site has no target", str((folder / "targets").relative_to(root))))
    _check_names(site_file, "site", name, problems)
    words = {"root": str(root), "user": getpass.getuser()}
    targets = {}
    identities = {}
    for file in (file for file in target_files if file is not None):
        stem = Path(file.name).stem
        _check_names(file, "target", stem, problems)
        identities[stem] = {key: file.data[key] for key in _IDENTITY_OF_TARGET if file.data.get(key)}
        target = targets[stem] = _target(stem, _resolved(file, words, problems))
        problems += _path_problems(target, file)
    if site_file is not None:
        problems += _partition_problems(site_file)
    if problems or site_file is None:
        raise ConfigError(problems)
    raw_stacks = site_file.data["stacks"]
    site = _site(_resolved(site_file, words, problems), targets)
    if problems:
        raise ConfigError(problems)
    kept = ("programs", "environment", "launcher_options")
    stacks = {
        key: {part: stack[part] for part in kept if stack.get(part)} for key, stack in raw_stacks.items()
    }
    return site, Identities(identities, stacks)


def _checked(path: Path, root: Path, schema: Mapping[str, Any], problems: list[Problem]) -> YamlFile | None:
    try:
        file = read_yaml(path, root)
    except ConfigError as error:
        problems.extend(error.problems)
        return None
    found = check(file, schema)
    problems.extend(found)
    return None if found else file


def _check_names(file: YamlFile | None, key: str, name: str, problems: list[Problem]) -> None:
    if file is not None and file.data[key] != name:
        message = f"says '{file.data[key]}', but its place says '{name}'"
        problems.append(file.problem((key,), message, f"write {key}: {name}"))


def _resolved(file: YamlFile, words: Mapping[str, str], problems: list[Problem]) -> dict[str, Any]:
    """The data with {root} and {user} put in."""

    def walk(value: Any, keys: tuple[str | int, ...]) -> Any:
        if isinstance(value, dict):
            return {key: walk(item, (*keys, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [walk(item, (*keys, index)) for index, item in enumerate(value)]
        if not isinstance(value, str) or "{" not in value or keys[0] in ("hosts", "description"):
            return value
        for word, replacement in words.items():
            value = value.replace("{" + word + "}", replacement)
        return value

    resolved: dict[str, Any] = walk(file.data, ())
    return resolved


def _target(name: str, data: Mapping[str, Any]) -> Target:
    expect = data.get("expect", {})
    optional = {
        key: data[key]
        for key in ("mount", "prefix", "emulated", "max_stripe_count", "environment")
        if key in data
    }
    if "write" in expect:
        optional["write_mib_s"] = parse_rate(expect["write"])
    if "read" in expect:
        optional["read_mib_s"] = parse_rate(expect["read"])
    return Target(
        name=name,
        kind=data["kind"],
        path=data["path"],
        description=data["description"],
        apis=tuple(data.get("apis", ())),
        space_bytes=parse_size(data["space"]) if "space" in data else 0,
        prepare=tuple(tuple(words) for words in data.get("prepare", ())),
        cleanup=tuple(tuple(words) for words in data.get("cleanup", ())),
        **optional,
    )


def _site(data: Mapping[str, Any], targets: Mapping[str, Target]) -> Site:
    stacks = {
        name: Stack(
            name=name,
            programs={tool: tuple(words) for tool, words in stack["programs"].items()},
            description=stack.get("description", ""),
            launcher_options=tuple(stack.get("launcher_options", ())),
            environment=stack.get("environment", {}),
        )
        for name, stack in data["stacks"].items()
    }
    partitions = {
        name: Partition(
            name=name,
            nodes=item["nodes"],
            cores_per_node=item["cores_per_node"],
            max_ppn=item.get("max_ppn", item["cores_per_node"]),
            launcher=item["launcher"],
            scheduler=item["scheduler"],
            stacks=tuple(item["stacks"]),
            description=item.get("description", ""),
            time_limit_s=parse_duration(item["time_limit"]) if "time_limit" in item else 0.0,
            access=tuple(item.get("access", ())),
            launch_s=parse_duration(item["launch"]) if "launch" in item else 1.0,
        )
        for name, item in data["partitions"].items()
    }
    hosts = tuple(data.get("hosts", [".*"]))
    return Site(data["site"], data["description"], hosts, partitions, stacks, targets)


def _partition_problems(file: YamlFile) -> Iterator[Problem]:
    stacks = file.data["stacks"]
    used: set[str] = set()
    for name, partition in file.data["partitions"].items():
        for index, stack in enumerate(partition["stacks"]):
            used.add(stack)
            if stack not in stacks:
                keys = ("partitions", name, "stacks", index)
                yield file.problem(
                    keys, f"the site has no stack '{stack}'", did_you_mean(stack, stacks), stack
                )
    for stack in (stack for stack in stacks if stack not in used):
        message = f"no partition runs the stack '{stack}'"
        yield file.problem(("stacks", stack), message, "name it in the stacks of a partition, or delete it")


def _path_problems(target: Target, file: YamlFile) -> Iterator[Problem]:
    """A target must be a place of its own: weir fills it and cleans it up."""
    path = os.path.normpath(target.path)
    home = os.path.normpath(Path.home())
    mend = "give weir a directory of its own, such as /scratch/weir-{user}"
    if target.prefix and not target.path.startswith("/"):
        return  # a name in another name space, such as xpd:pool
    if not target.path.startswith("/"):
        yield file.problem(("path",), f"'{target.path}' is not an absolute path", mend, target.path)
    elif path in ("/", "//") or path.count("/") < 2:
        message = f"'{target.path}' is a top-level directory of the machine"
        yield file.problem(("path",), message, mend, target.path)
    elif path == home or (
        home != "/" and Path(path).is_relative_to(home) and not file.data.get("allow_home")
    ):
        what = "the home directory" if path == home else "inside the home directory"
        more = "" if path == home else "; or say allow_home: true"
        yield file.problem(("path",), f"'{target.path}' is {what}", mend + more, target.path)
