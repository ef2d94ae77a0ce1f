"""What the operator's page tells people to type exists, and its examples hold its promises."""

import configparser
import re
from dataclasses import fields

from django.core.management import get_commands, load_command_class

from config import env, server
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "operating.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.M | re.S)
DEPLOY = ROOT / "deploy"
UNITS = {path.name: path.read_text() for path in sorted(DEPLOY.glob("systemd/deniable-?*.[st]*"))}
COMMON = (DEPLOY / "systemd" / "deniable-.service.d" / "common.conf").read_text()
SERVICES = [text for name, text in UNITS.items() if name.endswith(".service")]
TIMERS = [text for name, text in UNITS.items() if name.endswith(".timer")]
PROXIES = {
    "nginx": (DEPLOY / "nginx.conf").read_text(),
    "caddy": (DEPLOY / "Caddyfile").read_text(),
}


def unit(text: str) -> configparser.ConfigParser:
    parsed = configparser.ConfigParser(interpolation=None)
    parsed.optionxform = str
    parsed.read_string(text)
    return parsed


def test_every_setting_is_in_the_table_and_is_one(tmp_path):
    named = re.findall(r"^\| `DENIABLE_(\w+)` \|", PAGE, re.M)
    assert len(set(named)) == len(named) == len(fields(env.Environment))
    # A name that is no setting would be refused.
    env.read({**{f"DENIABLE_{name}": "" for name in named}, "DENIABLE_DATA_DIR": str(tmp_path)})


def test_the_settings_of_the_example_are_understood(tmp_path):
    example = next(text for kind, text in BLOCKS if text.startswith("DENIABLE_"))
    lines = dict(line.split("=", 1) for line in example.splitlines())
    read = env.read({**lines, "DENIABLE_DATA_DIR": str(tmp_path)})
    assert read.https
    assert read.require_mfa
    assert read.behind_proxy


def test_every_command_and_option_on_the_page_exists():
    known, typing = get_commands(), "\n".join([PAGE, *SERVICES])
    typed = r"(?:manage\.py|^deniable) ([a-z_]+)((?: --[a-z-]+)*)"
    named = [(name, options.split()) for name, options in re.findall(typed, typing, re.M)]
    assert {"doctor", "spool", "backup", "restore", "retention", "db_worker"} <= {
        name for name, _ in named
    }
    for name, options in named:
        assert name in known, name
        parser = load_command_class(known[name], name).create_parser("manage.py", name)
        assert set(options) <= set(parser._option_string_actions), (name, options)


def test_services_share_hardening_and_an_account_without_rights():
    common = unit(COMMON)["Service"]
    assert common["User"] == "deniable"
    assert common["CapabilityBoundingSet"] == ""
    assert common["UMask"] == "0077"
    assert common["ProtectSystem"] == "strict"
    for text in SERVICES:
        assert not {"User", "ProtectSystem", "UMask"} & set(unit(text)["Service"])


def test_the_web_service_talks_to_this_machine_only_and_reloads_gracefully():
    web = unit(next(text for text in SERVICES if "gunicorn" in text))["Service"]
    assert (web["IPAddressDeny"], web["IPAddressAllow"]) == ("any", "localhost")
    assert web["ExecReload"] == "/bin/kill -s HUP $MAINPID"
    assert int(web["TimeoutStopSec"]) > server.graceful_timeout


def test_what_has_to_happen_by_itself_has_a_service_or_a_timer():
    started = " ".join(unit(text)["Service"]["ExecStart"] for text in SERVICES)
    names = ("gunicorn", "db_worker", "retention", "opening", "backup")
    assert all(name in started for name in names)
    backup, opening, retention = (unit(text)["Timer"] for text in TIMERS)
    assert (backup["OnCalendar"], retention["OnCalendar"]) == ("*-*-* 03:30", "hourly")
    # A key that is given up is overwritten within a minute: the pause, and the start of the run.
    assert (opening["OnUnitInactiveSec"], opening["AccuracySec"]) == ("50s", "1s")


def test_every_unit_is_on_the_page_and_is_switched_on():
    table = re.findall(r"^\| `(deniable-[^`]*)` \|", PAGE, re.M)
    begun = {name for name in UNITS if "WantedBy" in UNITS[name]}
    assert set(table) == begun | {"deniable-.service.d/common.conf"}
    enabled = re.search(r"systemctl enable --now (.*?)```", PAGE, re.S)[1]
    assert {name.removesuffix(".service") for name in begun} == set(enabled.split()) - {"\\"}
    for name in set(UNITS) - begun:
        assert name.replace(".service", ".timer") in begun, name


def test_the_proxies_keep_no_log_of_anybody():
    servers = PROXIES["nginx"].split("\nserver {")[1:]
    assert len(servers) == 2
    for text in servers:
        assert "access_log off;" in text
        assert "error_log /dev/null crit;" in text
    assert "exclude http.log http.handlers http.stdlib" in PROXIES["caddy"]


def test_the_proxies_state_scheme_and_address_themselves():
    assert "proxy_set_header X-Forwarded-Proto $scheme;" in PROXIES["nginx"]
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in PROXIES["nginx"]
    assert "proxy_set_header Host $host;" in PROXIES["nginx"]
    assert server.bind in PROXIES["nginx"]
    assert server.bind in PROXIES["caddy"]


def test_doctors_checks_are_those_of_the_table():
    sources = [*ROOT.glob("surveys/operations/checks/*.py"), *ROOT.glob("*/checks.py")]
    pattern = r"(?:fine|warning|problem)\(\s*\"(\w+)\""
    made = {name for source in sources for name in re.findall(pattern, source.read_text())}
    table = PAGE.partition("| Check |")[2].partition("\n\n")[0]
    told = set(re.findall(r"^\| (\w+) \|", table, re.M))
    assert told == made
