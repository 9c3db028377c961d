"""What must not leave the machine with a bundle: user names, directories, values of secret variables."""

from __future__ import annotations

import getpass
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SECRET = re.compile(r"TOKEN|SECRET|PASSW|CREDENTIAL|(?:API|ACCESS|PRIVATE)_?KEY|COOKIE", re.IGNORECASE)
_REMOVED = "{removed}"


@dataclass(frozen=True)
class Replacements:
    """Text to replace and its replacement, the longest first."""

    pairs: tuple[tuple[str, str], ...]
    user: str

    def apply(self, content: bytes) -> bytes:
        """The same content without them; also in files that are not text."""
        for old, new in self.pairs:
            content = content.replace(old.encode(), new.encode())
        # "root" is also a word of MPI and of file systems: only as part of a path is it a user.
        pattern = (
            r"(?<=weir-)root\b"
            if self.user == "root"
            else rf"(?<![A-Za-z0-9]){re.escape(self.user)}(?![A-Za-z0-9])"
        )
        return re.sub(pattern.encode(), b"user", content)


def replacements(
    plan: Mapping[str, Any], root: Path, results: Path, home: Path, user: str = ""
) -> Replacements:
    """For a study of this plan (plan.json as data) in this checkout."""
    targets = plan.get("site", {}).get("targets", {})
    found = {str(results): "{results}", str(root): "{root}"}
    found |= {
        target["path"]: f"{{{name}}}" for name, target in targets.items() if target["path"].startswith("/")
    }
    if home != Path("/"):
        found[str(home)] = "{home}"
    for value in _secrets(plan):
        found |= {value: _REMOVED, json.dumps(value)[1:-1]: _REMOVED}
    pairs = sorted(found.items(), key=lambda pair: (-len(pair[0]), pair[0]))
    return Replacements(tuple(pairs), user or getpass.getuser())


def _secrets(data: Any) -> Iterator[str]:
    """Values of variables whose names say that they are secret, wherever an environment is."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key == "environment" and isinstance(value, Mapping):
                yield from (
                    text for name, text in value.items() if _SECRET.search(name) and len(str(text)) > 3
                )
            yield from _secrets(value)
    elif isinstance(data, list):
        for item in data:
            yield from _secrets(item)
