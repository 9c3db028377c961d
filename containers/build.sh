#!/usr/bin/env bash
# Builds a container from the committed tree: containers/NAME.def to build/containers/NAME.sif.
#
#   containers/build.sh measure|analyse|measure-spack
#
# WEIR_BASE=docker:debian:12     the base image, BOOTSTRAP:FROM; without a registry: localimage:/path/to/base, which
#                                `debootstrap --variant=minbase bookworm base` makes (docs/how-to/containers.md)
# WEIR_STACK=mpich-ime           for measure-spack: the stack of spack.yaml that enters
# WEIR_SPACK_ENV=.               for measure-spack: the installed environment
# APPTAINER=apptainer            the program
# WEIR_BUILD_OPTIONS=--fakeroot  more options of `apptainer build`
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
name=${1:-}
definition=$top/containers/$name.def
base=${WEIR_BASE:-docker:debian:12}
apptainer=${APPTAINER:-apptainer}
read -ra options <<<"${WEIR_BUILD_OPTIONS:-}"

die() {
    printf 'containers: %s\n' "$@" >&2
    exit 2
}

[ -f "$definition" ] || die "there is no container '$name'; known: $(cd "$top/containers" && printf '%s ' *.def)"
command -v "$apptainer" >/dev/null || die "apptainer is not on the PATH" "install it, or name it with APPTAINER=/path/to/apptainer"
commit=$(git -C "$top" rev-parse HEAD)
out=${WEIR_OUT:-$top/build/containers}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Only what is committed enters, so that the label tells the truth.
mkdir -p "$out" "$work/tree"
git -C "$top" archive "$commit" | tar -x -C "$work/tree"

extra=()
case $name in
measure-spack)
    command -v spack >/dev/null || die "spack is not on the PATH" "the image holds what Spack has installed (docs/how-to/stacks.md)"
    environment=${WEIR_SPACK_ENV:-$top}
    [ -f "$environment/spack.lock" ] || die "$environment has no spack.lock" "install the stacks first: spack -e . install"
    lock=$(sha256sum "$environment/spack.lock" | cut -c 1-64)
    view=$(spack -e "$environment" config get view | sed -n "/^  ${WEIR_STACK:-mpich-ime}:/,/root:/s/.*root: *//p")
    view=$(cd "$environment" && readlink -f "$view") || die "the environment has no view ${WEIR_STACK:-mpich-ime}"
    # Externals lie in /usr and come with the base image; everything else enters at the path it was built for.
    spack -e "$environment" find --no-groups --format '{prefix}' | grep '^/' | grep -v '^/usr$' | sort -u >"$work/prefixes"
    printf '%s\n' "$view" >>"$work/prefixes"
    tar -C / -c -P -f "$work/store.tar" --files-from "$work/prefixes"
    extra=(--build-arg "store=$work/store.tar" --build-arg "view=$view")
    ;;
*) lock=$(cd "$work/tree" && cat envs/apt/*.txt envs/pip/requirements.txt | sha256sum | cut -c 1-64) ;;
esac

"$apptainer" build --force "${options[@]}" \
    --build-arg "bootstrap=${base%%:*}" --build-arg "from=${base#*:}" \
    --build-arg "tree=$work/tree" --build-arg "commit=$commit" --build-arg "lock=$lock" "${extra[@]}" \
    "$out/$name.sif" "$definition"
printf '%s\n' "$out/$name.sif"
