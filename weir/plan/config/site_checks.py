"""Checks a site's files beyond their schemas."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from weir.base.errors import Problem, did_you_mean
from weir.base.files import path_fault
from weir.base.storage_calls import real_path
from weir.plan.config.yaml_file import Keys, YamlFile
from weir.site.launchers import launchers
from weir.site.schedulers import schedulers
from weir.tools.base import Tool

# {name} in a word; shell-like ${NAME} and JSON are left alone.
_PLACEHOLDER = re.compile(r"(?<!\$)\{([A-Za-z_]+)\}")
_OF_A_RUN = ("count", "pool", "osts", "folder")  # fields of the commands for stripes
# The names of files below a target have 50 bytes more. Open MPI 4.1 writes beyond its buffer from 238 on.
_LONGEST_PATH_BYTES = 180
_OWN_PLACE = "give weir a directory of its own, such as /scratch/weir-{user}"


def name_problems(file: YamlFile, key: str, name: str) -> Iterator[Problem]:
    """The name in a file must be that of the file or folder."""
    if file.data[key] != name:
        message = f"'{file.data[key]}' differs from the name of its file or directory, '{name}'"
        yield file.problem((key,), message, f"write {key}: {name}")


def placeholder_problems(file: YamlFile, known: Iterable[str]) -> Iterator[Problem]:
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


def stack_problems(file: YamlFile, tools: Mapping[str, Tool]) -> Iterator[Problem]:
    """Stacks that are named but not there, or there and not used; programs of unknown tools."""
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
    for stack, data in stacks.items():
        if stack not in used:
            message = f"no partition runs the stack '{stack}'"
            yield file.problem(
                ("stacks", stack), message, "name it in the stacks of a partition, or delete it"
            )
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


def partition_problems(file: YamlFile) -> Iterator[Problem]:
    """Launchers and schedulers that no file describes."""
    for name, partition in file.data["partitions"].items():
        for key, known in (("launcher", [*launchers()]), ("scheduler", [*schedulers()])):
            if partition[key] not in known:
                keys = ("partitions", name, key)
                hint = did_you_mean(partition[key], known)
                yield file.problem(keys, f"there is no {key} '{partition[key]}'", hint, partition[key])


def interface_problems(file: YamlFile, tools: Mapping[str, Tool]) -> Iterator[Problem]:
    """Interfaces that no tool knows: every cell would be excluded silently."""
    known = {
        word for tool in tools.values() if "api" in tool.parameters for word in tool.parameters["api"].choices
    }
    for index, api in enumerate(file.data.get("apis", ())):
        if known and api not in known:
            yield file.problem(
                ("apis", index), f"no tool knows the interface '{api}'", did_you_mean(api, known), api
            )


def reach_problems(file: YamlFile, stacks: Iterable[str]) -> Iterator[Problem]:
    """Stacks of a target that the site does not have."""
    known = list(stacks)
    for index, stack in enumerate(file.data.get("stacks", ())):
        if stack not in known:
            yield file.problem(
                ("stacks", index), f"the site has no stack '{stack}'", did_you_mean(stack, known), stack
            )


def _home() -> str:
    """The home of the user. Without HOME and without an entry of the user there is none to protect; / is
    refused anyway."""
    try:
        return os.path.realpath(Path.home())
    except RuntimeError:
        return "/"


def path_problems(file: YamlFile, path: str) -> Iterator[Problem]:
    """A target must be a directory of its own: weir fills it and cleans it up. path is the resolved one."""
    written = file.data["path"]
    home = _home()
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
