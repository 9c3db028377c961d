#!/usr/bin/env bash
# Builds containers from the committed tree, one after the other: containers/NAME.def to build/containers/NAME.sif.
#
#   containers/build.sh NAME...     NAME is measure, analyse or measure-spack
#
# WEIR_BASE=BOOTSTRAP:FROM       the base image instead of the one of debian.list: docker:debian:12 is the newest, and
#                                localimage:/path/to/base needs no registry (docs/how-to/containers.md)
# WEIR_APT_SOURCES=FILE          apt's sources in the image instead of those of debian.list, or of your WEIR_BASE
# WEIR_STACK=mpich-ime           for measure-spack: the stack of spack.yaml that enters
# WEIR_SPACK_ENV=.               for measure-spack: the installed environment
# APPTAINER=apptainer            the program
# WEIR_BUILD_OPTIONS="..."       options of `apptainer build` instead of those chosen here
set -euo pipefail
unset CDPATH # cd would search it

if [ $# -gt 1 ]; then
    for one; do "${BASH_SOURCE[0]}" "$one"; done
    exit
fi

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
name=${1:-}
definition=$top/containers/$name.def
pins=$top/containers/debian.list
base=${WEIR_BASE:-$(sed -n 's/^# base //p' "$pins")}
# A base of your own keeps its sources; the pinned one has packages of its day.
[ -n "${WEIR_BASE:-}" ] || WEIR_APT_SOURCES=${WEIR_APT_SOURCES:-$pins}
sources=${WEIR_APT_SOURCES:-/dev/null}
apptainer=${APPTAINER:-apptainer}

die() {
    printf 'containers: %s\n' "$@" >&2
    exit 2
}

# Apptainer wants every capability of a root that builds; without CAP_SYS_RESOURCE (bit 24), as in a cloud sandbox, root
# builds like a user does, in a user namespace over a range of ids of its own.
root_may_set_limits() { [ "$(id -u)" -eq 0 ] && (((16#$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status) >> 24) & 1)); }

choose_options() {
    local who
    who=$(id -un)
    if [ -n "${WEIR_BUILD_OPTIONS:-}" ]; then
        read -ra options <<<"$WEIR_BUILD_OPTIONS"
    elif ! root_may_set_limits; then
        # A range may also come from a directory service, which only getsubids asks.
        { getsubids "$who" && getsubids -g "$who"; } >/dev/null 2>&1 ||
            { grep -q "^$who:" /etc/subuid && grep -q "^$who:" /etc/subgid; } 2>/dev/null ||
            die "$who has no range of ids to build in a user namespace with (/etc/subuid, /etc/subgid)" \
                "root gives one: usermod --add-subuids 300000-365535 --add-subgids 300000-365535 $who" \
                "(a root with CAP_SYS_RESOURCE needs none; WEIR_BUILD_OPTIONS are options to build without this check)"
        options=(--fakeroot)
    fi
}

# Every file that a view leads to: what its links name, and the libraries that those load.
files_of() { # files_of VIEW
    find "$1" -type l -exec readlink -f {} +
    # -L: the programs and libraries of a view are links. ldd fails for scripts among them.
    { find -L "$1/bin" "$1/lib" -maxdepth 1 -type f \( -perm -u+x -o -name '*.so*' \) -exec ldd {} + 2>/dev/null || true; } |
        sed -n 's,.*=> \(/[^ ]*\) .*,\1,p'
}

# Debian's packages that hold the libraries among some files.
packages_of() { # packages_of FILES
    sed -nE 's,^(/usr)?(/lib/.*),\2,p' "$1" | sort -u | while read -r library; do
        { dpkg-query --search "$library" "/usr$library" 2>/dev/null || true; } | cut -d : -f 1 | head -n 1
    done | sort -u
}

[ -f "$definition" ] || die "there is no container '$name'; known: $(cd "$top/containers" && printf '%s ' *.def)"
apptainer=$(command -v "$apptainer") || die "apptainer is not on the PATH" "install it, or name it with APPTAINER=/path/to/apptainer"
apptainer=$(realpath -s "$apptainer")
[ -r "$sources" ] || die "WEIR_APT_SOURCES: $sources cannot be read"
case $base in localimage:[!/]*) base=localimage:$PWD/${base#*:} ;; esac
# What stays the same from one build to the next.
pinned=
case $base in
*@sha256:* | localimage:*) pinned=base ;; # a localimage is a file of the site
*) printf 'containers: warning: %s\n' "the base $base may be another one tomorrow; without WEIR_BASE it is the one of containers/debian.list" >&2 ;;
esac
if [ -s "$sources" ]; then
    pinned=${pinned:+$pinned+}apt # Apptainer splits a --build-arg at commas
else
    printf 'containers: warning: %s\n' "packages are the newest of the base's apt sources; WEIR_APT_SOURCES=containers/debian.list takes those of the day of Debian's image" >&2
fi
options=()
choose_options
commit=$(git -C "$top" rev-parse HEAD)
# mksquashfs dates by it what was made later; the label tells the same, or two builds would differ in both.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$top" log -1 --format=%ct "$commit")}
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
cat "$sources" >"$work/sources.list"

# Only what is committed enters, so that the label tells the truth.
mkdir -p "${WEIR_OUT:-$top/build/containers}" "$work/tree"
out=$(cd "${WEIR_OUT:-$top/build/containers}" && pwd -P)
git -C "$top" archive "$commit" | tar -x -C "$work/tree"

extra=()
case $name in
measure-spack)
    command -v spack >/dev/null || die "spack is not on the PATH" "the image holds what Spack has installed (docs/how-to/stacks.md)"
    environment=${WEIR_SPACK_ENV:-$top}
    [ -f "$environment/spack.lock" ] || die "$environment has no spack.lock" "install the stacks first: spack -e . install"
    lock=$(sha256sum "$environment/spack.lock" | cut -c 1-64)
    stack=${WEIR_STACK:-mpich-ime}
    view=$(spack -e "$environment" config get view | sed -n "/^  $stack:/,/root:/s/.*root: *//p")
    # The path is relative to the environment, and a link.
    view=$(cd "$environment" && [ -n "$view" ] && readlink -e "$view") ||
        die "no view '$stack' is installed in $environment" "WEIR_STACK names a view of its spack.yaml: spack -e $environment install"
    [ -x "$view/bin/mpiexec" ] || die "the stack '$stack' has no mpiexec: its MPI is the site's, not Spack's" \
        "with Debian's MPI: containers/build.sh measure; else choose another stack with WEIR_STACK"
    files_of "$view" >"$work/files"
    # What the site declares as an external in /usr comes from Debian; the rest enters at the path it was built for.
    spack -e "$environment" find --no-groups --format '{prefix}' | grep '^/' | grep -v '^/usr$' | sort -u |
        while read -r prefix; do
            ! grep -qF "$prefix/" "$work/files" || printf '%s\n' "$prefix"
        done >"$work/prefixes"
    ! hidden=$(grep -m 1 -E "^(/tmp|/var/tmp|/dev|/proc|/sys|$HOME)/" "$work/prefixes") ||
        die "$hidden would be hidden in the container by the host's folder of that name" \
            "install the stack below /opt: config: install_tree: root: (docs/how-to/containers.md)"
    tar -C / -c -P -f "$work/store.tar" --files-from "$work/prefixes"
    # Its links, wherever the environment lies, become /opt/weir/stack.
    tar -C "$view" -c -f "$work/view.tar" .
    extra=(--build-arg store=store.tar --build-arg view=view.tar --build-arg "stack=$stack"
        --build-arg "packages=$(packages_of "$work/files" | tr '\n' ' ')")
    ;;
*) lock=$(cd "$work/tree" && LC_ALL=C && cat envs/apt/*.txt envs/pip/requirements.txt | sha256sum | cut -c 1-64) ;;
esac

# Read whole before it runs: a build takes minutes, in which this file may change.
{
    status=0
    # The image keeps its definition, in which the name of a temporary folder would be another one each time.
    cd "$work"
    "$apptainer" build --force "${options[@]}" \
        --build-arg "bootstrap=${base%%:*}" --build-arg "from=${base#*:}" \
        --build-arg tree=tree --build-arg "commit=$commit" --build-arg "date=$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)" \
        --build-arg "lock=$lock" --build-arg "base=$base" --build-arg "pinned=${pinned:-nothing}" \
        --build-arg sources=sources.list "${extra[@]}" \
        "$out/$name.sif" "$definition" || status=$?
    if [ $status -ne 0 ]; then
        [ "${base%%:*}" != docker ] ||
            printf 'containers: %s\n' "if the registry of $base or the archive of its day is out of reach, build on a base of Debian's packages" \
                "(docs/how-to/containers.md): WEIR_BASE=localimage:/path/to/base.sif $0 $name" >&2
        exit $status
    fi
    printf '%s\n' "$out/$name.sif"
    exit
}
