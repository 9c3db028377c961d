"""Tools: every directory here is a tool and contains everything specific to it. They are found by their
directories, each checked for its hooks when it is found.
"""

import inspect
import sys
from collections.abc import Iterator
from functools import cache
from types import ModuleType

from weir.base.errors import ConfigError, Problem, did_you_mean
from weir.base.plugins import modules
from weir.tools.base import PURPOSES, Tool

_HOOKS = tuple(name for name in {**Tool.__annotations__, **vars(Tool)} if name[0] not in "_R")


@cache
def tools() -> dict[str, Tool]:
    """All tools by the name a suite uses."""
    return find_tools(sys.modules[__name__])


def purpose_of(name: str | None) -> str | None:
    """The purpose of a tool; empty for a name without a tool."""
    tool = tools().get(name or "")
    return tool.purpose if tool else None


def find_tools(package: ModuleType) -> dict[str, Tool]:
    """The tools of a package by their names; all that is wrong with them is one error."""
    found: dict[str, Tool] = {}
    problems: list[Problem] = []
    for module in modules(package.__name__):
        tool, is_directory = getattr(module, "TOOL", None), hasattr(module, "__path__")
        if is_directory or tool is not None:
            wrong = list(_problems(module, tool, is_directory))
            problems += wrong
            if isinstance(tool, Tool) and not wrong:
                found[tool.name] = tool
    if problems:
        raise ConfigError(problems)
    return found


def _problems(module: ModuleType, tool: object, is_directory: bool) -> Iterator[Problem]:
    """The problems of a tool, with the file and the hook."""
    file = module.__file__ or module.__name__
    if not is_directory:
        yield Problem("is a file, and a tool is a directory", file, key="TOOL", hint="move it to __init__.py")
        return
    if not isinstance(tool, Tool):
        what = "is missing" if tool is None else f"is of the class {type(tool).__name__}"
        hint = "TOOL = Name(), where class Name(Tool) is derived from weir.tools.base.Tool"
        yield Problem(what, file, key="TOOL", hint=hint)
        return
    kind = type(tool)
    own = {name for base in kind.__mro__ if base not in (Tool, object) for name in vars(base)}
    own |= set(vars(tool))
    for name in sorted(name for name in own if not name.startswith("_") and name not in _HOOKS):
        hint = f"{did_you_mean(name, _HOOKS)} What only the tool itself calls begins with _."
        yield Problem("is not a hook of a tool", file, key=f"{kind.__name__}.{name}", hint=hint)
    for name in (name for name in Tool.REQUIRED if name not in own):
        hint = f"weir/tools/base.py describes it{_parameters_of(name)}"
        yield Problem("is a required hook, and it is missing", file, key=f"{kind.__name__}.{name}", hint=hint)
    for name in (name for name in _HOOKS if name in own):
        yield from _signature_problems(kind, name, file)
    if "purpose" in own and tool.purpose not in PURPOSES:
        hint = did_you_mean(tool.purpose, PURPOSES)
        yield Problem("is not a purpose", file, key=f"{kind.__name__}.purpose", hint=hint)


def _signature_problems(kind: type[Tool], name: str, file: str) -> Iterator[Problem]:
    expected, actual = getattr(Tool, name, None), getattr(kind, name, None)
    if not inspect.isfunction(expected):
        return
    key, hint = f"{kind.__name__}.{name}", f"write{_parameters_of(name)}"
    if not inspect.isfunction(actual):
        yield Problem("must be a method", file, key=key, hint=hint)
    elif list(inspect.signature(actual).parameters) != list(inspect.signature(expected).parameters):
        yield Problem(f"takes {inspect.signature(actual)}", file, key=key, hint=hint)


def _parameters_of(name: str) -> str:
    """': def label(self, params)', or nothing for an attribute."""
    hook = getattr(Tool, name, None)
    if not inspect.isfunction(hook):
        return ""
    return f": def {name}({', '.join(inspect.signature(hook).parameters)})"
