"""Outputs of programs within the documents in which Ansible and other launchers keep them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_DOCUMENT = re.compile(r"\s{0,64}[\[{]")
_OF_A_TASK = re.compile(
    r"^(?:[^\n{\[]{0,100}\[(?P<host>[^\]\n]{1,200})\]|(?P<named>\S{1,200}) \| \w+)[^\n{]{0,100}=> ?(?=\{)"
)
_FIELDS = ("stdout", "stderr")


def captured_outputs(text: str) -> str:
    """The outputs of all commands in a JSON document, in one on each line, or in lines of Ansible's log, such
    as 'ok: [node7] => {...}'. Nothing where several hosts have outputs: they are of runs at one time, no
    repetitions."""
    if '"stdout' not in text:
        return ""
    whole = _decoded(text)
    if whole is not None:
        return "\n".join(_outputs(whole))
    found: list[str] = []
    hosts = set()
    for line in text.splitlines():
        task = _OF_A_TASK.match(line)
        outputs = [*_outputs(_decoded(line[task.end() :] if task else line))]
        found += outputs
        hosts |= {task["host"] or task["named"]} if task and outputs else set()
    return "\n".join(found) if len(hosts) < 2 else ""


def _decoded(text: str) -> Any:
    try:
        return json.loads(text) if _DOCUMENT.match(text) else None
    except (ValueError, RecursionError):
        return None


def _outputs(document: Any) -> Iterator[str]:
    """The output of each command within, and its complaints behind it."""
    waiting = [document]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            found = [text for name in _FIELDS if (text := _printed(one, name))]
            yield from found
            waiting += [] if found else [one[key] for key in reversed(one) if not _has_hosts(key, one[key])]
        elif isinstance(one, list):
            waiting += reversed(one)


def _has_hosts(key: str, value: Any) -> bool:
    return key == "hosts" and isinstance(value, dict) and len(value) > 1


def _printed(captured: dict[str, Any], name: str) -> str:
    """The text, or its lines, which some configurations of Ansible keep alone."""
    text, lines = captured.get(name), captured.get(f"{name}_lines")
    if not isinstance(text, str) and isinstance(lines, list):
        text = "\n".join(line for line in lines if isinstance(line, str))
    return f"{text}\n" if isinstance(text, str) and text else ""
