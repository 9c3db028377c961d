#!/usr/bin/env bash
# What the packages of a role are called on this system. Sourced by envs/setup.sh and envs/bundle-offline.sh.
#
# The lists envs/apt/ROLE.txt have Debian's names. releases/RELEASE.txt makes a release known: it has the names that differ.
#
# WEIR_APT=RELEASE   take the names of that release, such as debian-13 on a system derived from it
# SYSTEM=FOLDER      instead of /, for tests

unset CDPATH # cd would search it
package_lists=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

# debian-13, ubuntu-24.04, el-9 (Rocky, Alma, Red Hat, CentOS). In a subshell, since the file sets variables.
this_release() (
    ID='' VERSION_ID='' PLATFORM_ID=''
    # shellcheck source=/dev/null
    [ ! -r "${SYSTEM:-}/etc/os-release" ] || . "${SYSTEM:-}/etc/os-release"
    case ${WEIR_APT:-yes}:$PLATFORM_ID in
    yes:platform:el*) printf 'el-%s' "${PLATFORM_ID#platform:el}" ;;
    yes:* | no:*) printf '%s-%s' "${ID:-linux}" "${VERSION_ID:-unstable}" ;;
    *) printf '%s' "$WEIR_APT" ;;
    esac
)

release_file() { printf '%s/releases/%s.txt' "$package_lists" "$(this_release)"; }

known_releases() { (cd "$package_lists/releases" && printf '%s ' *.txt | sed 's/\.txt//g'); }

# The release's names are from what its distributor publishes, and weir has not been installed there.
is_never_run() { grep -qsx 'never run' "$(release_file)"; }

without_reasons() { sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$@"; }

# NAME = NAME NAME of the release's file; "-" stands for none.
in_this_release() { # names of Debian on stdin, one a line
    local file
    file=$(release_file)
    [ -f "$file" ] || file=/dev/null
    awk -F ' *= *' '{ if (exceptions) { if (NF == 2) other[$1] = $2 } else print ($1 in other) ? other[$1] : $1 }' \
        exceptions=1 <(without_reasons "$file") exceptions=0 - | tr -s ' ' '\n' | sed '/^-$/d'
}

packages_of() { # packages_of ROLE...
    local files=("${@/#/$package_lists/}")
    without_reasons "${files[@]/%/.txt}" | in_this_release | LC_ALL=C sort -u
}

installed_of() {
    # Both fail when they do not know one of the names: that is an answer, not an error.
    if command -v dpkg-query >/dev/null; then
        { dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true; } | sed -n 's/^installed //p'
    else
        { rpm --query --queryformat '%{NAME}\n' "$@" 2>/dev/null || true; } | sed '/ /d'
    fi | LC_ALL=C sort -u
}

missing_in() { # missing_in ROLE...
    local wanted=()
    mapfile -t wanted < <(packages_of "$@")
    comm -23 <(printf '%s\n' "${wanted[@]}") <(installed_of "${wanted[@]}")
}

# Where dpkg is, and with rpm in a release whose names are known.
looks_up_packages() {
    [ "${WEIR_APT:-yes}" != no ] || return
    command -v dpkg-query >/dev/null || { command -v rpm >/dev/null && [ -f "$(release_file)" ]; }
}

reasons_of() { # reasons_of NAME...   the lines of the lists with these names of Debian
    printf '%s\n' "$@" | awk 'named { wanted[$1]; next } $1 in wanted { print; delete wanted[$1] }' \
        named=1 - named=0 "$package_lists"/*.txt
}

# Where packages cannot be looked up, programs show that a role is there.
absent_programs() { # absent_programs ROLE...
    local role program programs
    for role in "$@"; do
        case $role in
        measure) programs='mpicc cmake ninja pkg-config' ;;
        analyse) programs='Rscript' ;;
        report) programs='pdflatex latexmk' ;;
        develop) programs='clang-format shellcheck' ;;
        *) continue ;;
        esac
        for program in $programs; do
            command -v "$program" >/dev/null || printf '%s\n' "$program"
        done
    done
}
