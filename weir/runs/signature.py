"""Signatures of a study by ssh-keygen: proof of who collected it, where checksums alone are not enough."""

from __future__ import annotations

import subprocess
from pathlib import Path

from weir.base.errors import WeirError
from weir.runs.manifest import MANIFEST

NAMESPACE = "weir-study"
SIGNATURE = f"{MANIFEST}.sig"


def sign(study: Path, key: Path) -> Path:
    """Sign the manifest with a private SSH key, or the public key of one in the agent."""
    signature = study / SIGNATURE
    signature.unlink(missing_ok=True)
    _ssh_keygen("sign", "-f", str(key), "-n", NAMESPACE, str(study / MANIFEST))
    return signature


def signer(study: Path, allowed_signers: Path) -> str:
    """The allowed signer who signed the manifest."""
    signature = study / SIGNATURE
    if not signature.is_file():
        hint = "sign it: weir verify STUDY --sign ~/.ssh/id_ed25519"
        raise WeirError("there is no signature", file=str(signature), hint=hint)
    found = _ssh_keygen("find-principals", "-s", str(signature), "-f", str(allowed_signers))
    name = found.splitlines()[0].strip()
    arguments = ("-s", str(signature), "-f", str(allowed_signers), "-n", NAMESPACE, "-I", name)
    _ssh_keygen("verify", *arguments, text=(study / MANIFEST).read_bytes())
    return name


def _ssh_keygen(action: str, *arguments: str, text: bytes = b"") -> str:
    try:
        done = subprocess.run(
            ["ssh-keygen", "-Y", action, *arguments], input=text, capture_output=True, check=False
        )
    except FileNotFoundError:
        raise WeirError("ssh-keygen is missing", hint="install OpenSSH 8.2 or newer") from None
    if done.returncode != 0:
        message = (done.stderr or done.stdout).decode(errors="replace").strip() or "no message"
        hint = f"see man ssh-keygen, ALLOWED SIGNERS; the namespace is {NAMESPACE}"
        raise WeirError(f"ssh-keygen -Y {action} failed: {message}", hint=hint)
    return done.stdout.decode(errors="replace")
