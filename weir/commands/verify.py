"""weir verify: what was edited, deleted or added since a study was collected."""

import argparse
from dataclasses import asdict

from weir.base.errors import InputError, WeirError
from weir.base.files import as_json
from weir.base.options import Parser
from weir.base.units import counted
from weir.report.bundle.reproduce import verify_bundle
from weir.runs.manifest import COPY_HINT, SIGNATURE, Verified, sign, signer, verify

NAME = "verify"
GROUP = "prove"
HELP = "compare a study with the checksums of its files, name what was edited, deleted or added"
EXAMPLE = "weir verify results/local/quick"
_LIMIT = "an edit that also rewrites the checksums is not detected: compare --digest with that of the report"


def add_arguments(parser: Parser) -> None:
    parser.path("study", "STUDY", "directory with SHA256SUMS, or a bundle")
    parser.value("--digest", "HEX", "digest of the study, as its report prints it")
    parser.path("--sign", "KEY", f"write {SIGNATURE} with this SSH key")
    parser.path("--allowed-signers", "FILE", "check the signature against these SSH keys")
    parser.flag("--json", "print the outcome as JSON")


def execute(args: argparse.Namespace) -> int:
    if args.study.is_file():
        if args.sign or args.allowed_signers:
            hint = "sign the study before it is bundled, or the file itself by ssh-keygen -Y"
            raise InputError("a bundle is not signed here", file=args.study, hint=hint)
        verified = verify_bundle(args.study)
    else:
        verified = verify(args.study)
    # A short digest, as on a page, is compared as far as it goes.
    given = (args.digest or "").lower().strip()
    if given and (len(given) < 16 or not verified.digest.startswith(given)):
        hint = "the study is another one, or its checksums were rewritten; give at least 16 digits"
        raise WeirError(
            f"the digest is {verified.digest}", file=args.study, key="--digest", value=given, hint=hint
        )
    signature = sign(args.study, args.sign) if args.sign and not verified.differences else None
    name = signer(args.study, args.allowed_signers) if args.allowed_signers else None
    if args.json:
        print(as_json(asdict(verified) | {"signer": name}))
    else:
        print(_text(verified, name, proven=bool(given or name)))
        if args.sign:
            print(f"signature: {signature}" if signature else "not signed: what differs is not signed")
    return 1 if verified.differences else 0


def _text(verified: Verified, name: str | None, proven: bool) -> str:
    lines = [f"{counted(verified.files, 'file')} compared, {len(verified.differences)} differ"]
    lines += map(str, verified.beside_absent_runs())
    lines += [text, f"    {COPY_HINT}"] if (text := verified.absent_text()) else []
    lines.append(f"digest {verified.digest}")
    lines += [f"signed by {name}"] if name else []
    lines += [] if proven else [_LIMIT]
    return "\n".join(lines)
