#!/usr/bin/env bash
# On a machine with Slurm: copies this profile into the user's Snakemake configuration, so that `snakemake --profile
# slurm` works from any study and also after this checkout is deleted. A profile that is not weir's is left alone.
set -euo pipefail +C # BASH_ENV may have set noclobber
unset CDPATH # cd would search it

command -v sbatch >/dev/null || exit 0
[ -n "${XDG_CONFIG_HOME:-${HOME:-}}" ] || exit 0
here=$(cd "$(dirname "$0")" && pwd -P)
profile=${XDG_CONFIG_HOME:-$HOME/.config}/snakemake/slurm
mark=$profile/.weir # with the checksum of the copy: what the user edited since is the user's

checksum() { sha256sum <"$1" | cut -d ' ' -f 1; }

if [ -e "$profile" ] || [ -L "$profile" ]; then
    if [ -L "$profile" ] || [ ! -f "$mark" ] || [ "$(cat "$mark")" != "$(checksum "$profile/config.yaml")" ]; then
        if [ ! -f "$profile/config.yaml" ] || ! cmp -s "$here/config.yaml" "$profile/config.yaml"; then
            printf 'setup: %s is not of weir or was edited, and stays; use --profile profiles/slurm\n' "$profile" >&2
        fi
        exit 0
    fi
    ! cmp -s "$here/config.yaml" "$profile/config.yaml" || exit 0
fi
install_profile() {
    mkdir -p "$profile" && cp "$here/config.yaml" "$profile/.config.yaml.$$" &&
        mv "$profile/.config.yaml.$$" "$profile/config.yaml" && checksum "$profile/config.yaml" >"$mark"
}
# As on a compute node, or of a service: no report stops for it.
install_profile || {
    printf 'setup: %s cannot be written; use --profile profiles/slurm\n' "$profile" >&2
    exit 0
}
printf 'setup: installed the profile %s, for snakemake --profile slurm\n' "$profile" >&2
