"""make audit-packages: the locked Python packages against the published advisories, by pip-audit.

envs/audit.py PIP-AUDIT LOCK...

Exit code 1 if a package has an advisory, or if some packages are unknown while others are known. Where no
advisories can be reached, as behind a mirror of packages alone, the audit is skipped, with the reason.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_SERVICES = ("pypi", "osv")  # each has advisories of all packages; the first one that can be reached is used
_WAIT_S = 15


@dataclass(frozen=True)
class Audit:
    """The packages as one service knows them; reason: why it knows none."""

    service: str
    packages: Sequence[dict[str, Any]] = ()
    reason: str = ""

    @property
    def known(self) -> list[dict[str, Any]]:
        return [one for one in self.packages if "skip_reason" not in one]

    def lines(self) -> list[str]:
        """A line for each advisory, and for each package that the service does not know."""
        found = []
        for one in self.known:
            for advisory in one["vulns"]:
                fixed = ", ".join(advisory["fix_versions"]) or "no version"
                found.append(f"{one['name']} {one['version']}: {advisory['id']}, fixed in {fixed}")
        return found + [
            f"{one['name']}: {one['skip_reason']}" for one in self.packages if "skip_reason" in one
        ]


def audited(program: str, locks: Sequence[str], service: str) -> Audit:
    options = ["--disable-pip", "--require-hashes", "--format=json", "--progress-spinner=off"]
    options += [f"--vulnerability-service={service}", f"--timeout={_WAIT_S}"]
    command = [program, *options, *(word for lock in locks for word in ("--requirement", lock))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        audit = Audit(service, json.loads(done.stdout)["dependencies"])
    except (ValueError, KeyError):
        lines = done.stderr.strip().splitlines() or ["no message"]
        return Audit(service, reason=f"{service}: {lines[-1][:300]}")
    if audit.known or not audit.packages:
        return audit
    return Audit(service, reason=f"{service}: {audit.packages[0]['skip_reason']}")


def main(program: str, *locks: str) -> int:
    reasons = []
    for service in _SERVICES:
        audit = audited(program, locks, service)
        if audit.reason:
            reasons.append(audit.reason)
            continue
        lines = audit.lines()
        print(
            "\n".join(
                [
                    *lines,
                    f"{len(audit.known)} packages, by the advisories of {service}: {len(lines)} findings",
                ]
            )
        )
        return 1 if lines else 0
    print("audit-packages: skipped, no advisories can be reached:", *reasons, sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
