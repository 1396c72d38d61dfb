#!/usr/bin/env bash
# Installs a Chromium for the tests of the page if there is none. Fails, and says what to do, if none can be installed.
set -euo pipefail

has_chromium() {
    local name
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        type -P "$name" >/dev/null && return
    done
    return 1
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

if ! has_chromium && type -P apt-get >/dev/null; then
    as_root apt-get update --quiet && as_root apt-get install --yes chromium || true
fi
if ! has_chromium; then
    echo "No Chromium, which the tests of the page need, and none could be installed: install one with your system's packages." >&2
    exit 1
fi
