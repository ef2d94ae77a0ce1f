#!/bin/sh
# What a container does: web or staff (the pages of respondents, of staff), worker, reports, dates, or a command of manage.py.
set -eu
umask 0077
python=.venv/bin/python
serve() {
    "$python" manage.py collectstatic --no-input --verbosity 0
    exec "$python" -m gunicorn -c config/server.py "$@" --bind "0.0.0.0:${PORT:-8000}" config.wsgi
}
case "${1:-web}" in
web)
    serve
    ;;
staff)
    # As deniable-staff.service: however many dashboards are reloaded, they fill one processor.
    serve --workers 1 --threads 8
    ;;
worker)
    exec "$python" manage.py db_worker --queue-name default
    ;;
reports)
    exec "$python" manage.py db_worker --queue-name reports
    ;;
dates)
    # The first process of a container ends on TERM only if it says so.
    trap 'exit 0' TERM INT
    # Openings at their hours, and keys that are given up, within a minute; beside it surveys that are
    # closed and erased on their dates, which takes longer. A failure is printed and tried again; the
    # health page and doctor tell of what is overdue.
    while :; do
        "$python" manage.py opening || :
        sleep 50
    done &
    while :; do
        "$python" manage.py retention || :
        sleep 300 &
        wait $!
    done
    ;;
*)
    exec "$python" manage.py "$@"
    ;;
esac
