"""weir scan on 100,000 files of known content: table exact, rate kept, nothing written. make bench-scan"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.unit.survey.trees import inventory, make_tree

ROOT = Path(__file__).resolve().parents[1]
FILES = 100_000
RATES = (5_000, 1e9)  # operations per second; 1e9 is effectively unlimited


def main() -> int:
    files = int(sys.argv[1]) if len(sys.argv) > 1 else FILES
    with tempfile.TemporaryDirectory(prefix="weir-scan-", dir="/var/tmp") as folder:
        tree = make_tree(Path(folder) / "tree", files, files_per_directory=200)
        before = inventory(tree.folder)
        for rate in RATES:
            begin = time.monotonic()
            command = [sys.executable, "-m", "weir", "scan", str(tree.folder), "--rate", str(rate), "--json"]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
            elapsed_s = time.monotonic() - begin
            result = json.loads(done.stdout)
            counted = {one["format"]: one["sampled_files"] for one in result["formats"]}
            volume = {one["format"]: one["sampled_bytes"] for one in result["formats"]}
            assert counted == tree.formats, counted
            assert volume == tree.volume, volume
            assert result["operations"] <= rate * result["elapsed_s"] + 1, result["operations"]
            a_second = result["operations"] / result["elapsed_s"]
            print(
                f"limit {rate:g}/s: {result['files']:,} files, {result['operations']:,} operations in "
                f"{elapsed_s:.1f} s, {a_second:,.0f} a second; table exact"
            )
        assert inventory(tree.folder) == before
        print("inventory of modes, sizes and times before and after: the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
