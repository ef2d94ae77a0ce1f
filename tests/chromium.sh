#!/bin/sh
# Makes sure that there is a Chromium for the browser tests; where apt can, also its shell.
set -eu
[ -n "${CHROMIUM:-}" ] && [ -x "$CHROMIUM" ] && exit 0
found() {
    for name in "$@"; do
        command -v "$name" >/dev/null 2>&1 && return 0
    done
    return 1
}
with_apt() {
    command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]
}
# Without a network it gives up in seconds; a newer shell must not take the whole browser away.
apt() {
    DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=0 -o Acquire::http::Timeout=10 \
        -o Acquire::https::Timeout=10 "$@" >/dev/null 2>&1
}
install_from_apt() {
    echo "Installing $1 with apt-get"
    set -- install -y --no-install-recommends --no-remove "$1"
    apt "$@" || { apt update && apt "$@"; }
}
found chromium-headless-shell chrome-headless-shell && exit 0
whole() {
    found chromium chromium-browser google-chrome google-chrome-stable ||
        [ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ]
}
with_apt && ! whole && install_from_apt chromium
# A quarter less work for every page. It is not in every release, and one failure is enough.
if with_apt && whole && [ ! -e .venv/no-shell ]; then
    install_from_apt chromium-headless-shell || touch .venv/no-shell 2>/dev/null || true
fi
whole && exit 0
echo "The browser tests need Chromium: install it (Debian: apt-get install chromium chromium-headless-shell; macOS: brew install --cask chromium) or name its program in CHROMIUM." >&2
exit 1
