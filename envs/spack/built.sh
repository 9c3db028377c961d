#!/usr/bin/env bash
# Says what of weir a spack.lock builds, and whether that is what is checked out: warns and goes on.
#
#   envs/spack/built.sh [spack.lock]
set -euo pipefail
unset CDPATH # cd would search it
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

lock=${1:-spack.lock}
python3 - "$lock" <<'PYTHON' | while read -r name commit; do
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    nodes = json.load(file)["concrete_specs"].values()
ours = {(node["name"], node["parameters"].get("commit")) for node in nodes if node["namespace"] == "weir"}
for name, commit in sorted((name, commit) for name, commit in ours if commit):
    print(name, commit)
PYTHON
    printf '%s is built from commit %s\n' "$name" "$commit" >&2
    # Another commit with the same files, which the recipe names, is the same program.
    recipe=envs/spack_repo/weir/packages/${name//-/_}/package.py
    read -ra paths < <(sed -n 's/^SOURCES = sources(\(.*\))$/\1/p' "$recipe" | tr -d '",')
    if ! git diff --quiet "$commit" HEAD -- "${paths[@]}" 2>/dev/null; then
        printf 'warning: src/ of HEAD is not known to be what is built of %s;\n' "$name" >&2
        printf 'to build HEAD, which replaces spack.lock (a lock of a release, too): spack -e . concretize --force\n' >&2
    fi
done
if [ -n "$(git status --porcelain -- src 2>/dev/null)" ]; then
    echo "warning: src/ has changes without a commit, which are not built" >&2
fi
