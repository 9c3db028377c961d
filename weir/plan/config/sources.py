"""The folders of the configuration: config/ of a checkout or of the installed weir, below a user's."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import weir
from weir.base.errors import ConfigError, InputError, Problem, did_you_mean
from weir.base.files import expanded, require_plain_path
from weir.base.options import Parser
from weir.data import data_folder

VARIABLE = "WEIR_CONFIG"
CONFIG_FILE = "config.yaml"
PARTS = ("sites", "suites", "contracts", "applications", CONFIG_FILE)


@dataclass(frozen=True)
class Sources:
    """Folders laid out like config/; a file in an earlier one replaces its namesake in a later one."""

    root: Path  # what {root} stands for: the checkout, or the working directory where there is none
    folders: tuple[Path, ...]

    def file(self, *parts: str) -> Path:
        """The file that counts, or where it would be in the last folder."""
        found = (folder.joinpath(*parts) for folder in self.folders if folder.joinpath(*parts).is_file())
        return next(found, self.folders[-1].joinpath(*parts))

    def targets(self, site: str) -> list[Path]:
        """The files of a site's targets, by name."""
        return self._by_name(f"sites/{site}/targets/*.yaml")

    def sites(self) -> list[str]:
        return sorted({file.parent.name for file in self._found("sites/*/site.yaml")})

    def suites(self) -> list[str]:
        return [file.stem for file in self._by_name("suites/*.yaml")]

    def named_file(self, part: str, given: str) -> Path:
        """A YAML file, or the one with this name in a part such as contracts."""
        path, named = Path(given), self.file(part, f"{given}.yaml")
        if path.suffix in (".yaml", ".yml") or (path.is_file() and not named.is_file()):
            return path
        if not named.is_file():
            hint = did_you_mean(given, {file.stem for file in self._found(f"{part}/*.yaml")})
            own = Path(f"{given}.yaml")
            hint = f"did you mean the file {own}?" if own.is_file() else hint
            message = f"there is no {part.removesuffix('s')} '{given}'"
            raise ConfigError([Problem(message, self.searched(part), hint=hint)])
        return named

    def misnamed(self, *parts: str) -> list[Problem]:
        """A file that nothing reads as it ends with .yml, or all of a folder, each with what to do."""
        places = [folder.joinpath(*parts) for folder in self.folders]
        found = [file for place in places for file in ([place] if place.is_file() else place.glob("*.yml"))]
        shown = [_shown(file, self.root) for file in sorted(found)]
        return [Problem("is not read", name, hint=f"rename {name} to end with .yaml") for name in shown]

    def folder_of(self, file: Path) -> Path:
        """The one of the folders that holds the file: what {config} stands for."""
        return next(folder for folder in self.folders if file.is_relative_to(folder))

    def searched(self, part: str) -> str:
        """The folders where a site, suite, contract or application may be, for messages."""
        return ", ".join(_shown(folder / part, self.root) for folder in self.folders)

    def _found(self, pattern: str) -> list[Path]:
        return [file for folder in self.folders for file in folder.glob(pattern)]

    def _by_name(self, pattern: str) -> list[Path]:
        first = {file.name: file for file in reversed(self._found(pattern))}
        return [first[name] for name in sorted(first)]


def find_sources(
    config_dir: str | Path | None = None,
    *,
    start: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Sources:
    """The nearest config/ at or above this folder, else the installed one; before it the user's own."""
    here = (start or Path.cwd()).resolve()
    checkouts = (folder for folder in (here, *here.parents) if (folder / "config" / "sites").is_dir())
    root = next(checkouts, None)
    base = root / "config" if root else data_folder("config").resolve()
    top = require_plain_path(root or _root_of(base, here), "the directory of this checkout,")
    return layered(top, base, config_dir, environment=environment)


def add_config_dir(parser: Parser) -> None:
    """The option of the commands that read configuration."""
    text = f"directory laid out like config/, whose files take precedence; also by {VARIABLE}"
    parser.path("--config-dir", "DIR", text)


def layered(
    root: Path,
    base: Path,
    config_dir: str | Path | None = None,
    *,
    environment: Mapping[str, str] | None = None,
) -> Sources:
    """base, and before it what the user names."""
    environment = os.environ if environment is None else environment
    given = config_dir or environment.get(VARIABLE)
    if not given:
        return Sources(root, (base,))
    own = expanded(given).resolve()
    key = "--config-dir" if config_dir else VARIABLE
    if not any((own / part).exists() for part in PARTS):
        problem = f"holds none of {', '.join(PARTS)}" if own.is_dir() else "is not a directory"
        hint = "lay it out like config/ of the checkout, such as DIR/suites/mine.yaml"
        raise InputError(f"'{given}' {problem}", key=key, value=str(given), hint=hint)
    return Sources(root, (own, base))


def _root_of(shipped: Path, here: Path) -> Path:
    """The checkout behind an editable installation; a wheel has none, then it is where the user works."""
    package = Path(weir.__path__[0]).resolve()
    return here if shipped.is_relative_to(package) else shipped.parent


def _shown(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
