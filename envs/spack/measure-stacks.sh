#!/usr/bin/env bash
# `make stacks`: installs the environment of spack.yaml, probes every stack of the site `stacks`, and measures what each
# of those that are whole costs, with the same cells side by side.
#
#   envs/spack/measure-stacks.sh [install] [measure]      both if none is named
#
# WEIR_SITE=local       packages of config/sites/$WEIR_SITE for Spack (or WEIR_SITE_PACKAGES=FOLDER)
# SPACK_INSTALL="..."   options of `spack install`, such as "--use-buildcache only" or "-j 8"
set -euo pipefail
unset CDPATH # cd would search it
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

steps=("${@:-install}")
[ $# -gt 0 ] || steps=(install measure)
read -ra install_options <<<"${SPACK_INSTALL:-}"
export WEIR_SITE=${WEIR_SITE:-local}

die() {
    printf 'stacks: %s\n' "$@" >&2
    exit 2
}

install_stacks() {
    command -v spack >/dev/null || die "spack is not on the PATH" \
        "get Spack 1.1 or newer (https://spack.io), then: . spack/share/spack/setup-env.sh" \
        "to measure what is there without it: envs/spack/measure-stacks.sh measure"
    [ -f spack.lock ] || spack -e . concretize
    envs/spack/built.sh
    spack -e . install "${install_options[@]}"
}

# Stacks without a problem, as --stack options of weir plan.
whole_stacks() {
    .venv/bin/weir stacks --site stacks --json >build/stacks.json || true
    .venv/bin/python - build/stacks.json <<'PYTHON'
import json
import sys

for stack in json.load(open(sys.argv[1])):
    for problem in stack["problems"]:
        print(f"stacks: {stack['name']} is left out: {problem}", file=sys.stderr)
    if not stack["problems"]:
        print("--stack", stack["name"], sep="\n")
PYTHON
}

measure_stacks() {
    local results=results/stacks options=() failed=0
    mkdir -p build "$results"
    mapfile -t options < <(whole_stacks)
    [ ${#options[@]} -gt 0 ] || die "no stack is whole; see: weir stacks --site stacks"
    .venv/bin/weir plan --site stacks --suite stack-cost "${options[@]}" --out "$results/stack-cost/plan.json"
    # The pre-flight of every stack comes before the first byte of any.
    .venv/bin/weir run --plan "$results/stack-cost/plan.json" --results "$results" --preflight
    # The stacks take turns, and one that fails does not hide what the others cost.
    .venv/bin/weir run --plan "$results/stack-cost/plan.json" --results "$results" || failed=$?
    .venv/bin/weir collect --plan "$results/stack-cost/plan.json" --results "$results" --out "$results/stack-cost/records.csv"
    # What was installed goes with what was measured on it.
    if [[ " ${options[*]} " == *" spack-"* ]] && [ -f spack.lock ]; then
        cp spack.lock "$results/stack-cost/"
    fi
    .venv/bin/python envs/spack/compare.py "$results/stack-cost/records.csv"
    return "$failed"
}

for step in "${steps[@]}"; do
    case $step in
    install) install_stacks ;;
    measure) measure_stacks ;;
    *) die "unknown step '$step'; known: install measure" ;;
    esac
done
