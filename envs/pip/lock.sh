#!/usr/bin/env bash
# Pins requirements*.in with hashes. Needs the network; run it after an edit of a .in file, or with --upgrade for news.
# The files say nothing about where packages come from: that is the business of the machine's own pip configuration.
set -euo pipefail
unset CDPATH # cd would search it
cd "$(dirname "${BASH_SOURCE[0]}")"

lock() {
    CUSTOM_COMPILE_COMMAND="envs/pip/lock.sh" ../../.venv/bin/pip-compile --quiet --strip-extras --generate-hashes \
        --allow-unsafe --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options \
        "${@:3}" --output-file "$2" "$1"
}

lock requirements.in requirements.txt "$@"
lock requirements-develop.in requirements-develop.txt "$@"
lock requirements-audit.in requirements-audit.txt "$@"
