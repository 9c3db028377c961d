#!/usr/bin/env python3
"""Measures one batch of a plan by ReFrame: run_batch.py SITE:PARTITION BATCH PLAN RECEIPT

ReFrame's exit code also reports cells that failed. Those are in the records with their reason and do not stop
the workflow; what decides is the receipt, which `weir run` writes when the batch is through. Progress, errors
and receipt pass through ReFrame as files that lie beside each other.
"""

import sys
from pathlib import Path

from weir.measure.handover import Handover


def main(system: str, batch: str, plan: str, receipt: str) -> int:
    handover = Handover(Path(receipt).resolve())
    for file in (handover.errors, handover.progress):
        file.unlink(missing_ok=True)
    if handover.take_in_turns():
        return 0
    # Python itself does not search the folder of a script with PYTHONSAFEPATH.
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from weir_checks.start import run_reframe  # takes a while, and is not needed where batches take turns

    status = run_reframe(system, batch, Path(plan).resolve(), handover)
    if status != 0:
        handover.forget_in_turns()
    if not handover.receipt.exists():
        return failed(batch, handover)
    if status != 0:
        print(
            f"{batch}: some executions failed or have no valid record; the report lists them;"
            f" details: {handover.log}",
            file=sys.stderr,
        )
    return 0


def failed(batch: str, handover: Handover) -> int:
    for reason in handover.reasons():
        print(f"weir: {batch}: {reason}", file=sys.stderr)
    print(f"measuring {batch} failed; the whole log is {handover.log}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
