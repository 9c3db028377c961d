#!/usr/bin/env bash
# Lies beside what `make bundle-offline` took along: installs weir from it, without a network.
#
#   FOLDER/install.sh [CHECKOUT]     by default ./weir
#
# WEIR_APT=no   the programs come from modules or Spack: leave Debian packages alone
set -euo pipefail

folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
checkout=${1:-weir}

die() {
    printf 'install: %s\n' "$@" >&2
    exit 1
}

if [ "${WEIR_APT:-yes}" != no ] && [ -d "$folder/debs" ]; then
    [ "$(id -u)" -eq 0 ] || die "Debian packages are installed by root: sudo $0 $checkout" \
        "or, where they are installed already: WEIR_APT=no $0 $checkout"
    # Only what is not there: nothing is replaced by an older or newer one.
    missing=()
    for file in "$folder"/debs/*.deb; do
        name=$(dpkg-deb --field "$file" Package)
        dpkg-query --show --showformat '${db:Status-Status}\n' "$name" 2>/dev/null | grep -q '^installed$' || missing+=("$file")
    done
    [ ${#missing[@]} -eq 0 ] || DEBIAN_FRONTEND=noninteractive apt-get -q install --yes --no-download --no-install-recommends "${missing[@]}"
fi
[ -d "$checkout" ] || git clone --quiet "$folder/weir.bundle" "$checkout"
export PIP_NO_INDEX=1 PIP_FIND_LINKS=$folder/wheels
WEIR_APT=no "$checkout/envs/setup.sh" measure analyse report
printf 'ready: cd %s && make build && make report\n' "$checkout"
