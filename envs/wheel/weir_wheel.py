"""The build back end of pyproject.toml: setuptools, and libweir-witness.so is compiled into what it makes.

A library that cannot be compiled never fails an installation: then a text beside it has the reason, which
weir prove prints.
"""

import base64
import hashlib
import os
import re
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from setuptools import build_meta
from witness_build import (
    NAME,
    ROOT,
    NotCompiledError,
    System,
    compile_library,
    is_current,
    is_refused,
    requirements,
)

_INSTALLED = "weir/data"  # no module: a package of plugins would import it
_REASON = Path(NAME).with_suffix(".txt").name
_MANYLINUX = ("x86_64", "aarch64", "ppc64le", "s390x")
_OLDEST = 17  # minor version of glibc: 2.17, which every pip for Python 3.11 knows
Settings = Mapping[str, Any] | None

get_requires_for_build_sdist = build_meta.get_requires_for_build_sdist
prepare_metadata_for_build_wheel = build_meta.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_editable
build_sdist = build_meta.build_sdist


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_requirements()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    return [*build_meta.get_requires_for_build_editable(config_settings), *_requirements()]


def _requirements() -> list[str]:
    return requirements(os.environ, System.here())


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Builds a wheel for the platform of the library that is in it; without a library one for any
    platform."""
    folder = Path(wheel_directory)
    plain = folder / build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    with tempfile.TemporaryDirectory(prefix="weir-wheel-") as name:
        library = Path(name) / NAME
        try:
            compile_library(library, os.environ, System.here())
        except NotCompiledError as error:
            print(f"{NAME} is not in the wheel: {error}", file=sys.stderr)
            added = {f"{_INSTALLED}/{_REASON}": f"{error}\n".encode()}
            made = with_files(plain, added, None)
        else:
            content = library.read_bytes()
            made = with_files(plain, {f"{_INSTALLED}/{NAME}": content}, platform_of(content, System.here()))
    return made.name


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """The library is that of the checkout, where `make build` puts it, too."""
    library = ROOT / "build" / NAME
    reason = library.with_name(_REASON)
    if not is_refused(os.environ) and not is_current(library):
        try:
            compile_library(library, os.environ, System.here())
            reason.unlink(missing_ok=True)
        except NotCompiledError as error:
            print(f"{NAME} is not compiled: {error}", file=sys.stderr)
            reason.parent.mkdir(exist_ok=True)
            reason.write_text(f"{error}\n", encoding="utf-8")
    return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)


def platform_of(library: bytes, system: System) -> str:
    """The tag of systems that have each version of the C library's symbols that it names (PEP 600)."""
    if system.machine not in _MANYLINUX or system.glibc is None:
        return f"linux_{system.machine}"
    minors = [int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)", library)]
    return f"manylinux_2_{min(max([_OLDEST, *minors]), system.glibc)}_{system.machine}"


def with_files(wheel: Path, added: Mapping[str, bytes], platform: str | None) -> Path:
    """The same wheel with more files, in its place; for a platform."""
    goal = wheel.with_name(wheel.name.replace("-any.whl", f"-{platform}.whl")) if platform else wheel
    new = wheel.with_suffix(".new")
    with zipfile.ZipFile(wheel) as before, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as after:
        (record,) = (entry for entry in before.infolist() if entry.filename.endswith(".dist-info/RECORD"))
        rows = before.read(record).decode().splitlines()
        changed = {**added}
        for entry in before.infolist():
            content = before.read(entry)
            if platform and entry.filename.endswith(".dist-info/WHEEL"):
                content = _of_platform(content.decode(), platform).encode()
                changed[entry.filename] = content
            if entry is not record:
                after.writestr(entry, content)
        for name, content in added.items():
            entry = zipfile.ZipInfo(name, record.date_time)
            entry.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            after.writestr(entry, content)
        kept = [row for row in rows if row.split(",")[0] not in changed]
        own = [row for row in kept if row.endswith(".dist-info/RECORD,,")]
        listed = [row for row in kept if row not in own]
        listed += [f"{name},sha256={_digest(content)},{len(content)}" for name, content in changed.items()]
        after.writestr(record, "\n".join([*listed, *own]) + "\n")
    wheel.unlink()
    return new.replace(goal)


def _of_platform(text: str, platform: str) -> str:
    text = re.sub(r"^Root-Is-Purelib: .*$", "Root-Is-Purelib: false", text, flags=re.MULTILINE)
    return re.sub(r"^(Tag: .*-)any$", rf"\g<1>{platform}", text, flags=re.MULTILINE)


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
