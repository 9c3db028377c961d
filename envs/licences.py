"""envs/licences.csv: the licence of every package of the locks, as the package itself states it.

envs/licences.py [--spack-recipes DIR]

Run it after envs/pip/lock.sh, in an environment with the locked packages. Python packages state their licence
in their metadata, Debian packages in /usr/share/doc, Spack's in their recipes (DIR has a folder for each).
What is not at hand keeps its row. `make release` refuses a package without a row.
"""

import argparse
import csv
import io
import json
import re
from collections.abc import Iterator
from functools import partial
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = "envs/licences.csv"
COLUMNS = ("kind", "name", "licence", "stated_by")
NOT_STATED = "NOASSERTION"
_ROLES = ("measure", "analyse", "report")
# Names that licences had before SPDX.
_NAMES = {
    "Apache Software License": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "MIT License": "MIT",
    "The MIT License (MIT)": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "LGPLv2+": "LGPL-2.0-or-later",
    "BSD 3-Clause License": "BSD-3-Clause",
}
_DEBIAN = {
    "Expat": "MIT",
    "GPL-2+": "GPL-2.0-or-later",
    "GPL-3+": "GPL-3.0-or-later",
    "GPL-2": "GPL-2.0-only",
}
_LONGEST_NAME = 60  # more is the text of the licence


def packages(tree: Path) -> Iterator[tuple[str, str]]:
    """Kind and name of every package of the locks."""
    lock = (tree / "envs/pip/requirements.txt").read_text(encoding="utf-8")
    yield from (("Python", name) for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE))
    for role in _ROLES:
        for line in (tree / f"envs/apt/{role}.txt").read_text(encoding="utf-8").splitlines():
            if name := line.partition("#")[0].strip():
                yield "Debian", name
    for file in sorted((tree / "envs/spack/locks").glob("*.lock")):
        for node in json.loads(file.read_text(encoding="utf-8"))["concrete_specs"].values():
            yield "Spack", node["name"]


def read_table(tree: Path) -> dict[tuple[str, str], tuple[str, str]]:
    """Licence, and where it is stated, by kind and name."""
    with (tree / TABLE).open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream)
        return {(row["kind"], row["name"]): (row["licence"], row["stated_by"]) for row in rows}


def table_text(found: dict[tuple[str, str], tuple[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((*key, *found[key]) for key in sorted(found))
    return out.getvalue()


def of_python(name: str) -> tuple[str, str] | None:
    try:
        package = distribution(name)
    except PackageNotFoundError:
        return None
    stated = package.metadata.get("License-Expression") or package.metadata.get("License") or ""
    if not stated or len(stated) > _LONGEST_NAME:
        kinds = (kind for kind in package.metadata.get_all("Classifier") or [] if kind.startswith("License"))
        stated = " or ".join(_NAMES.get(one, one) for one in (kind.rpartition(" :: ")[2] for kind in kinds))
    stated = stated or _first_line(package)
    return _NAMES.get(stated, stated) or NOT_STATED, "metadata of the package"


def _first_line(package: Distribution) -> str:
    """The first line of the licence's file, which mostly begins with its name."""
    files = [file for file in package.files or () if re.fullmatch(r"LICEN[CS]E(\.\w+)?", file.name)]
    lines = (line.strip() for file in files[:1] for line in str(file.read_text()).splitlines())
    return next((line for line in lines if 0 < len(line) <= _LONGEST_NAME), "")


def of_debian(name: str) -> tuple[str, str] | None:
    file = Path("/usr/share/doc", name, "copyright")
    if not file.is_file():
        return None
    text = file.read_text(encoding="utf-8", errors="replace")
    found = re.search(r"^Files: \*\n(?:.+\n)*?License: *(\S[^\n]*)", text, re.MULTILINE)
    if not found:
        return NOT_STATED, f"{file} (not machine-readable)"
    return _DEBIAN.get(found[1], found[1]), str(file)


def of_spack(name: str, recipes: Path | None) -> tuple[str, str] | None:
    folder = name.replace("-", "_").replace(".", "_")
    own = sorted((ROOT / "envs/spack_repo").glob(f"*/packages/{folder}/package.py"))
    for file, source in [*((file, "recipe of weir") for file in own), *_recipe(recipes, folder)]:
        stated = re.findall(r'^\s+license\(\s*"([^"]+)"', file.read_text(encoding="utf-8"), re.MULTILINE)
        if stated:
            return " or ".join(dict.fromkeys(stated)), source
    return None if recipes is None else (NOT_STATED, "recipe of Spack")


def _recipe(recipes: Path | None, folder: str) -> list[tuple[Path, str]]:
    file = recipes / folder / "package.py" if recipes else None
    return [(file, "recipe of Spack")] if file and file.is_file() else []


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--spack-recipes", type=Path, help="folder with a folder for each package of Spack")
    args = parser.parse_args()
    known = read_table(ROOT) if (ROOT / TABLE).is_file() else {}
    found = {}
    for kind, name in dict.fromkeys(packages(ROOT)):
        of = {
            "Python": of_python,
            "Debian": of_debian,
            "Spack": partial(of_spack, recipes=args.spack_recipes),
        }
        new = of[kind](name)
        row = new or known.get((kind, name))
        if row:
            found[kind, name] = row
        else:
            print(f"{kind} {name}: not at hand, and not in {TABLE}")
    (ROOT / TABLE).write_text(table_text(found), encoding="utf-8")
    unknown = [name for (_, name), (licence, _) in found.items() if licence == NOT_STATED]
    print(f"{TABLE}: {len(found)} packages; not stated: {', '.join(unknown) or 'none'}")


if __name__ == "__main__":
    main()
