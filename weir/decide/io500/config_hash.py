"""The hash of the configuration in result.txt, computed again from the config.ini beside it.

IO500 hashes every option that has a value, section names apart. Its config.ini has all of them, defaults
included; one without a value is in the hash only where its default is an empty text.

Of 193 published result directories of the C application (2020 to 2025) 182 agree. In 10 config.ini is the
submitter's own file, and no file has the defaults that it lacks; in 1 it was edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from weir.base.errors import WeirError
from weir.decide.io500.result import CONFIGURATION, PHASES, ConfigHash
from weir.decide.io500.score_hash import hash_of
from weir.tools.outputs import read_text

# Options whose default is an empty text, in all versions to this day.
_EMPTY_DEFAULTS = ("external-mpi-args", "external-extra-args")
_SECTION = re.compile(r"\[([\w-]+)\]")
_OPTION = re.compile(r"([\w.-]+) = (.*)")
# Versions of which published directories agree; a build outside of a repository prints none.
_SHOWN = re.compile(r"(io500-(isc|sc)2[0-5]\S*)?")


def checked_config(folder: Path, printed: str, version: str) -> ConfigHash:
    """The hash that result.txt prints, beside that of the directory's config.ini."""
    file = folder / CONFIGURATION
    if not file.is_file():
        return ConfigHash(printed, because=f"the directory has no {CONFIGURATION}")
    try:
        text = read_text(file)
    except (OSError, WeirError) as error:
        return ConfigHash(printed, because=f"{CONFIGURATION} cannot be read: {error}")
    computed = f"{hash_of(_hashed(text)):X}"
    if computed == printed.upper().lstrip("0"):
        return ConfigHash(printed, computed, agrees=True)
    if why_not := _not_decided(text, version):
        return ConfigHash(printed, because=why_not)
    because = f"{CONFIGURATION} was edited after the run, or a changed IO500 wrote it"
    return ConfigHash(printed, computed, agrees=False, because=because)


def external_find(folder: Path) -> str | None:
    """The program of the search that config.ini names: empty for that of IO500, nothing without a line."""
    try:
        text = read_text(folder / CONFIGURATION)
    except (OSError, WeirError):
        return None
    section = ""
    for line in text.splitlines():
        if found := _SECTION.fullmatch(line):
            section = found[1]
        elif section == "find" and line.startswith("external-script ="):
            return line.partition("=")[2].strip()
    return None


def _hashed(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        option = _OPTION.fullmatch(line)
        if option and (option[2] or option[1] in _EMPTY_DEFAULTS):
            yield option[1], option[2]


def _not_decided(text: str, version: str) -> str:
    """Why another hash tells nothing: the file is not as IO500 writes it, or the version is not known."""
    own = f"{CONFIGURATION} is not the one that IO500 writes"
    sections = set(_SECTION.findall(text))
    missing = [name.replace("_", "-") for name in PHASES if name.replace("_", "-") not in sections]
    if missing:
        return f"{own} (no section {missing[0]}), and no file has the defaults that are in the hash"
    for number, line in enumerate(text.splitlines(), 1):
        option = _OPTION.fullmatch(line)
        if line and not option and not _SECTION.fullmatch(line):
            return f"{own} (line {number}), and no file has what it changed"
        if option and option[2] != option[2].strip():
            return f"{own} (blanks at the end of line {number}), and no file has what it changed"
    if not text.isascii():
        return "processors differ in the hash of letters beyond ASCII"
    name = version.partition("(")[0].strip()
    return "" if _SHOWN.fullmatch(name) else f"no published directory shows how version {name} hashes it"
