"""make release: what a release page holds, from a tag, offline; the same tag gives the same bytes.

envs/release.py TAG FOLDER [--address URL] [--maintainers NAME,NAME]
"""

import argparse
import csv
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ("containers", "envs/apt", "envs/pip", "envs/setup.sh")
LICENCES = "envs/licences.csv"
# Licences that SPDX has by these names; for others the table alone has what is stated.
SPDX = frozenset(
    (
        *("0BSD", "AGPL-3.0-only", "Apache-2.0", "Artistic-1.0-Perl", "Autoconf-exception-2.0"),
        *("Autoconf-exception-3.0", "BSD-2-Clause", "BSD-3-Clause", "BSD-3-Clause-Open-MPI", "CC0-1.0"),
        *("GCC-exception-3.1", "GPL-1.0-or-later", "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only"),
        *("GPL-3.0-or-later", "ISC", "LGPL-2.0-or-later", "LGPL-2.1-only", "LGPL-2.1-or-later"),
        *("MIT", "MPL-2.0", "PSF-2.0", "SSH-OpenSSH", "Sleepycat"),
        *("X11", "Zlib", "blessing", "bzip2-1.0.6", "curl"),
        *("mpich2",),
    )
)
BESIDE = '''"""The archive lies beside the folder that holds this repository."""

from pathlib import Path

ADDRESS = f"file://{Path(__file__).resolve().parents[3]}"
'''


def git(*arguments: str) -> bytes:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"release: git {' '.join(arguments)}: {done.stderr.decode().strip()}")
    return done.stdout


def packed(files: Mapping[str, bytes], modes: Mapping[str, int], epoch: int) -> bytes:
    """A .tar.gz of files, in order, of nobody, with one date."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(files):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = len(files[name]), epoch, modes.get(name, 0o644)
            archive.addfile(entry, io.BytesIO(files[name]))
    return gzip.compress(raw.getvalue(), mtime=0)


def plain(recipe: str, version: str, sha256: str, address: str | None, maintainers: list[str]) -> str:
    """A recipe of the checkout as Spack's own look: a version with the checksum of the archive."""
    where = f'"{address}"' if address else "ADDRESS"
    url = f'f"{{ADDRESS}}/weir-{version}.tar.gz"' if not address else f'"{address}/weir-{version}.tar.gz"'
    imported = "" if address else "from spack_repo.weir.release import ADDRESS\n"
    by = f"    maintainers({', '.join(json.dumps(name) for name in maintainers)})\n\n" if maintainers else ""
    loop = r'    for _version, _source in SOURCES.*?\n(?=    (?:if "branch".*?\n        conflicts.*?\n)?\n)'
    for pattern, text in (
        (r"from spack_repo\.weir\.checkout import .*\n", imported),
        (r"SOURCES = sources\(.*\)\n\n\n", "\n"),
        (r"SOURCES = sources\(.*\)\n\n", ""),
        (r"VERSIONS = tuple\(sources\(\)\)", f'VERSIONS = ("{version}",)'),
        (r"homepage = (?:HOMEPAGE|CHECKOUT)", f"homepage = {where}"),
        (r"git = CHECKOUT", f"url = {url}"),
        (r"    git_sparse_paths = .*\n", ""),
        (r"    license\(", f"{by}    license("),
        (loop, f'    version("{version}", sha256="{sha256}")\n'),
        (r'    if "branch" in SOURCES.*\n        conflicts\(.*\n', ""),
        (r', preferred=_version == "main"', ""),
    ):
        recipe = re.sub(
            pattern, lambda _, text=text: text, recipe, flags=re.DOTALL if "_source" in pattern else 0
        )
    return recipe


def spack_source(
    tree: Path, version: str, sha256: str, address: str | None, maintainers: list[str]
) -> dict[str, bytes]:
    """Both repositories of recipes, of which those of weir build the archive."""
    top, found = f"weir-{version}-spack", {}
    for file in sorted((tree / "envs/spack_repo").rglob("*")):
        name = file.relative_to(tree / "envs")
        if (
            file.suffix not in (".py", ".yaml", ".c", ".md")
            or name.as_posix() == "spack_repo/weir/checkout.py"
        ):
            continue
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".py" and "spack_repo.weir.checkout" in text:
            text = plain(text, version, sha256, address, maintainers)
            left = re.findall(r"CHECKOUT|HOMEPAGE|SOURCES|NO_COMMIT|sources\(", text)
            if left:
                sys.exit(f"release: {name}: {left[0]} is left: envs/release.py does not know this form")
            compile(text, str(name), "exec")
        found[f"{top}/{name.as_posix()}"] = text.encode()
    if not address:
        found[f"{top}/spack_repo/weir/release.py"] = BESIDE.encode()
    return found


def licences(tree: Path) -> dict[tuple[str, str], str]:
    """The licences by kind and name of a package."""
    with (tree / LICENCES).open(encoding="utf-8", newline="") as stream:
        return {(row["kind"], row["name"]): row["licence"] for row in csv.DictReader(stream)}


def with_licence(part: dict[str, object], known: Mapping[tuple[str, str], str]) -> dict[str, object]:
    """The component with the licence that it states, as far as SPDX knows it."""
    kind = re.split(r"[ ;,]", str(part["comment"]))[0]
    stated = known.get((kind, str(part["name"])))
    if stated is None:
        sys.exit(f"release: {LICENCES} has no row of {kind} {part['name']}: run envs/licences.py")
    is_known = set(re.split(r" (?:AND|OR|WITH) ", stated)) <= SPDX
    return {**part, "licenseDeclared": stated if is_known else "NOASSERTION"}


def components(tree: Path) -> Iterator[dict[str, object]]:
    """The components that a release is run with: Python packages of the lock, Debian packages, specs of the
    Spack lock."""
    lock = (tree / "envs/pip/requirements.txt").read_text(encoding="utf-8")
    for name, version, hashes in re.findall(
        r"^(\S+?)==(\S+) \\\n((?:    --hash=\S+(?: \\)?\n)+)", lock, re.MULTILINE
    ):
        sums = re.findall(r"sha256:([0-9a-f]{64})", hashes)
        yield {
            "name": name,
            "versionInfo": version,
            "comment": f"Python; an archive has one of the SHA-256 {', '.join(sums)}",
        }
    for role in ("measure", "analyse", "report"):
        for line in (tree / f"envs/apt/{role}.txt").read_text(encoding="utf-8").splitlines():
            name = line.partition("#")[0].strip()
            if name:
                yield {"name": name, "comment": f"Debian 12, role {role}; the version is the distribution's"}
    for file in sorted((tree / "envs/spack/locks").glob("*.lock")):
        for digest, node in sorted(json.loads(file.read_text())["concrete_specs"].items()):
            comment = f"Spack, {file.name}, hash {digest}"
            yield {"name": node["name"], "versionInfo": str(node["version"]), "comment": comment}


def bill_of_materials(tree: Path, version: str, sha256: str, epoch: int) -> bytes:
    """SPDX 2.3."""
    unknown = {"downloadLocation": "NOASSERTION", "filesAnalyzed": False}
    own = {
        "SPDXID": "SPDXRef-weir",
        "name": "weir",
        "versionInfo": version,
        "licenseDeclared": "Apache-2.0",
        "checksums": [{"algorithm": "SHA256", "checksumValue": sha256}],
        **unknown,
    }
    known = licences(tree)
    found = (with_licence(one, known) for one in components(tree))
    parts = [{"SPDXID": f"SPDXRef-{n}", **one, **unknown} for n, one in enumerate(found)]
    uses = [
        {
            "spdxElementId": "SPDXRef-weir",
            "relationshipType": "DEPENDS_ON",
            "relatedSpdxElement": one["SPDXID"],
        }
        for one in parts
    ]
    describes = {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES"}
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"weir-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/weir-{version}-{sha256}",
        "creationInfo": {
            "created": f"{datetime.fromtimestamp(epoch, UTC):%Y-%m-%dT%H:%M:%SZ}",
            "creators": ["Tool: weir"],
        },
        "packages": [own, *parts],
        "relationships": [{**describes, "relatedSpdxElement": "SPDXRef-weir"}, *uses],
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def notes(tree: Path, version: str) -> bytes:
    text = (tree / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(
        rf"^## {re.escape(version)}, (\d{{4}}-\d\d-\d\d)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    if not found:
        sys.exit(f"release: CHANGELOG.md has no section '## {version}, DATE'")
    return f"# weir {version}, {found[1]}\n\n{found[2].strip()}\n".encode()


def wheel(tree: Path, folder: Path, epoch: int, address: str | None) -> tuple[str, bytes]:
    if address:
        with (tree / "pyproject.toml").open("a", encoding="utf-8") as stream:
            stream.write(f"\n[project.urls]\nHomepage = {json.dumps(address)}\n")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    command = [*pip, *offline, "--wheel-dir", str(folder), str(tree)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch), "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        sys.exit(f"release: the wheel was not built: {done.stderr[-2000:]}")
    (made,) = folder.glob("*.whl")
    return made.name, made.read_bytes()


def products(tag: str, address: str | None, maintainers: list[str]) -> dict[str, bytes]:
    """Name to content of everything on the release page."""
    version = tag.removeprefix("v")
    commit = git("rev-parse", "--verify", f"refs/tags/{tag}^{{commit}}").decode().strip()
    epoch = int(git("log", "-1", "--format=%ct", commit))
    raw = git("-c", "tar.umask=0022", "archive", "--format=tar", f"--prefix=weir-{version}/", commit)
    archive = gzip.compress(raw, mtime=0)
    sha256 = hashlib.sha256(archive).hexdigest()
    os.umask(0o022)
    with tempfile.TemporaryDirectory(prefix="weir-release-") as name:
        folder = Path(name)
        with tarfile.open(fileobj=io.BytesIO(raw)) as tar:
            # An attribute, because Python before 3.11.4 knows neither filters nor the argument for them.
            tar.extraction_filter = getattr(tarfile, "tar_filter", None)
            tar.extractall(folder)
        tree = folder / f"weir-{version}"
        stated = re.search(r'^__version__ = "(.*)"$', (tree / "weir/__init__.py").read_text(), re.MULTILINE)
        if not stated or stated[1] != version:
            sys.exit(f"release: {tag} is of version {stated[1] if stated else 'unknown'}: weir/__init__.py")
        images = [
            file
            for part in IMAGES
            for file in (sorted((tree / part).rglob("*")) or [tree / part])
            if file.is_file()
        ]
        held = {f"weir-{version}-images/{file.relative_to(tree)}": file.read_bytes() for file in images}
        modes = {
            f"weir-{version}-images/{file.relative_to(tree)}": file.stat().st_mode & 0o755 for file in images
        }
        date = f"date-released: {datetime.fromtimestamp(epoch, UTC):%Y-%m-%d}\ncommit: {commit}\n"
        (folder / "wheel").mkdir()
        found = {
            f"weir-{version}.tar.gz": archive,
            f"weir-{version}-spack.tar.gz": packed(
                spack_source(tree, version, sha256, address, maintainers), {}, epoch
            ),
            f"weir-{version}-images.tar.gz": packed(held, modes, epoch),
            f"weir-{version}.spdx.json": bill_of_materials(tree, version, sha256, epoch),
            f"weir-{version}-licences.csv": (tree / LICENCES).read_bytes(),
            "CITATION.cff": (tree / "CITATION.cff").read_bytes() + date.encode(),
            "codemeta.json": (tree / "codemeta.json").read_bytes(),
            "NOTES.md": notes(tree, version),
        }
        built, content = wheel(tree, folder / "wheel", epoch, address)
    found[built] = content
    sums = [f"{hashlib.sha256(found[name]).hexdigest()}  {name}\n" for name in sorted(found)]
    return {**found, "SHA256SUMS": "".join(sums).encode()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tag")
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--address", help="where the files will be, for recipes and wheel; else beside the recipes"
    )
    parser.add_argument("--maintainers", default="", help="who answers for the recipes, by their accounts")
    args = parser.parse_args()
    names = [name for name in args.maintainers.split(",") if name]
    found = products(args.tag, args.address, names)
    args.folder.mkdir(parents=True, exist_ok=True)
    for name, content in found.items():
        (args.folder / name).write_bytes(content)
        print(f"{len(content):>10}  {args.folder / name}")


if __name__ == "__main__":
    main()
