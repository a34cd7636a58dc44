"""WebSocket: small text messages there and back on thousands of connections, and thousands that are idle."""

import time
from types import SimpleNamespace

from . import bounds, machine, measure, procfs, report
from .bench import Bench, LabError
from .field import Field, in_turn, require_programs, wanted
from .nginx import CONNECTIONS_MAX, Nginx
from .peers import HAProxy, PlainEnvoy, connection_settings, only_route
from .programs import first_line
from .results import output_folder
from .sheet import write_sheet
from .sigma import TRANSPORTS, Sigma, plain, sigma_json
from .summary import summarise
from .traffic import NS_PER_S, EchoNode, Talk, build
from .verify import listening

MESSAGE_BYTES = 125
SETTLE_S = 1
TIDY_S = 2
TRIED_CONNECTIONS = 4
# A share of the connections comes first, so that a program's own growth isn't taken for theirs.
WARMING_SHARE = 10
QUICK = SimpleNamespace(connections=[200], idle_connections=200, flight=1, rounds=1, seconds=1, warm_up_s=1)


class UpgradingNginx(Nginx):
    path = "/"

    def passing(self):
        return """
            proxy_pass http://up;
            proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection upgrade;
            proxy_read_timeout 1h;
            proxy_send_timeout 1h;"""


class UpgradingHAProxy(HAProxy):
    rule = ""
    node_connections_max = 0
    defaults = "timeout tunnel 1h"


class UpgradingEnvoy(PlainEnvoy):
    def config(self, port, upstream_port, access_log):
        config = super().config(port, upstream_port, access_log)
        connection_settings(config)["upgrade_configs"] = [{"upgrade_type": "websocket"}]
        only_route(config)["route"]["timeout"] = "0s"
        config["static_resources"]["clusters"][0]["circuit_breakers"]["thresholds"][0]["max_connections"] = CONNECTIONS_MAX
        return config


class UpgradingSigma(Sigma):
    """Passes WebSocket on by default; each takes a connection to the node for itself."""

    def config(self, port, upstream_port, access_log):
        config = plain(sigma_json(port, upstream_port, self.transport, access_log))
        config["proxy-client"]["max-pool-size-per-server"] = CONNECTIONS_MAX
        return config


def websocket(options):
    """Runs the experiment and writes websocket.json and .md; returns the exit code."""
    require_programs("taskset", "nginx")
    build()
    plan = QUICK if options.quick else options
    options.out = output_folder(options)
    proxies = [UpgradingNginx(), UpgradingHAProxy(), UpgradingEnvoy(), *(UpgradingSigma(transport, options.sigma) for transport in TRANSPORTS)]
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        field = _Field(bench, options, wanted(proxies, options.only), EchoNode(bench))
        listening(bench, field.upstream.place)
        runs = _messages(field, plan)
        idle = _idle(field, plan)
        summary = summarise(runs)
        tables = [
            (_case(connections), ["proxy", *(name for name, _ in COLUMNS)], _rows(summary, connections)) for connections in plan.connections
        ]
        tables.append((f"{plan.idle_connections:,} idle connections", ["proxy", "KiB each", "RSS with them, MiB"], idle))
        field.versions["Go"] = first_line(["go", "version"]).split()[2]
        intro = [
            f"Clients send text messages of {MESSAGE_BYTES} bytes and get them back, {plan.flight} under way on each connection; every one is compared with what was sent.",
            "One proxy thread on one core; clients and node (`lab/traffic`) on another. CPU is utime + stime of all of the proxy's processes, for a message",
            f"there and back, counted while all connections stand; medians over interleaved rounds ({plan.rounds}, runs of {plan.seconds} s), ratios taken within each round.",
            "Served: what the least served connection got back, as a share of the mean. Idle: growth of RSS from a tenth of",
            "the connections to all of them, each of which had one message echoed.",
        ]
        found = bounds.websocket_bounds(summary, idle)
        return write_sheet("websocket", "WebSocket", intro, field, facts, tables, found, options)


class _Field(Field):
    def _verify(self, place, check):
        listening(self.bench, place)
        said = Talk(self.bench, place.port, TRIED_CONNECTIONS, flight=2, seconds=1, settle_s=0, message_bytes=MESSAGE_BYTES).finish()
        if said["failed"] or not said["messages"]:
            raise LabError(f"passes no WebSocket: {said['failed'] or said} (expected: messages echoed)")
        self.verified[place.name] = {"messages": said["messages"]}


def _messages(field, plan):
    places = field.start_all()
    for place in places:
        Talk(field.bench, place.port, max(plan.connections), flight=plan.flight, seconds=plan.warm_up_s, message_bytes=MESSAGE_BYTES).finish()
        print(f"warm: {place.name}", flush=True)
    runs = []
    for number, connections, place in in_turn(plan.rounds, plan.connections, [field.upstream.place, *places]):
        result = field.attempted(place, _case(connections), lambda: _talked(field, place, connections, plan))
        if result:
            runs.append({"proxy": place.name, "case": _case(connections), "connections": connections, "round": number, **result})
            print(report.run_line(runs[-1]), flush=True)
    field.stop_all(places)
    return runs


def _talked(field, place, connections, plan):
    """What messages cost that came back while all connections stood."""
    talk = Talk(field.bench, place.port, connections, flight=plan.flight, seconds=plan.seconds, settle_s=SETTLE_S, message_bytes=MESSAGE_BYTES)
    try:
        ready = talk.await_all()
        window = measure.Window(field.bench, place, SETTLE_S, plan.seconds)
        for at_ns in (ready["from_ns"], ready["until_ns"]):
            time.sleep(max(0.0, at_ns / NS_PER_S - time.monotonic()))
            window.look()
        said = talk.finish()
    finally:
        talk.stop()
    if not said["messages"]:
        raise LabError(f"{place.name}: no message came back: {said['failed']}")
    result = {key: said[key] for key in ("p50_us", "p99_us", "max_us")}
    result["errors"] = said["failed"]
    result["least_served"] = said["least"] * connections / said["messages"]
    window.add_costs(result, said["messages"], place is field.upstream.place)
    return result


def _idle(field, plan):
    """[proxy, KiB of RSS for each idle connection, RSS with them in MiB], each proxy started anew."""
    rows = []
    for proxy in field.proxies:
        place = field.start(proxy, check=False)
        if not place:
            continue
        row = field.attempted(place, "idle connections", lambda: _resident(field.bench, place, plan.idle_connections))
        if row:
            rows.append(row)
            print(f"idle: {place.name}: {row[1]:.1f} KiB each", flush=True)
        field.bench.stop(place.started)
    return rows


def _resident(bench, place, count):
    few = max(1, count // WARMING_SHARE)
    before_kib = _held(bench, place, few)
    after_kib = _held(bench, place, count)
    return [place.name, (after_kib - before_kib) / (count - few), after_kib / 1024]


def _held(bench, place, count):
    """RSS with so many of them, which are gone when this returns."""
    talk = Talk(bench, place.port, count, message_bytes=MESSAGE_BYTES)
    try:
        said = talk.await_all()
        if said["failed"] or said["open"] < count:
            raise LabError(f"{place.name}: {said['open']} of {count} connections open: {said['failed']} (expected: all)")
        time.sleep(TIDY_S)
        return procfs.resident_kib(place.pid)
    finally:
        talk.stop()


def _case(connections):
    return f"{connections:,} connections"


COLUMNS = (
    ("CPU µs/message", lambda row: report.number(row["cpu_us_per_request"], 2)),
    ("× nginx", lambda row: report.number(row["cpu_us_per_request_ratio"], 2)),
    ("± %", lambda row: report.number(row["spread"] and 50 * row["spread"], 0)),
    ("messages/s", lambda row: report.number(row["rps"], 0)),
    *(column for column in report.COLUMNS if column[0] in ("p50 ms", "p99 ms", "max ms", "busy %", "RSS MiB", "errors")),
    ("served", lambda row: report.number(row["least_served"], 2)),
)


def _rows(summary, connections):
    names = [name for name, case in summary if case == _case(connections)]
    return [[name, *(shown(summary[name, _case(connections)]) for _, shown in COLUMNS)] for name in names]
