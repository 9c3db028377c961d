#!/usr/bin/env bash
# Measures on a private Slurm of four virtual nodes and prints where the report is: demo.sh [SUITE[,SUITE...]]
set -euo pipefail
unset CDPATH # cd would search it

suites=${1:-nodes}
top=$(cd "$(dirname "$0")/../.." && pwd -P)
sandbox=$top/tests/slurm/sandbox/sandbox
study=$top/results/sandbox/${suites//,/+}
cluster=$(mktemp -d "${TMPDIR:-/tmp}/slurm-demo-XXXXXX")

# The logs of Slurm go with the sandbox, but not those of a failure.
finish() {
    local code=$?
    if [ "$code" != 0 ] && [ -d "$cluster/log" ]; then
        mkdir -p "$study/logs/slurm"
        cp -r "$cluster/log/." "$study/logs/slurm"
        echo "slurm-demo: failed with exit code $code; the logs of Slurm are in $study/logs/slurm" >&2
    fi
    "$sandbox" down "$cluster" # again does nothing
}
trap finish EXIT

"$sandbox" up "$cluster"
cd "$top"
export PATH=$cluster/bin:$top/.venv/bin:$PATH
measure=(snakemake --profile profiles/slurm --slurm-init-seconds-before-status-checks 1 --quiet host progress reason)
measure+=(--config site=sandbox "suites=[$suites]" "targets=[memory]")

# Four warnings of the executor mean nothing on a cluster without accounts, whose jobs get whole nodes.
harmless='No SLURM account given|No account was given|Unable to guess SLURM account|No job memory information'
"${measure[@]}" -- report 2> >(grep -vE "$harmless" >&2)
"${measure[@]}" --report "$study/workflow.html" -- report >"$study/logs/html.log" 2>&1 || {
    cat "$study/logs/html.log"
    exit 1
}
"$sandbox" down "$cluster"
printf 'HTML: %s\nPDF:  %s\n' "$study/report.html" "$study/report.pdf"
