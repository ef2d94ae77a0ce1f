#!/bin/sh
# Makes sure that there is a Chromium for the browser tests.
set -eu
[ -n "${CHROMIUM:-}" ] && [ -x "$CHROMIUM" ] && exit 0
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
[ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ] && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing Chromium with apt-get"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends chromium >/dev/null && exit 0
fi
echo "The browser tests need Chromium: install it (Debian: apt-get install chromium; macOS: brew install --cask chromium) or name its program in CHROMIUM." >&2
exit 1
