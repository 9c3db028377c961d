"""A machine on which apt, dpkg and Python are fakes that record their calls."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

# Each fake appends its name and arguments to the file "calls"; "installed" is dpkg's memory.
STAND_INS = {
    "id": 'echo "${STAND_IN_UID:-0}"',
    "dpkg": """
        note "$@"
        if [ -e "$notes/lock-held" ]; then
            echo "dpkg: error: dpkg frontend lock was locked by another process with pid 4711" >&2
            exit 2
        fi
    """,
    "dpkg-query": """
        status=0
        for word in "$@"; do
            case $word in
            -* | '$'*) ;;
            *) grep -qx "$word" "$notes/installed" && echo "installed $word" || status=1 ;;
            esac
        done
        exit $status
    """,
    "apt-get": """
        note "$@"
        [ ! -e "$notes/apt-sleeps" ] || sleep "$(cat "$notes/apt-sleeps")"
        case " $* " in
        *" --download-only "*) ;;
        *" install "*)
            if [ -e "$notes/apt-fails" ]; then
                cat "$notes/apt-fails"
                exit 100
            fi
            for word in "$@"; do printf '%s\\n' "$word"; done >>"$notes/installed"
            ;;
        esac
    """,
    # Stands for the system's python3 and, copied into .venv, for the environment's.
    "python3": """
        case "$*" in
        "-c import sys"*) ;;
        "-c import ensurepip"*) grep -qx python3-venv "$notes/installed" ;;
        "-m venv --clear "*)
            note "$@"
            rm -rf "$4" && mkdir -p "$4/bin" && cp "$0" "$4/bin/python"
            echo "#!$4/bin/python" >"$4/bin/pip"
            ;;
        *--version) [ -e "$(dirname "$0")/pip" ] ;;
        *)
            note "$@"
            [ ! -e "$notes/pip-sleeps" ] || sleep "$(cat "$notes/pip-sleeps")"
            if [ -e "$notes/pip-fails" ]; then
                cat "$notes/pip-fails"
                exit 1
            fi
            case "$*" in
            *--editable*)
                for name in weir snakemake reframe; do ln -sf /bin/true "$(dirname "$0")/$name"; done
                ;;
            esac
            ;;
        esac
    """,
}


@dataclass
class Machine:
    """A checkout on a machine that has nothing but the fakes."""

    checkout: Path
    notes: Path

    def environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.notes}/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": str(self.notes),
            "notes": str(self.notes),
        }

    def start(self, *roles: str, before: tuple[str, ...] = (), **extra: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*before, str(self.checkout / "envs" / "setup.sh"), *roles],
            env=self.environment() | extra,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def set_up(self, *roles: str, before: tuple[str, ...] = (), **extra: str) -> tuple[int, str]:
        process = self.start(*roles, before=before, **extra)
        output, _ = process.communicate(timeout=300)
        return process.returncode, output

    def calls(self, program: str) -> list[str]:
        calls = self.notes / "calls"
        lines = calls.read_text().splitlines() if calls.exists() else []
        return [line for line in lines if line.startswith(f"{program} ")]

    def installs(self) -> list[str]:
        return [
            call for call in self.calls("apt-get") if " install " in call and "--download-only" not in call
        ]

    def forget_calls(self) -> None:
        (self.notes / "calls").unlink(missing_ok=True)
