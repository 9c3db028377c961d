"""The location of weir's files that rules use, and their names in a rule, wherever the workflow runs."""

import hashlib
import os
import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.base.files import expanded
from weir.data import data_folder

CONFIG_FILE = "config/config.yaml"
# Drawing depends on them: the files of these folders decide whether a study is drawn again.
_DRAWING = (
    "analysis/R",
    "analysis/figures",
    "analysis/tables",
    "analysis/claims",
    "analysis/advice",
    "analysis/page",
    "config/metrics",
    "reference/publications",
)


@dataclass(frozen=True)
class Code:
    """A checkout, a study of `weir init`, or the files of an installed weir."""

    root: Path  # holds analysis/, config/, reference/, reframe_checks/ and reports/
    # The workflow runs in root, not as a module: paths are relative, so that a checkout can move.
    is_here: bool
    # Snakemake 8 runs conda after each job of a rule with an environment, chosen or not. --lint runs no job,
    # and demands that rules name one.
    may_name_conda: bool = True
    is_native: bool = True  # no container or environment of conda has a Python of its own

    def path(self, name: str) -> str:
        """The name of a file for an input or a directive. A module's prefix changes relative paths alone."""
        return name if self.is_here else str(self.root / name)

    def paths(self, names: Iterable[str]) -> list[str]:
        return [self.path(name) for name in names]

    def word(self, name: str) -> str:
        """The path as one word of a shell command, in which Snakemake replaces what is in braces."""
        return shlex.quote(self.path(name)).replace("{", "{{").replace("}", "}}")

    @property
    def is_installed(self) -> bool:
        """Whether these are the files of a wheel, beside which a site has no build/."""
        return self.root == data_folder("")

    @property
    def weir(self) -> str:
        """The command, in a container on this code as well."""
        return f"{self._on_this_code}weir"

    @property
    def step(self) -> str:
        """The command that starts a program which leaves files after a signal."""
        return f"{self._on_this_code}python3 -m weir.workflow.step"

    @property
    def _on_this_code(self) -> str:
        """The code before PYTHONPATH, where modules of a centre or spack load put the packages of weir."""
        if not (self.root / "weir").is_dir():
            return ""
        others = '"${{PYTHONPATH:+:$PYTHONPATH}}"' if self.is_native else ""
        return f"PYTHONPATH={self.word('.')}{others} "

    def environment(self, name: str) -> str | None:
        """The file for `conda:`; used with --software-deployment-method conda. Snakemake reads it after each
        job in any case, and fails where a copy of the workflow lacks it."""
        file = f"envs/conda/{name}.yaml"
        return self.path(file) if self.may_name_conda and (self.root / file).is_file() else None

    @property
    def image(self) -> str:
        """The image for analysing and printing; used with --software-deployment-method apptainer."""
        return self.path("build/containers/analyse.sif")

    def drawing_digest(self) -> str:
        """Changes when an edit of the analysis can change a figure. As inputs, its 150 files would be printed
        for each job."""
        digest = hashlib.sha256()
        for folder in _DRAWING:
            for file in sorted((self.root / folder).glob("*.*")):
                digest.update(f"{folder}/{file.name}\0".encode() + file.read_bytes() + b"\0")
        return digest.hexdigest()[:16]


def code_of(workflow: Any) -> Code:
    """The files beside the Snakefile; those of the installed weir where Snakemake reads it out of a git
    repository, which gives it no other file."""
    beside = Path(str(workflow.current_basedir))
    root = beside if (beside / "analysis" / "draw.R").is_file() else _installed()
    chosen = {method.name for method in workflow.deployment_settings.deployment_method}
    is_here = not is_module(workflow) and os.path.samefile(root, Path.cwd())
    # Snakemake takes what is in braces for a wildcard, in the path of its Snakefile as well.
    is_read_unasked = is_snakemake_9(workflow) and not set("{}") & set(str(beside))
    # While Snakemake reads the Snakefile, nothing but its command line tells that it only lints.
    only_lints = "--lint" in (word.partition("=")[0] for word in sys.argv)
    may_name_conda = is_read_unasked or "CONDA" in chosen or only_lints
    return Code(root, is_here, may_name_conda, not chosen & {"CONDA", "APPTAINER"})


def is_snakemake_9(workflow: Any) -> bool:
    """Whether it is Snakemake 9.0 or later, which reports a dry run before it reads the Snakefile, and looks
    for conda if chosen."""
    return hasattr(workflow.output_settings, "dryrun")


def is_module(workflow: Any) -> bool:
    """Whether another workflow includes this one by `module`."""
    return workflow.modifier.base_snakefile is not None


def configuration_of(workflow: Any) -> str:
    """The file for `configfile:`: that of the user's directory, else of the working directory, else of weir.
    A module has the configuration of its `config:`, or else weir's own: the others are the other
    workflow's."""
    from weir.plan.config.sources import VARIABLE  # takes a while

    if not is_module(workflow):
        named = workflow.config_settings.overwrite_config.get("config_dir") or os.environ.get(VARIABLE)
        layer = expanded(named) / Path(CONFIG_FILE).name if named else None
        for own in filter(None, (layer, Path(CONFIG_FILE))):
            if own.is_file():
                return str(own)
    return str(code_of(workflow).root / CONFIG_FILE)


def _installed() -> Path:
    """The checkout behind an editable installation, else the data of the package."""
    return data_folder("Snakefile").resolve().parent
