#!/usr/bin/env bash
# Makes the Python environment of a checkout from a lock of this directory. Sourced by envs/setup.sh, which sets top, venv,
# the interpreter python and scratch, a directory for the files of pip.
# shellcheck disable=SC2154

# Everything that makes an installed environment right: the lock, what the project declares, where the checkout lies (an
# environment cannot be moved) and the interpreter behind it.
environment_hash() { # environment_hash LOCK
    { cat "$1" "$top/pyproject.toml"; printf '%s\n' "$top"; readlink -f "$venv/bin/python"; } 2>/dev/null |
        sha256sum | cut -d ' ' -f 1
}

stamp_of() { printf '%s/weir-%s' "$venv" "$(basename "$1" .txt)"; }

pip() { "$venv/bin/python" -m pip --disable-pip-version-check --no-input "$@"; }

# Python compiles a module at its first import, if it may keep what it compiled, and most are never imported: pip takes
# half of the time. Tests start many processes at once, for them all is compiled before.
compile_option() { # compile_option LOCK
    case $1 in *develop*) ;; *) [ -n "${PYTHONDONTWRITEBYTECODE:-}" ] || printf '%s' --no-compile ;; esac
}

# What a report imports is compiled while dpkg still works, and not when the first measurement waits for it.
compile_what_starts() {
    "$venv/bin/snakemake" --help && "$venv/bin/reframe" --version && "$venv/bin/weir" --help
}

# setuptools writes the path, and Python reads it, in the encoding of the locale: ASCII with LC_ALL=C, or with a locale that
# is not installed. Bytes in ASCII are right in each.
path_by_its_bytes() {
    local file line='import os, sys; print(f"import os, sys; sys.path.append(os.fsdecode({os.fsencode(sys.argv[1])}))")'
    for file in "$venv"/lib/python*/site-packages/__editable__.weir*.pth; do
        [ ! -e "$file" ] || "$python" -c "$line" "$top" >"$file"
    done
}

make_environment() { # make_environment LOCK
    local -x TMPDIR=$scratch
    mkdir -p "$TMPDIR"
    if ! { "$venv/bin/python" -m pip --version && grep -qF "$venv/bin" "$venv/bin/pip"; } >/dev/null 2>&1; then
        [ ! -L "$venv" ] || rm "$venv" # --clear would empty what it leads to, which others use
        "$python" -m venv --clear "$venv" || return
    fi
    # The lock is complete, so pip need not search (--no-deps); the check afterwards says if it is not, on another Python.
    # A pip.conf of a cluster's user may have `user = true`, which .venv refuses.
    # shellcheck disable=SC2046 # no word, or one
    pip install --no-user $(compile_option "$1") --no-deps --require-hashes --requirement "$1"
    # The name of the distribution until 0.2.0: two of them would share the command.
    ! compgen -G "$venv/lib/python*/site-packages/weir-*.dist-info" >/dev/null || pip uninstall --quiet --yes weir
    # Snakemake finds its executor `weir` only on a plain path. What pip would compile, `make build` does.
    LC_ALL=C.UTF-8 WEIR_BUILD_WITNESS=no pip install --no-user --no-deps --no-build-isolation --config-settings editable_mode=compat --editable "$top"
    path_by_its_bytes
    pip check
    [ -z "$(compile_option "$1")" ] || compile_what_starts >/dev/null
}
