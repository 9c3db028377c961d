# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0
"""Where weir's own packages are built from: exactly this checkout, or the tag of a release."""

import os
import re
import subprocess
from pathlib import Path

from spack.package import Executable, InstallError, Version
from spack.variant import SingleValuedVariant

CHECKOUT = Path(__file__).resolve().parents[3]


def git(*words: str) -> str:
    """What git says of the checkout; nothing where there is no git, no checkout or no right to read it."""
    try:
        done = subprocess.run(
            ["git", "-C", str(CHECKOUT), *words], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def releases() -> "dict[str, str]":
    """Version to tag of the releases that this checkout knows."""
    tags = git("tag", "--list", "v*").split()
    return {tag[1:]: tag for tag in tags if re.fullmatch(r"v\d+\.\d+\.\d+", tag)}


def launcher(mpi) -> Executable:
    """What starts the ranks of a test. Containers and CI run as root, which Open MPI wants to be told."""
    program = Executable(mpi.prefix.bin.mpiexec)
    if os.geteuid() == 0:
        program.add_default_env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        program.add_default_env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    return program


class FromCheckout:
    """Version main is the commit checked out when the spec is concretized; `commit=` names another one."""

    homepage = f"file://{CHECKOUT}"
    git = f"file://{CHECKOUT}"

    @classmethod
    def _resolve_git_provenance(cls, spec) -> None:
        # Spack itself would take the tip of a branch, and only warn where there is none (a detached HEAD).
        if "commit" not in spec.variants and not spec.is_develop and spec.version == Version("main"):
            found = git("rev-parse", "--verify", "HEAD^{commit}")
            if found:
                spec.variants["commit"] = SingleValuedVariant("commit", found)
        super()._resolve_git_provenance(spec)
        if "commit" not in spec.variants and not spec.is_develop:
            raise InstallError(
                f"{spec.name}@{spec.version}: no commit resolves in {CHECKOUT}: what is built is unknown.\n"
                "Is it a git checkout that this user may read (git config --global --add safe.directory "
                f"{CHECKOUT}), and has it the tag of the release?"
            )
