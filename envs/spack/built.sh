#!/usr/bin/env bash
# Says what of weir a spack.lock builds, and whether that is what is checked out: warns and goes on.
#
#   envs/spack/built.sh [spack.lock]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

lock=${1:-spack.lock}
head=$(git rev-parse --verify --quiet 'HEAD^{commit}') || head=
python3 - "$lock" "$head" <<'PYTHON'
import json
import sys

lock, head = sys.argv[1:]
with open(lock, encoding="utf-8") as file:
    nodes = json.load(file)["concrete_specs"].values()
ours = {(node["name"], node["parameters"].get("commit")) for node in nodes if node["namespace"] == "weir"}
for name, commit in sorted((name, commit) for name, commit in ours if commit):
    print(f"{name} is built from commit {commit}", file=sys.stderr)
    if commit != head:
        print(
            f"warning: HEAD is {head or 'not a commit'}, not what is built of {name};"
            " to build it: spack -e . concretize --force",
            file=sys.stderr,
        )
PYTHON
if [ -n "$head" ] && [ -n "$(git status --porcelain -- src)" ]; then
    echo "warning: src/ has changes without a commit, which are not built" >&2
fi
