#!/usr/bin/env bash
# `make bundle-offline DIR=FOLDER`, on a connected machine: everything that a machine without network needs to run weir, in
# one folder, with the script that installs it there. docs/how-to/air-gapped.md has the other end.
#
#   envs/bundle-offline.sh FOLDER [code] [wheels] [debs]     all if none is named
#
# PYTHON=python3.11       the Python of the other machine: wheels are of one release
# WEIR_ROLES="..."        roles of envs/apt whose packages are taken; by default measure analyse report
set -euo pipefail
unset CDPATH # cd would search it
cd "$(dirname "${BASH_SOURCE[0]}")/.."

die() {
    printf 'bundle-offline: %s\n' "$@" >&2
    exit 2
}

[ $# -gt 0 ] || die "name the folder to fill: make bundle-offline DIR=/media/weir"
mkdir -p "$1"
folder=$(cd "$1" && pwd -P)
shift
[ $# -gt 0 ] || set -- code wheels debs
read -ra roles <<<"${WEIR_ROLES:-measure analyse report}"

take_code() {
    [ -z "$(git status --porcelain)" ] || printf 'warning: %s\n' "changes without a commit are not taken" >&2
    # HEAD by name, or a clone would check out nothing.
    git bundle create --quiet "$folder/weir.bundle" HEAD --branches --tags
}

take_wheels() {
    "${PYTHON:-python3}" -m pip --disable-pip-version-check download --quiet --require-hashes --no-deps \
        --prefer-binary --dest "$folder/wheels" --requirement envs/pip/requirements.txt
    # One package of the lock exists as a source only, and is built by this there; its checksums are in the other lock.
    "${PYTHON:-python3}" -m pip --disable-pip-version-check download --quiet --require-hashes --no-deps --dest "$folder/wheels" \
        --requirement <(awk '/^wheel==/ {found = 1} found {print} found && !/\\$/ {exit}' envs/pip/requirements-develop.txt)
}

# With an empty list of what is installed, so that the folder serves any Debian of this release, not a copy of this one.
take_debs() {
    local names=() options=(-o "Dir::Cache::archives=$folder/debs" -o Dir::State::status=/dev/null -o Debug::NoLocking=1)
    mkdir -p "$folder/debs/partial"
    # shellcheck source=/dev/null
    . envs/apt/release.sh
    mapfile -t names < <(packages_of "${roles[@]}")
    apt-get -qq "${options[@]}" install --yes --download-only --no-install-recommends python3-venv git make "${names[@]}" >/dev/null
    rm -rf "$folder/debs/partial" "$folder/debs/lock"
}

for part in "$@"; do
    case $part in
    code) take_code ;;
    wheels) take_wheels ;;
    debs) take_debs ;;
    *) die "unknown part '$part'; known: code wheels debs" ;;
    esac
done
cp envs/install-offline.sh "$folder/install.sh"
printf '%s\n' "$folder"
