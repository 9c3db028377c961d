"""What must not leave the machine with a bundle: user names, directories, values of secret variables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SECRET = re.compile(
    r"TOKEN|SECRET|PASS(?:W|PHRASE|CODE)|CREDENTIAL|(?:API|ACCESS|PRIVATE|SIGNING|LICENSE)_?KEY|COOKIE|AUTH(?!OR)",
    re.IGNORECASE,
)
# Of a variable such as USE_TOKEN: a replacement would change every such word of the records.
_SWITCHES = frozenset(("true", "false", "none", "null", "auto"))


@dataclass(frozen=True)
class Replacements:
    """Text to replace and the name of its replacement, the longest first."""

    pairs: tuple[tuple[str, str], ...]
    users: tuple[str, ...]

    def apply(self, content: bytes, mark: str = "{%s}") -> bytes:
        """The same content without them; also in files that are not text."""
        for old, name in self.pairs:
            content = content.replace(old.encode(), (mark % name).encode())
        for user in self.users:
            # "root" is also a term of MPI and of file systems, and a number is the user of a container that
            # has no name for it: only as part of a path do they name a user.
            ambiguous = user == "root" or user.isdigit()
            before, after = ("(?<=weir-)", r"\b") if ambiguous else ("(?<![A-Za-z0-9])", "(?![A-Za-z0-9])")
            content = re.sub(f"{before}{re.escape(user)}{after}".encode(), b"user", content)
        return content

    def apply_to_yaml(self, content: bytes) -> bytes:
        """As apply; the result is YAML still, in which braces would begin a mapping."""
        return self.apply(content, "<%s>")


def replacements(
    plan: Mapping[str, Any],
    configuration: Sequence[Any],
    root: Path,
    results: Path,
    home: Path,
    users: Iterable[str],
) -> Replacements:
    """For a study of this plan (plan.json as data) in this checkout with these files of configuration.

    users: whoever bundles, and the owner of the study; whoever measured is found in the plan."""
    targets = plan.get("site", {}).get("targets", {})
    found = {str(results): "results", str(root): "root"}
    found |= {target["path"]: name for name, target in targets.items() if target["path"].startswith("/")}
    if home != Path("/"):
        found[str(home)] = "home"
    for value in _secrets([plan, *configuration]):
        found |= {value: "removed", json.dumps(value)[1:-1]: "removed"}
    pairs = sorted(found.items(), key=lambda pair: (-len(pair[0]), pair[0]))
    names = {*users, *_measured_by(plan, configuration)}
    return Replacements(tuple(pairs), tuple(sorted(names, key=lambda name: (-len(name), name))))


def _measured_by(plan: Mapping[str, Any], configuration: Iterable[Any]) -> Iterator[str]:
    """What stands for {user} in the targets of the plan: a study may be bundled by somebody else."""
    targets = plan.get("site", {}).get("targets", {})
    for one in configuration:
        written = one.get("path") if isinstance(one, Mapping) else None
        planned = targets.get(one.get("target"), {}).get("path") if isinstance(written, str) else None
        if not isinstance(written, str) or not planned or "{user}" not in written:
            continue
        before, after = written.split("{user}", 1)
        pattern = f"{_any_path(before)}([^/]+){_any_path(after)}"
        found = re.fullmatch(pattern, planned)
        if found:
            yield found[1]


def _any_path(written: str) -> str:
    """A pattern of the text, whatever its placeholders stand for."""
    return ".*".join(map(re.escape, re.split(r"\{\w+\}", written)))


def _secrets(data: Any) -> Iterator[str]:
    """Values of variables whose names say that they are secret, wherever an environment is."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key == "environment" and isinstance(value, Mapping):
                values = (str(text) for name, text in value.items() if _SECRET.search(str(name)))
                yield from (text for text in values if len(text) > 3 and text.lower() not in _SWITCHES)
            yield from _secrets(value)
    elif isinstance(data, list):
        for item in data:
            yield from _secrets(item)
