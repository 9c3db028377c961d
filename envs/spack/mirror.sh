#!/usr/bin/env bash
# `make spack-mirror`: what an air-gapped centre needs to install the stacks, in one folder: the sources of everything in
# spack.lock and of Spack's own bootstrap, and, of what is installed here, the binaries. docs/how-to/air-gapped.md has
# the other end.
#
#   envs/spack/mirror.sh FOLDER [sources] [binaries] [bootstrap]     all if none is named
set -euo pipefail
unset CDPATH # cd would search it
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

die() {
    printf 'spack-mirror: %s\n' "$@" >&2
    exit 2
}

[ $# -gt 0 ] || die "name the folder to fill: envs/spack/mirror.sh /path/to/mirror, or make spack-mirror MIRROR=/path"
command -v spack >/dev/null || die "spack is not on the PATH" "get Spack 1.1 or newer (https://spack.io)"
[ -f spack.lock ] || die "there is no spack.lock" "make one first: spack -e . concretize"
envs/spack/built.sh
mkdir -p "$1"
folder=$(cd "$1" && pwd -P)
shift
[ $# -gt 0 ] || set -- sources binaries bootstrap

# Pushing the whole environment would fail over what is not installed yet.
push_binaries() {
    local installed=()
    mapfile -t installed < <(spack -e . find --no-groups --format '/{hash}' | grep '^/')
    [ ${#installed[@]} -gt 0 ] || die "nothing is installed" "install the stacks first: spack -e . install"
    # Unsigned, because the key of a signature has to travel as well; the folder is the trust.
    spack -e . buildcache push --unsigned --update-index --only package "file://$folder/binaries" "${installed[@]}"
}

for part in "$@"; do
    case $part in
    sources) spack -e . mirror create --all --directory "$folder/sources" ;;
    binaries) push_binaries ;;
    bootstrap) spack bootstrap mirror "$folder/bootstrap" ;;
    *) die "unknown part '$part'; known: sources binaries bootstrap" ;;
    esac
done
cp spack.lock "$folder/spack.lock"
printf '%s\n' "$folder"
