"""What must not leave the machine with a bundle: user names, directories, values of secret variables."""

from __future__ import annotations

import getpass
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SECRET = re.compile(r"TOKEN|SECRET|PASSW|CREDENTIAL|(?:API|ACCESS|PRIVATE)_?KEY|COOKIE", re.IGNORECASE)


@dataclass(frozen=True)
class Replacements:
    """Text to replace and the name of its replacement, the longest first."""

    pairs: tuple[tuple[str, str], ...]
    user: str

    def apply(self, content: bytes, mark: str = "{%s}") -> bytes:
        """The same content without them; also in files that are not text."""
        for old, name in self.pairs:
            content = content.replace(old.encode(), (mark % name).encode())
        # "root" is also a word of MPI and of file systems: only as part of a path is it a user.
        pattern = (
            r"(?<=weir-)root\b"
            if self.user == "root"
            else rf"(?<![A-Za-z0-9]){re.escape(self.user)}(?![A-Za-z0-9])"
        )
        return re.sub(pattern.encode(), b"user", content)

    def apply_to_yaml(self, content: bytes) -> bytes:
        """As apply; the result is YAML still, in which braces would begin a mapping."""
        return self.apply(content, "<%s>")


def replacements(
    plan: Mapping[str, Any], configuration: Sequence[Any], root: Path, results: Path, home: Path
) -> Replacements:
    """For a study of this plan (plan.json as data) in this checkout with these files of configuration."""
    targets = plan.get("site", {}).get("targets", {})
    found = {str(results): "results", str(root): "root"}
    found |= {target["path"]: name for name, target in targets.items() if target["path"].startswith("/")}
    if home != Path("/"):
        found[str(home)] = "home"
    for value in _secrets([plan, *configuration]):
        found |= {value: "removed", json.dumps(value)[1:-1]: "removed"}
    pairs = sorted(found.items(), key=lambda pair: (-len(pair[0]), pair[0]))
    return Replacements(tuple(pairs), getpass.getuser())


def _secrets(data: Any) -> Iterator[str]:
    """Values of variables whose names say that they are secret, wherever an environment is."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key == "environment" and isinstance(value, Mapping):
                values = (str(text) for name, text in value.items() if _SECRET.search(str(name)))
                yield from (text for text in values if len(text) > 3)
            yield from _secrets(value)
    elif isinstance(data, list):
        for item in data:
            yield from _secrets(item)
