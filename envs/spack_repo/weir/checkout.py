# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0
"""The source from which weir's own packages are built: exactly this checkout, or the tag of a
release."""

import re
import subprocess
from pathlib import Path
from typing import Dict

TOP = Path(__file__).resolve().parents[3]
CHECKOUT = f"file://{TOP}"

NO_COMMIT = (
    f"no commit resolves in {TOP}: what would be built is unknown. Is it a git checkout that this "
    f"user may read (git config --global --add safe.directory {TOP})?"
)


def git(*words: str) -> str:
    """The output of git about the checkout; empty without git, a checkout or the right to read
    it."""
    try:
        done = subprocess.run(
            ["git", "-C", str(TOP), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
            check=False,
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def sources(*paths: str) -> "Dict[str, Dict[str, object]]":
    """Version to the arguments of `version`: `main` is the last commit of what is checked out that
    changed one of the paths that a package is built from, so that other commits rebuild
    nothing."""
    commit = git("log", "-1", "--format=%H", "HEAD", "--", *paths)
    found: "Dict[str, Dict[str, object]]" = {}
    if commit:
        found["main"] = {"commit": commit, "preferred": True}
    for tag in git("tag", "--list", "v*").split():
        if re.fullmatch(r"v\d+\.\d+\.\d+", tag):
            found[tag[1:]] = {"tag": tag, "commit": git("rev-parse", f"{tag}^{{commit}}")}
    # A copy without git needs one: a recipe without any version would only say that it has none.
    return found or {"main": {"branch": "main"}}


def homepage() -> str:
    """The page of the remote repository, without its credentials; the checkout itself where none
    is."""
    address = re.fullmatch(
        r"https://(?:[^@/]*@)?(.+?)(?:\.git)?/?", git("remote", "get-url", "origin")
    )
    return f"https://{address[1]}" if address else CHECKOUT


HOMEPAGE = homepage()
