"""A machine on which apt, dpkg and Python are fakes that record their calls."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.programs import write_file

ROOT = Path(__file__).resolve().parents[3]

# What dpkg 1.21 and 1.22 print while another process installs.
LOCKED = (
    "dpkg: error: dpkg frontend lock was locked by another process with pid 4711",
    "dpkg: error: dpkg frontend lock was locked by /usr/bin/apt-get process with pid 4711",
)
# Each fake appends its name and arguments to the file "calls"; "installed" is dpkg's memory.
STAND_INS = {
    "id": 'echo "${STAND_IN_UID:-0}"',
    "dpkg": """
        note "$@"
        message=$(cat "$notes/lock-held" 2>/dev/null) || exit 0
        echo "$message" >&2
        exit 2
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
            touch "$(mktemp -d)/wheel" # ensurepip copies pip, and deletes the copy at its end
            [ ! -e "$notes/venv-sleeps" ] || sleep "$(cat "$notes/venv-sleeps")"
            mkdir -p "$4" && find "$4/" -mindepth 1 -delete && mkdir "$4/bin" && cp "$0" "$4/bin/python"
            echo "#!$4/bin/python" >"$4/bin/pip"
            ;;
        *--version) [ -e "$(dirname "$0")/pip" ] ;;
        *)
            note ${PYTHONPATH:+PYTHONPATH} "$@"
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
    path: str = "/usr/bin:/bin:/usr/sbin:/sbin"  # behind the fakes

    def is_release(self, *lines: str) -> None:
        """What /etc/os-release contains."""
        file = self.notes / "system/etc/os-release"
        write_file(file, "".join(f"{line}\n" for line in lines))

    def has_no_dpkg(self) -> None:
        """Of the programs of this machine those remain that are not dpkg's, a compiler's or R's."""
        gone = re.compile(r"(dpkg|apt|rpm|mpicc|cmake|ninja|R|Rscript|latexmk|pdflatex)\b")
        programs = self.notes / "programs"
        programs.mkdir()
        for file in Path("/usr/bin").iterdir():
            if not gone.match(file.name):
                (programs / file.name).symlink_to(file)
        for name in ("dpkg", "dpkg-query", "apt-get"):
            (self.notes / "bin" / name).unlink()
        self.path = str(programs)

    def environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.notes}/bin:{self.path}",
            "SYSTEM": str(self.notes / "system"),
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

    def set_up(self, *roles: str, code: int = 0, before: tuple[str, ...] = (), **extra: str) -> str:
        """Compares the exit code; the answer is what was printed."""
        process = self.start(*roles, before=before, **extra)
        output, _ = process.communicate(timeout=300)
        assert process.returncode == code, output
        return output

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
