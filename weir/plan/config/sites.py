"""Reads config/sites/<site>/: the site and its targets, checked beyond their schemas."""

import getpass
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from weir.base.errors import ConfigError, Problem, did_you_mean, unique
from weir.base.files import path_fault
from weir.base.storage_calls import look_up_real_paths, real_path
from weir.base.units import parse_duration, parse_percent, parse_rate, parse_size
from weir.data import load_schema
from weir.plan.config.schema import check
from weir.plan.config.sources import Sources
from weir.plan.config.suite import FULL
from weir.plan.config.yaml_file import Keys, YamlFile, read_yaml
from weir.records.model import CrossCheck, Partition, Site, Stack, Target
from weir.site.launchers import launchers
from weir.site.schedulers import schedulers
from weir.tools import tools as found_tools
from weir.tools.base import Tool

# What reaches a measurement, and so its cells' identity; before {root} and {user} are put in.
_IDENTITY_OF_TARGET = ("path", "prefix", "environment", "prepare", "stripes")
# How Lustre, the file system that has stripes, sets and tells them.
_LFS = {
    "set": ["lfs", "setstripe", "--stripe-count", "{count}", "{folder}"],
    "pool": ["lfs", "setstripe", "--stripe-count", "{count}", "--pool", "{pool}", "{folder}"],
    "osts": ["lfs", "setstripe", "--ost", "{osts}", "{folder}"],
    "get": ["lfs", "getstripe", "--directory", "--stripe-count", "{folder}"],
}
# Not the cross_check, whose cells have its program in place of that of the stack.
_IDENTITY_OF_STACK = ("programs", "environment", "launcher_options")


@dataclass(frozen=True)
class Identities:
    """The facts of a site that influence a measurement, as its files contain them, so that a checkout can
    move."""

    targets: Mapping[str, Mapping[str, Any]]
    stacks: Mapping[str, Mapping[str, Any]]
    cross_checks: Mapping[str, Mapping[str, Sequence[str]]]  # programs of each stack


def load_site(
    sources: Sources, name: str, tools: Mapping[str, Tool] | None = None
) -> tuple[Site, Identities]:
    """The site with its targets, resolved, and the identities of both; tools: those of weir by default."""
    tools = found_tools() if tools is None else tools
    path = sources.file("sites", name, "site.yaml")
    if not path.is_file():
        found = sources.misnamed("sites", name, "site.yml")
        hint = found[0].hint if found else did_you_mean(name, sources.sites())
        raise ConfigError([Problem(f"there is no site '{name}'", sources.searched("sites"), hint=hint)])
    problems = sources.misnamed("sites", name, "targets")
    site = _read(path, sources, "site", name, problems)
    paths = sources.targets(name)
    read = [_read(path, sources, "target", path.stem, problems) for path in paths]
    targets = [target for target in read if target is not None]
    if not paths:
        place, hint = sources.searched(f"sites/{name}/targets"), "describe one in a file <target>.yaml here"
        problems.append(Problem("the site has no target", place, hint=hint))
    if site is not None:
        problems += _stack_problems(site.file, tools)
        problems += _partition_problems(site.file)
    look_up_real_paths(
        target.resolved["path"] for target in targets if target.resolved["path"].startswith("/")
    )
    for target in targets:
        if site is not None:
            reached_by, stacks = target.file.data.get("stacks", ()), site.file.data["stacks"]
            problems += target.file.unknown(("stacks",), reached_by, stacks, _NO_STACK)
        problems += _path_problems(target.file, target.resolved["path"])
        problems += _interface_problems(target.file, tools)
    if problems or site is None:
        raise ConfigError(unique(problems))
    resolved = {target.resolved["target"]: _target(target.resolved) for target in targets}
    return _site(site.resolved, resolved), _identities(site.file, [target.file for target in targets])


def user_name() -> str:
    """The name for {user}; the number where the machine has no name for it, as in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.geteuid())


@dataclass(frozen=True)
class _Description:
    """A file as it is written, and its data with {root}, {config} and {user} put in."""

    file: YamlFile
    resolved: Any


def _read(path: Path, sources: Sources, kind: str, name: str, problems: list[Problem]) -> _Description | None:
    """The file, unless it cannot be read or breaks its schema; all that is wrong with it goes to problems."""
    try:
        file = read_yaml(path, sources.root)
    except ConfigError as error:
        problems.extend(error.problems)
        return None
    placeholders = {"root": str(sources.root), "config": str(sources.folder_of(path)), "user": user_name()}
    broken = check(file, load_schema(kind))
    problems.extend(broken or [*_name_problems(file, kind, name), *_placeholder_problems(file, placeholders)])
    return None if broken else _Description(file, _resolved(file.data, placeholders))


def _identities(site_file: YamlFile, target_files: Sequence[YamlFile]) -> Identities:
    return Identities(
        targets={file.data["target"]: _kept(file.data, _IDENTITY_OF_TARGET) for file in target_files},
        stacks={name: _kept(stack, _IDENTITY_OF_STACK) for name, stack in site_file.data["stacks"].items()},
        cross_checks={
            name: stack.get("cross_check", {}).get("programs", {})
            for name, stack in site_file.data["stacks"].items()
        },
    )


def _kept(data: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    return {key: data[key] for key in keys if data.get(key)}


def _resolved(value: Any, placeholders: Mapping[str, str]) -> Any:
    """The value with its placeholders replaced, everywhere but in regular expressions and descriptions."""
    if isinstance(value, dict):
        keep = ("hosts", "description")
        return {key: item if key in keep else _resolved(item, placeholders) for key, item in value.items()}
    if isinstance(value, list):
        return [_resolved(item, placeholders) for item in value]
    if isinstance(value, str):
        for word, replacement in placeholders.items():
            value = value.replace("{" + word + "}", replacement)
    return value


def _made(kind: Any, data: Mapping[str, Any], **given: Any) -> Any:
    """An object of the keys that are its fields, and of given, of which None leaves the default."""
    names = {field.name for field in fields(kind)}
    written = {key: _frozen(value) for key, value in data.items() if key in names}
    return kind(**written, **{name: _frozen(item) for name, item in given.items() if item is not None})


def _frozen(value: Any) -> Any:
    """The value with tuples for its lists."""
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _target(data: Mapping[str, Any]) -> Target:
    expect = {access: parse_rate(rate) for access, rate in data.get("expect", {}).items()}
    stripes = data.get("stripes", _LFS) if data.get("max_stripe_count") else {}
    target: Target = _made(
        Target,
        data,
        name=data["target"],
        space_bytes=parse_size(data["space"]) if "space" in data else 0,
        sent_per_byte=data.get("copies", 1) * _expansion(data.get("coding", "1+0")),
        write_mib_s=expect.get("write"),
        read_mib_s=expect.get("read"),
        peak_mib_s={access: parse_rate(rate) for access, rate in data.get("peak", {}).items()},
        set_stripes=stripes.get("set"),
        set_pool=stripes.get("pool"),
        set_osts=stripes.get("osts"),
        get_stripes=stripes.get("get"),
    )
    return target


def _expansion(coding: str) -> float:
    """4+2: six parts are stored of four."""
    data, _, parity = coding.partition("+")
    return (int(data) + int(parity)) / int(data)


def _stack(name: str, data: Mapping[str, Any]) -> Stack:
    check = data.get("cross_check")
    if check and "margin" in check:
        check = {**check, "margin": parse_percent(check["margin"])}
    stack: Stack = _made(Stack, {**data, "cross_check": check and _made(CrossCheck, check)}, name=name)
    return stack


def _partition(name: str, data: Mapping[str, Any]) -> Partition:
    limits = {key: parse_duration(data[key]) for key in ("time_limit", "launch") if key in data}
    partition: Partition = _made(
        Partition,
        {"max_ppn": data["cores_per_node"], **data},
        name=name,
        time_limit_s=limits.get("time_limit"),
        launch_s=limits.get("launch"),
    )
    return partition


def _site(data: Mapping[str, Any], targets: Mapping[str, Target]) -> Site:
    stacks = {name: _stack(name, one) for name, one in data["stacks"].items()}
    partitions = {name: _partition(name, one) for name, one in data["partitions"].items()}
    hosts = tuple(data.get("hosts", [".*"]))
    scale = data.get("scale", FULL)
    wire = data.get("wire_gbit_s")
    return Site(data["site"], data["description"], hosts, partitions, stacks, targets, scale, wire)


# {name} in a word; shell-like ${NAME} and JSON are left alone.
_PLACEHOLDER = re.compile(r"(?<!\$)\{([A-Za-z_]+)\}")
_OF_A_RUN = ("count", "pool", "osts", "folder")  # fields of the commands for stripes
# The names of files below a target have 50 bytes more. Open MPI 4.1 writes beyond its buffer from 238 on.
_LONGEST_PATH_BYTES = 180
_NO_STACK = "the site has no stack '{}'"
_OWN_PLACE = "give weir a directory of its own, such as /scratch/weir-{user}"


def _name_problems(file: YamlFile, key: str, name: str) -> Iterator[Problem]:
    """The name in a file must be that of the file or folder."""
    if file.data[key] != name:
        message = f"'{file.data[key]}' differs from the name of its file or directory, '{name}'"
        yield file.problem((key,), message, f"write {key}: {name}")


def _placeholder_problems(file: YamlFile, known: Iterable[str]) -> Iterator[Problem]:
    """Words in braces that stand for nothing."""

    def walk(value: Any, keys: Keys) -> Iterator[Problem]:
        if isinstance(value, dict):
            for key, item in value.items():
                yield from walk(item, (*keys, key))
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield from walk(item, (*keys, index))
        elif isinstance(value, str) and keys[:1] not in (("hosts",), ("description",)):
            usable = [*known, *(_OF_A_RUN if keys[:1] == ("stripes",) else ())]
            for word in (word for word in _PLACEHOLDER.findall(value) if word not in usable):
                message = f"'{value}' uses {{{word}}}, which stands for nothing"
                yield file.problem(keys, message, did_you_mean(word, usable), value)

    yield from walk(file.data, ())


def _stack_problems(file: YamlFile, tools: Mapping[str, Tool]) -> Iterator[Problem]:
    """Stacks that are named but not there, or there and not used; programs of unknown tools."""
    stacks = file.data["stacks"]
    used: set[str] = set()
    for name, partition in file.data["partitions"].items():
        used |= set(partition["stacks"])
        yield from file.unknown(("partitions", name, "stacks"), partition["stacks"], stacks, _NO_STACK)
    for stack, data in stacks.items():
        if stack not in used:
            hint = "name it in the stacks of a partition, or delete it"
            yield file.problem(("stacks", stack), f"no partition runs the stack '{stack}'", hint)
        for tool in (tool for tool in data["programs"] if tool not in tools):
            keys = ("stacks", stack, "programs", tool)
            yield file.problem(keys, f"there is no tool '{tool}'", did_you_mean(tool, tools), tool)
        yield from _cross_check_problems(file, stack)


def _cross_check_problems(file: YamlFile, stack: str) -> Iterator[Problem]:
    """Programs of a cross_check that have nothing to check."""
    own = file.data["stacks"][stack]["programs"]
    for tool, command in file.data["stacks"][stack].get("cross_check", {}).get("programs", {}).items():
        keys = ("stacks", stack, "cross_check", "programs", tool)
        if tool not in own:
            message, hint = f"stack {stack} has no program of {tool} to check", did_you_mean(tool, own)
            yield file.problem(keys, message, hint, tool)
        elif own[tool] == command:
            hint = "name the original under programs and weir-io here"
            yield file.problem(keys, f"is the program of {tool} itself: nothing is checked", hint)


def _partition_problems(file: YamlFile) -> Iterator[Problem]:
    """Launchers and schedulers that no file describes."""
    for name, partition in file.data["partitions"].items():
        for key, known in (("launcher", [*launchers()]), ("scheduler", [*schedulers()])):
            if partition[key] not in known:
                keys = ("partitions", name, key)
                hint = did_you_mean(partition[key], known)
                yield file.problem(keys, f"there is no {key} '{partition[key]}'", hint, partition[key])


def _interface_problems(file: YamlFile, tools: Mapping[str, Tool]) -> Iterator[Problem]:
    """Interfaces that no tool knows: every cell would be excluded silently."""
    known = {
        word for tool in tools.values() if "api" in tool.parameters for word in tool.parameters["api"].choices
    }
    if known:
        message = "no tool knows the interface '{}'"
        yield from file.unknown(("apis",), file.data.get("apis", ()), known, message)


def home_directory() -> Path:
    """The home of the user; / where there is none, without HOME and without an entry of the user."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def _path_problems(file: YamlFile, path: str) -> Iterator[Problem]:
    """A target must be a directory of its own: weir fills it and cleans it up. path is the resolved one."""
    written = file.data["path"]
    home = os.path.realpath(home_directory())
    is_absolute = path.startswith("/")
    clean = real_path(path) if is_absolute else path  # a link is judged by what it points to
    problem, hint = path_fault(path) if is_absolute else None, _OWN_PLACE
    if not is_absolute:
        if file.data.get("prefix"):
            return  # a name in another name space, such as xpd:pool
        problem = "is not an absolute path"
    elif problem:
        hint = "give it a name without"
    elif clean in ("/", "//"):
        problem = "is the root of the machine"
    elif len(os.fsencode(path)) > _LONGEST_PATH_BYTES:
        problem = f"has more than {_LONGEST_PATH_BYTES} bytes: MPI-IO overruns its buffer with names below it"
        hint = "give it a shorter name"
    elif clean == home:
        problem = "is the home directory"
    elif clean.count("/") < 2:
        problem = "is a top-level directory of the machine"
    elif home != "/" and Path(clean).is_relative_to(home) and not file.data.get("allow_home"):
        problem, hint = "is inside the home directory", f"{_OWN_PLACE}; or say allow_home: true"
    if problem:
        shown = repr(written) if written == clean else f"{written!r} ({clean})"
        yield file.problem(("path",), f"{shown} {problem}", hint, written)
