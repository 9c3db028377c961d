#!/usr/bin/env bash
# %test of a container that measures: two ranks write a small shared file through POSIX and MPI-IO, read it back and
# compare every byte; the JSON documents must say so.
#
#   test-measure.sh [PROGRAM [LAUNCHER WORDS...]]
set -euo pipefail
# The TMPDIR of who builds the image is not always mounted in it.
[ -d "${TMPDIR:-/tmp}" ] || unset TMPDIR

program=${1:-weir-io}
[ $# -le 1 ] && set -- "$program" mpirun --oversubscribe --bind-to none -np 2
launcher=("${@:2}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# /tmp is the host's: Open MPI's folder in it is named by host and user id, and who builds in a user namespace has the id
# of root without being it.
export TMPDIR=$folder

for api in POSIX MPIIO; do
    "${launcher[@]}" "$program" ior -a "$api" -t 64k -b 1m -s 2 -w -r -R -e -o "$folder/data" \
        "--json=$folder/$api.json" >"$folder/$api.txt"
    python3 - "$folder/$api.json" "$api" <<'PYTHON'
import json
import sys

document = json.load(open(sys.argv[1]))
rows = {row["access"]: row for row in document["results"]}
requested = 2 * 2 * 2**20
assert document["status"] == "done", document["errors"]
assert document["job"]["tasks"] == 2, "the ranks did not find each other: %s" % document["job"]
assert rows["write"]["moved_bytes"] == rows["read"]["moved_bytes"] == requested, rows
assert rows["read"]["verify"] == {"checked_bytes": requested, "errors": 0, "first_error": None}, rows["read"]["verify"]
print("%s: %d ranks wrote and verified %d bytes" % (sys.argv[2], 2, requested))
PYTHON
done
