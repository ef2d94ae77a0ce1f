#!/bin/sh
# Makes sure that there is a Chromium for the browser tests.
set -eu
[ -n "${CHROMIUM:-}" ] && [ -x "$CHROMIUM" ] && exit 0
for name in chromium-headless-shell chrome-headless-shell \
    chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
[ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ] && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing Chromium with apt-get"
    export DEBIAN_FRONTEND=noninteractive
    # `make audit` looks in the whole browser; its shell, for `make test`, is not in every release.
    if apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; then
        apt-get install -y -qq --no-install-recommends chromium-headless-shell >/dev/null || true
        exit 0
    fi
fi
echo "The browser tests need Chromium: install it (Debian: apt-get install chromium chromium-headless-shell; macOS: brew install --cask chromium) or name its program in CHROMIUM." >&2
exit 1
