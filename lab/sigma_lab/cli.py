"""The command line of the lab."""

import argparse
import shlex
import sys
from pathlib import Path

from . import chaos_page, extra, gateways_page, h2, l47, mosn, plugins_page, road, sessions, sheet, tls
from .alloc import alloc
from .bench import LabError, raise_open_files, raise_priority
from .calls import calls
from .changes import changes
from .chaos import chaos
from .gateways import gateways
from .idle import idle
from .plugins import plugins
from .pools import DELAYS_MS, pools
from .reload import reload
from .reloads import reloads
from .results import RESULTS_DIR, kind_of, render
from .sigma import launcher_of
from .slow_clients import slow_clients
from .stall import stall
from .startup import start
from .upgrades import KILLS, upgrades
from .websocket import websocket

OPEN_FILES_MIN = 10_000
# What makes the page of a kind of results; the others' are sheets.
PAGES = {
    "road": road.page,
    "plugins": plugins_page.page,
    "road-extra": extra.page,
    "mosn": mosn.page,
    "l4-l7": l47.page,
    "sessions": sessions.page,
    "tls": tls.page,
    "h2": h2.page,
    "chaos": chaos_page.page,
    "gateways": gateways_page.page,
    gateways_page.LIMITED: gateways_page.page,
}


def main(arguments=None):
    """Runs one experiment; returns the exit code (0 done, 1 a bound missed or an error, 2 wrong usage)."""
    options = _parser().parse_args(arguments)
    open_files = raise_open_files()
    if open_files < OPEN_FILES_MIN:
        print(f"warning: {open_files} open files allowed (expected: >= {OPEN_FILES_MIN}); raise the hard limit", file=sys.stderr)
    try:
        _prepare(options)
        return options.run(options)
    except LabError as problem:
        print(f"lab: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("lab: interrupted", file=sys.stderr)
        return 130


def _prepare(options):
    """What holds for every experiment, before it begins."""
    if getattr(options, "sigma_jar", None):
        options.sigma = launcher_of(options.sigma_jar)
    if getattr(options, "sigma", None):
        options.sigma = _from_anywhere(options.sigma)
    if getattr(options, "nice", 0):
        raise_priority(options.nice)


def _from_anywhere(command):
    """The command with its program named from the root of files: programs are started in a folder of their own."""
    program, *words = shlex.split(command)
    return shlex.join([str(Path(program).absolute()) if Path(program).is_file() else program, *words])


def _parser():
    parser = argparse.ArgumentParser(prog="lab", description="Experiments with Sigma beside other proxies.")
    commands = parser.add_subparsers(required=True, metavar="EXPERIMENT")
    command = _experiment(commands, "road", _road, "HTTP/1.1 on the main road: Sigma, nginx, HAProxy, Envoy")
    command.add_argument("--quick", action="store_true", help="only show, within a minute, that everything starts and works")
    command.add_argument("--extra", action="store_true", help="other traffic: cold, big headers, big answers, close, access log")
    command.add_argument("--connections", type=_numbers, default=[64, 256, 2000], metavar="N,N", help="default 64,256,2000")
    command.add_argument("--most", type=int, default=10_000, metavar="N", help="connections of one more point for Sigma's defaults alone (default 10000, 0: none)")
    command.add_argument("--rounds", type=int, default=3, help="rounds over all proxies (default 3)")
    _length(command, seconds=8, warm_up=20)
    command = _experiment(commands, "tls", tls.tls, "TLS of clients: Sigma, nginx, HAProxy, Envoy, nghttpx, h2o")
    command.add_argument("--quick", action="store_true", help="only show, within minutes, that everything starts and works")
    command.add_argument("--connections", type=_numbers, default=[64, 256, 2000], metavar="N,N", help="default 64,256,2000")
    command.add_argument("--idle-connections", type=int, default=4000, metavar="N", help="default 4000")
    command.add_argument("--rounds", type=int, default=3, help="rounds over all proxies (default 3)")
    _length(command, seconds=8, warm_up=20)
    command = _experiment(commands, "h2", h2.h2, "HTTP/2 of clients, over TLS and without: Sigma, nginx, HAProxy, Envoy, nghttpx, h2o")
    command.add_argument("--quick", action="store_true", help="only show, within a minute, that everything starts and works")
    command.add_argument("--parts", type=_parts, default=list(h2.PARTS), metavar="NAMES", help=f"default {','.join(h2.PARTS)}")
    command.add_argument("--rounds", type=int, default=2, help="rounds over all proxies (default 2)")
    _length(command, seconds=6, warm_up=12)
    command = _experiment(commands, "websocket", websocket, "messages there and back on thousands of connections, and idle ones: Sigma, nginx, HAProxy, Envoy")
    command.add_argument("--quick", action="store_true", help="fewer of all, which shows that everything starts and works")
    command.add_argument("--connections", type=_numbers, default=[5000], metavar="N,N", help="default 5000")
    command.add_argument("--idle-connections", type=int, default=5000, metavar="N", help="default 5000")
    command.add_argument("--flight", type=int, default=1, metavar="N", help="messages under way on each connection (default 1)")
    command.add_argument("--rounds", type=int, default=2, help="rounds over all proxies (default 2)")
    _length(command, seconds=8, warm_up=10)
    command = _experiment(commands, "l4-l7", l47.l4_l7, "Sigma at layers 4 and 7: thread models, allocators, bodies collected")
    command.add_argument("--quick", action="store_true", help="only show, within a minute or two, that everything starts and works")
    command.add_argument("--connections", type=_numbers, default=[256], metavar="N,N", help="default 256")
    command.add_argument("--rounds", type=int, default=3, help="rounds over all configurations (default 3)")
    _length(command, seconds=6, warm_up=8)
    command = _experiment(commands, "sessions", sessions.sessions, "TCP proxies: small requests over many sessions, and bulk through one")
    command.add_argument("--quick", action="store_true", help="only show, within minutes, that everything starts and works")
    command.add_argument("--connections", type=_numbers, default=[64, 256, 2000], metavar="N,N", help="default 64,256,2000")
    command.add_argument("--rounds", type=int, default=3, help="rounds over all proxies (default 3)")
    _length(command, seconds=8, warm_up=20)
    command = _experiment(commands, "mosn", mosn.mosn, "1 KiB over HTTP/1.1 and Bolt through TCP proxies, and Sigma reading Bolt")
    command.add_argument("--quick", action="store_true", help="only show, within minutes, that everything starts and works")
    command.add_argument("--connections", type=_numbers, default=[20, 40, 200, 220], metavar="N,N", help="of ab; default 20,40,200,220")
    command.add_argument("--callers", type=_numbers, default=[40, 400], metavar="N,N", help="of Bolt; default 40,400")
    command.add_argument("--rounds", type=int, default=3, help="rounds over all proxies (default 3)")
    _length(command, seconds=5, warm_up=10)
    command = _experiment(commands, "gateways", gateways, "gateways for microservices, just started and warm, on one core and on two: nginx, Zuul, Spring Cloud Gateway, Linkerd and others")
    command.add_argument("--quick", action="store_true", help="only show, within a minute, that everything starts and works: nginx, HAProxy and Sigma, where --only names no others")
    command.add_argument("--rate-limit", action="store_true", help="those that can limit how much a client asks for, each with such a limit")
    command.add_argument("--cores", type=_cores, default=[1, 2], metavar="N,N", help="of the gateway: 1, or 2, which are all that there are (default 1,2)")
    command.add_argument("--rounds", type=int, default=3, help="rounds over all gateways (default 3)")
    command.add_argument("--repeats", type=int, default=3, help="warm runs in each round (default 3)")
    command.add_argument("--linkerd", type=lambda name: Path(name).resolve(), metavar="FILE", help="a linkerd2-proxy that was built elsewhere")
    command.add_argument("--warm-up", dest="warm_up_s", type=int, default=15, help="seconds of load before the warm runs (default 15)")
    command = _experiment(commands, "calls", calls, "calls of Bolt that Sigma routes, beside HTTP/1.1 with one request on a connection")
    command.add_argument("--rounds", type=int, default=3, help="rounds (default 3)")
    _length(command, seconds=6, warm_up=12)
    command = _experiment(commands, "chaos", chaos, "nodes that fail under a paced load: nginx, HAProxy, Envoy, and Sigma with its defaults")
    command.add_argument("--quick", action="store_true", help="shorter runs, which show that everything works")
    command.add_argument("--rows", metavar="NAMES", help="e.g. killed,stopped-2,down (default: all)")
    command.add_argument("--rounds", type=int, default=1, help="rounds over all proxies (default 1)")
    command = _experiment(commands, "slow-clients", slow_clients, "thousands of slow clients beside honest ones: nginx, HAProxy, and Sigma with its defaults")
    command.add_argument("--quick", action="store_true", help="fewer of them and shorter, which shows that it works")
    command.add_argument("--clients", type=int, default=4000, metavar="N", help="slow ones, half of them upload (default 4000)")
    command.add_argument("--rounds", type=int, default=1, help="rounds over all proxies (default 1)")
    _length(command, seconds=10, warm_up=5)
    command = _experiment(commands, "pools", pools, "connections to nodes of 0 to 500 ms: nginx, HAProxy, Sigma tuned and with its defaults")
    command.add_argument("--quick", action="store_true", help="less of all, which shows that it works")
    command.add_argument("--delays", type=_delays, default=list(DELAYS_MS), metavar="MS,MS", help="how long nodes take (default 0,1,20,500)")
    command.add_argument("--connections", type=_numbers, default=[64, 512, 2000], metavar="N,N", help="clients; default 64,512,2000")
    command.add_argument("--rounds", type=int, default=1, help="rounds over all proxies (default 1)")
    _length(command, seconds=5, warm_up=8)
    command = _experiment(commands, "reload", reload, "many reloads under load, WebSockets open: nginx, HAProxy, Envoy, Caddy, and Sigma with its defaults")
    command.add_argument("--quick", action="store_true", help="few of them, which shows that it works")
    command.add_argument("--reloads", type=int, default=200, metavar="N", help="default 200")
    command.add_argument("--websockets", type=int, default=500, metavar="N", help="default 500")
    command.add_argument("--rounds", type=int, default=1, help="rounds over all proxies (default 1)")
    command = _experiment(commands, "reloads", reloads, "ten thousand reloads under full load, beside thousands of open connections")
    command.add_argument("--quick", action="store_true", help="few of all, which shows that it works")
    command.add_argument("--reloads", type=int, default=10_000, metavar="N", help="of each row (default 10000)")
    command.add_argument("--per-second", type=int, default=0, metavar="N", help="one row, with so many reloads a second (default: as fast as they go)")
    command.add_argument("--broken", action="store_true", help="only one row, of which every second file is broken")
    command.add_argument("--instance", type=int, metavar="N", help="only one row, with so many Workers")
    command = _experiment(commands, "upgrades", upgrades, "a hundred upgrades under load, connections coming and going; and processes killed meanwhile")
    command.add_argument("--quick", action="store_true", help="few of all, which shows that it works")
    command.add_argument("--upgrades", type=int, default=100, metavar="N", help="half of them with each transport (default 100)")
    command.add_argument("--kills", type=int, default=KILLS, metavar="N", help="upgrades during which a process is killed (default 40)")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="of who is killed, and when (default 1)")
    command = _experiment(commands, "changes", changes, "random reloads, words of operators, upgrades and failing nodes against a model of what each request may get")
    command.add_argument("--quick", action="store_true", help="a few seconds, which shows that it works")
    command.add_argument("--minutes", type=float, default=10, metavar="N", help="default 10")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="of the random changes (default 1)")
    command.add_argument("--workers", type=int, default=2, metavar="N", help="Workers of Sigma (default 2)")
    command.add_argument("--no-upgrades", dest="upgrades", action="store_false", help="leave them out")
    command = _experiment(commands, "plugins", plugins, "what policies cost, and files: nginx, HAProxy, Envoy, and Sigma with its defaults")
    command.add_argument("--quick", action="store_true", help="only show, within minutes, that everything starts and works")
    command.add_argument("--rounds", type=int, default=3, help="rounds over all proxies (default 3)")
    _length(command, seconds=5, warm_up=4)
    command.add_argument("--cases", metavar="WORDS", help="those with one of these words in their names, with commas between (default: all)")
    command.add_argument("--warm-up-requests", type=int, default=20_000, metavar="N", help="how many each case has before at least, within 30 s (default 20000)")
    command = _experiment(commands, "alloc", alloc, "heap bytes that Sigma allocates per request")
    _length(command, seconds=10, warm_up=15)
    command = _experiment(commands, "idle", idle, "memory per idle keep-alive connection; where --sigma is a native binary, of that and of the JVM")
    command.add_argument("--idle-connections", type=int, default=9000, metavar="N", help="default 9000")
    command = _experiment(commands, "start", start, "time from `sigma run` to the first answer; where --sigma is a native binary, of that and of the JVM")
    command.add_argument("--starts", type=int, default=10, metavar="N", help="default 10")
    command = _experiment(commands, "stall", stall, "longest stall after warm-up, seen from outside and by the JVM")
    _length(command, seconds=60, warm_up=30)
    command = commands.add_parser("report", help="write Markdown and chart again from raw results")
    command.add_argument("json", nargs="*", type=Path, help="default: all of lab/results")
    command.set_defaults(run=_report)
    return parser


def _experiment(commands, name, run, text):
    command = commands.add_parser(name, help=text, description=text)
    command.set_defaults(run=run)
    command.add_argument("--sigma", metavar="COMMAND", help="what starts Sigma, a launcher or a native binary (default: ./sigma at the repository's root)")
    command.add_argument("--sigma-jar", type=Path, metavar="FILE", help="another build of Sigma, started as this checkout's is")
    command.add_argument("--out", type=Path, default=RESULTS_DIR, help="where results go (default lab/results)")
    command.add_argument("--proxy-core", type=int, default=0, help="core of the proxies (default 0)")
    command.add_argument("--load-core", type=int, default=1, help="core of load and upstream (default 1)")
    command.add_argument("--only", metavar="NAMES", help="e.g. nginx,haproxy,envoy,sigma-epoll (default: all that take part)")
    command.add_argument("--check", action="store_true", help="exit with 1 where a bound is missed")
    command.add_argument("--nice", type=int, default=0, help="priority of everything that is started, where others use the machine (-20 to 19, default 0)")
    command.add_argument("--keep", action="store_true", help="keep the work folder with configurations and logs")
    return command


def _length(command, seconds, warm_up):
    command.add_argument("--seconds", type=int, default=seconds, help=f"length of a measured run (default {seconds})")
    command.add_argument(
        "--warm-up", dest="warm_up_s", type=int, default=warm_up, help=f"seconds of load before the first one (default {warm_up})"
    )


def _road(options):
    if options.extra:
        return extra.extra(options)
    return road.road(options)


def _report(options):
    paths = options.json or sorted(path for path in RESULTS_DIR.glob("*.json"))
    if not paths:
        raise LabError("no results yet; run `lab/lab road` first")
    for path in paths:
        render(path, PAGES.get(kind_of(path), sheet.page))
    return 0


def _numbers(text, least=1):
    try:
        numbers = [int(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < least:
        raise argparse.ArgumentTypeError(f"{text} (expected: numbers >= {least} with commas between)")
    return numbers


def _cores(text):
    numbers = _numbers(text)
    if max(numbers) > 2:
        raise argparse.ArgumentTypeError(f"{text} (expected: 1, 2 or both with a comma between)")
    return numbers


def _parts(text):
    names = text.split(",")
    if not set(names) <= set(h2.PARTS):
        raise argparse.ArgumentTypeError(f"{text} (expected: some of {','.join(h2.PARTS)})")
    return names


def _delays(text):
    return _numbers(text, 0)
