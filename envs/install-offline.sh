#!/usr/bin/env bash
# Lies beside what `make bundle-offline` took along: installs weir from it, without a network.
#
#   FOLDER/install.sh [CHECKOUT]     by default ./weir
#
# WEIR_APT=no   the programs come from modules or Spack: leave Debian packages alone
set -euo pipefail
unset CDPATH # cd would search it

folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
checkout=${1:-weir}

die() {
    printf 'install: %s\n' "$@" >&2
    exit 1
}

# From these files alone: apt would rather fetch a package that its lists name, too.
install_debs() {
    DEBIAN_FRONTEND=noninteractive apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$lists" install --yes --no-install-recommends "$@"
}

if [ "${WEIR_APT:-yes}" != no ] && [ -d "$folder/debs" ]; then
    [ "$(id -u)" -eq 0 ] || die "Debian packages are installed by root: sudo $0 $checkout" \
        "or, where they are installed already: WEIR_APT=no $0 $checkout"
    lists=$(mktemp -d)
    trap 'rm -rf "$lists"' EXIT
    missing=()
    older=()
    for file in "$folder"/debs/*.deb; do
        name=$(dpkg-deb --field "$file" Package)
        have=$(dpkg-query --show --showformat '${db:Status-Status} ${Version}\n' "$name" 2>/dev/null || true)
        if [[ $have != "installed "* ]]; then
            missing+=("$file")
        elif dpkg --compare-versions "${have#installed }" lt "$(dpkg-deb --field "$file" Version)"; then
            older+=("$file")
        fi
    done
    if [ ${#missing[@]} -gt 0 ]; then
        # Nothing is replaced, unless something that is missing needs a newer release of what is there (a security update).
        install_debs --simulate "${missing[@]}" >/dev/null 2>&1 || missing+=("${older[@]}")
        install_debs "${missing[@]}"
    fi
fi
[ -d "$checkout" ] || git clone --quiet "$folder/weir.bundle" "$checkout"
export PIP_NO_INDEX=1 PIP_FIND_LINKS=$folder/wheels
WEIR_APT=no "$checkout/envs/setup.sh" measure analyse report
printf 'ready: cd %s && make build && make report\n' "$checkout"
