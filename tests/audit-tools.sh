#!/bin/sh
# Makes sure that the programs are there which `make audit` runs beside Deniable: the two proxies of
# deploy/, the pooler of connections, the library by which days pass, Debian for roots of containers,
# and R, which reads files.
set -eu
missing=""
for name in nginx caddy pgbouncer faketime debootstrap; do
    PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v "$name" >/dev/null 2>&1 || missing="$missing $name"
done
for name in readr haven survey jsonlite; do
    Rscript -e "stopifnot(requireNamespace(\"$name\"))" >/dev/null 2>&1 || missing="$missing r-cran-$name"
done
[ -z "$missing" ] && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing with apt-get:$missing"
    # shellcheck disable=SC2086 - several names
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends $missing >/dev/null && exit 0
fi
echo "make audit needs$missing: install it (Debian: apt-get install$missing)." >&2
exit 1
