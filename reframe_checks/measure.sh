#!/usr/bin/env bash
# Measures one batch of a plan by ReFrame: measure.sh SITE:PARTITION BATCH PLAN RECEIPT LOG
# ReFrame's exit code also reports cells that failed. Those are in the records with their reason and do not stop the
# workflow; what decides is the receipt, which `weir run` writes when the batch is through.
set -euo pipefail

system=$1 batch=$2 plan=$(realpath "$3") receipt=$4 log=$5
results=$(realpath "results/${system%%:*}")
here=$(realpath "$(dirname "$0")")

# Within a job ReFrame does not submit another one.
[ -z "${SLURM_JOB_ID:-}" ] || export WEIR_IN_ALLOCATION=$SLURM_JOB_ID
export WEIR_PLAN=$plan WEIR_RESULTS=$results
# The lines of progress go past ReFrame to whoever waits for this script.
export WEIR_PROGRESS=/proc/$$/fd/2

# What weir run says of a failure is said again at the end of everything, by the Snakefile.
errors=${receipt%.json}.err
rm -f "$errors"
status=0
reframe --nocolor -C "$here/settings.py" -c "$here/measure.py" --system "$system" --prefix "$results/reframe" \
    --name "^measure%batch=.*:$batch\$" --performance-report --run >"$log" 2>&1 || status=$?

if [ ! -e "$receipt" ]; then
    echo "measuring $batch failed; the whole log is $log" >&2
    # What weir run said is the reason; ReFrame's summary repeats it in its own words.
    find "$results/reframe/stage" -name rfm_job.err -newer "$plan" -exec cat {} + | tee "$errors" >&2 || true
    exit 1
fi
[ "$status" -eq 0 ] || echo "$batch: some executions failed; the report lists them, $log has the details" >&2
