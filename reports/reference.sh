#!/bin/bash
# reference.sh OUT: draws and prints the published studies from reference/ alone, two at a time, and checks their
# printed tables. Nothing is measured.
set -euo pipefail +C # BASH_ENV may have set noclobber
unset CDPATH # cd would search it

root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:?directory for the reports}
mkdir -p "$out"
out=$(cd "$out" && pwd)
PATH="$root/.venv/bin:$PATH"
cd "$root"

one() {
    name=$1 folder=$out/$1
    mkdir -p "$folder"
    # Joined by &&: within a list before || the shell does not stop at a failed command.
    {
        weir import "reference/$name.csv" --facts "reference/$name.yaml" --out "$folder/records.csv" &&
            Rscript analysis/draw.R study "$folder" --with published=reference/published.csv &&
            reports/print.sh "reports/$name/main.tex" "$folder" "$folder/report.pdf"
    } >"$folder/log" 2>&1 || {
        tail -5 "$folder/log" >&2
        return 1
    }
    echo "$folder/report.pdf"
}

begin=$SECONDS
# The largest first; each takes one core.
one ddn-lustre-2018 &
first=$!
{ one mistral && one io500; } &
second=$!
weir io500 --submissions reference/io500-submissions.csv >"$out/io500-submissions.txt"
failed=0
wait "$first" || failed=1
wait "$second" || failed=1
[ "$failed" = 0 ]

Rscript analysis/draw.R publications "$out/publications.csv" "$out/ddn-lustre-2018" "$out/mistral" "$out/io500"
echo "$out/publications.csv"

head -2 "$out/io500-submissions.txt"
awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next}
    {all++; if ($at["recomputed"] == $at["arithmetic"]) same++}
    END {printf "%d of %d means of the Mistral defaults (%d rows) recompute as printed\n", same, all, all / 2}' \
    "$out/mistral/tables/defaults-published.csv"
awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next} $at["phase"] ~ /bandwidth|metadata|2017/ {
    printf "IO500 example of 2017: %s %.4f %s\n", $at["phase"], $at["median"], $at["unit"] == "\"\"" ? "" : $at["unit"]}' \
    "$out/io500/tables/io500-phases.csv"
echo "done in $((SECONDS - begin)) s"
