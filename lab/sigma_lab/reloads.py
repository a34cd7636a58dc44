"""Ten thousand reloads under full load, beside thousands of open connections: what fails, what is lost, what is late, and whether memory stays as it is."""

import textwrap
import time
from dataclasses import dataclass
from types import SimpleNamespace

from . import jvm, load, machine, procfs
from .bench import Bench, LabError
from .client import answers
from .field import Field, require_programs
from .results import output_folder
from .sheet import write_sheet
from .sigma import DefaultSigma, note_jdk
from .soaked import PAGE_WIDTH, SoakedSigma
from .standing import Amount, Standing, StandingNodes
from .traffic import OK, Cluster, Flood, Latencies, Node, build, share

NODES = 4
CLIENTS = 20
WARM_CONNECTIONS = 64
# Reloads have code of their own to warm up.
WARM_RELOADS = 10
SETTLE_S = 2
P99_TIMES_MAX = 2.0
# What is less is nothing on a machine whose cores others use too.
P99_MS_MIN = 5.0
# Of what is there after a quarter of the reloads, to the end.
HEAP_GROWTH_MAX_KIB = 2 << 10
RSS_GROWTH_MAX = 0.10
CLASSES_GROWTH_MAX = 50
THREADS_GROWTH_MAX = 4
FILES_GROWTH_MAX = 256
QUARTERS = 4
PLAN = SimpleNamespace(amount=Amount(websockets=2000, sessions=500, downloads=200, streams=50), warm_s=8, alone_s=30)
QUICK = SimpleNamespace(amount=Amount(websockets=40, sessions=20, downloads=10, streams=10, body_lengths=(8 << 20,), pause_s=0.5), warm_s=1, alone_s=1)
QUICK_RELOADS = 24
# More often than anybody's configuration changes.
PER_SECOND = 20


@dataclass(frozen=True)
class Case:
    """One row: whether every second file is broken, how many Workers there are, and how many files a second; 0: one after the other without a pause."""

    broken: bool
    workers: int
    per_second: int = 0

    @property
    def name(self):
        words = ["every second one broken"] if self.broken else ["sound"]
        workers = [f"{self.workers} Workers"] if self.workers > 1 else []
        return ", ".join(words + workers + ([f"{self.per_second} a second"] if self.per_second else []))


def reloads(options):
    """Runs the experiment and writes reloads.json and .md; returns the exit code."""
    require_programs("taskset", "wrk")
    build()
    plan = SimpleNamespace(**vars(QUICK if options.quick else PLAN))
    plan.reloads = min(options.reloads, QUICK_RELOADS) if options.quick else options.reloads
    options.out = output_folder(options)
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        field = Field(bench, options, [DefaultSigma(launcher=options.sigma)], Cluster([]))
        if not field.proxies:
            raise LabError("Sigma can't be started")
        found, failed = {}, []
        for case in _cases(options):
            try:
                found[case] = _Row(bench, options, plan, case, field).measured()
                print(f"{case.name}: {_line(found[case])}", flush=True)
            except (LabError, OSError) as problem:
                print(f"{case.name}: {problem}", flush=True)
                failed.append((f"all reloads made ({case.name})", str(problem).splitlines()[0], f"{plan.reloads:,}", False))
        bounds = failed + [bound for case, row in found.items() for bound in _bounds(case, row)]
        left_out = field.left_out
        if any("gRPC streams" not in row["standing"] for row in found.values()):
            left_out["gRPC streams"] = "lab/traffic was built by a Go older than 1.24"
        return write_sheet("reloads", "Many reloads under full load", textwrap.wrap(" ".join(_intro(plan)), PAGE_WIDTH), field, facts, _tables(found), bounds, options) or int(bool(failed))


def _cases(options):
    if options.broken or options.instance or options.per_second:
        return [Case(options.broken, options.instance or 1, options.per_second)]
    if options.quick:
        return [Case(True, 4)]
    return [Case(False, 1, PER_SECOND), Case(False, 1), Case(True, 1), Case(False, 4)]


class _Row:
    """One Sigma from its start to its end."""

    def __init__(self, bench, options, plan, case, field):
        self._bench, self._plan, self._case, self._field = bench, plan, case, field
        self._launcher = options.sigma
        self._number, self._generation = 0, 1
        self._effects, self._refusals, self._refused = [], [], 0

    def measured(self):
        bench, plan = self._bench, self._plan
        nodes = [Node(bench, f"node-{at}") for at in range(NODES)]
        standing_nodes = StandingNodes(bench)
        place = None
        try:
            for node in nodes:
                node.start()
            self._sigma = SoakedSigma(nodes, standing_nodes, launcher=self._launcher, workers=self._case.workers)
            place = self._place = self._sigma.start(bench, None)
            bench.await_true(place.started, lambda: answers(place.port, "/load"), "answering with 200")
            note_jdk(self._field.versions, place.pid)
            load.wrk(bench, place.url("/load"), WARM_CONNECTIONS, plan.warm_s)
            self._reload(WARM_RELOADS if plan.warm_s > 1 else 2)
            with Standing(bench, standing_nodes, place.port, plan.amount) as standing:
                parts = [self._loaded(lambda: time.sleep(plan.alone_s))]
                sizes = [self._size()]
                self._effects, self._refusals, self._refused = [], [], 0
                first = self._generation
                for quarter in range(QUARTERS):
                    count = plan.reloads * (quarter + 1) // QUARTERS - plan.reloads * quarter // QUARTERS
                    parts.append(self._loaded(lambda: self._reload(count)))
                    sizes.append(self._size())
                    print(f"{self._case.name}: {100 * (quarter + 1) // QUARTERS} %: {_size_line(sizes[-1])}, {_part_line(parts[-1])}", flush=True)
                generation = self._sigma.asked("status")["json"]["configuration"]["generation"]
                stood = standing.end()
            return {
                "parts": parts,
                "sizes": sizes,
                "standing": stood,
                "reloads": len(self._effects),
                "refused": self._refused,
                "asked_broken": len(self._refusals),
                "generation": generation,
                "generation_expected": first + len(self._effects),
                "effects_ms": self._effects,
                "refusals_ms": self._refusals,
            }
        finally:
            if place:
                bench.stop(place.started)
            for node in nodes:
                if node.started:
                    bench.stop(node.started)
            standing_nodes.stop()

    def _loaded(self, meanwhile):
        """What the load says that went on meanwhile."""
        flood = Flood(self._bench, self._place.port, CLIENTS)
        began = time.monotonic()
        busy = procfs.core_busy_us(self._bench.proxy_core)
        try:
            meanwhile()
            took_s = time.monotonic() - began
            busy = procfs.core_busy_us(self._bench.proxy_core) - busy
            said = flood.end()
        finally:
            flood.stop()
        asked = sum(said["outcomes"].values())
        return {
            "asked": asked,
            "failed": asked - said["outcomes"].get(OK, 0),
            "outcomes": said["outcomes"],
            "first": said["first"] or [],
            "latencies": said["latencies"],
            "took_s": took_s,
            "busy": busy / 1e6 / took_s,
        }

    def _reload(self, count):
        began = time.monotonic()
        for at in range(count):
            if self._case.per_second:
                time.sleep(max(0, began + at / self._case.per_second - time.monotonic()))
            # Each is one more, whether it is to be taken or not.
            broken = self._case.broken and (len(self._effects) + len(self._refusals)) % 2 == 1
            asked = time.monotonic()
            if broken:
                self._sigma.refuse(self._number + 1)
                self._refused += 1
                self._refusals.append(1000 * (time.monotonic() - asked))
            else:
                self._number += 1
                self._generation += 1
                self._sigma.reload(self._number, self._generation)
                self._effects.append(1000 * (time.monotonic() - asked))

    def _size(self):
        """What it holds, nothing but what stands being under way."""
        time.sleep(SETTLE_S if self._plan.warm_s > 1 else 0)
        pid = self._place.pid
        return {
            "heap_kib": jvm.heap_used_kib(pid),
            "classes": jvm.loaded_classes(pid),
            "rss_kib": procfs.resident_kib(pid),
            "files": procfs.open_files(pid),
            "threads": procfs.threads(pid),
        }


def _intro(plan):
    amount = plan.amount
    return [
        f"{plan.reloads:,} times another configuration, so many a second, or where nothing is said one after the other without a pause; each has a route that the one before had not, three other ones of four nodes, and other weights. The next one follows",
        "when `reload` has said that it holds, as the generation that is due, and a new connection got 200 by its route, and 404 by the one before. Every second one broken: the file is cut off somewhere; that has",
        f"to be refused, and the configuration before it to hold. Meanwhile {CLIENTS} clients with keep-alive ask again as soon as they are answered, and what was open before stays open:",
        f"{amount.websockets:,} WebSockets, {amount.sessions:,} TCP sessions and {amount.streams:,} streams of gRPC, on each of which a message goes there and back every {amount.pause_s:g} s, and {amount.downloads:,} downloads of",
        f"{' or '.join(f'{length >> 20} MiB' for length in amount.body_lengths)} at {amount.rate >> 10} KiB a second; each byte is looked at, and all have to end as they should. Sigma has its defaults, on one core; load and nodes are on another.",
        "Failed is whatever isn't 200 with the right body. Alone: the same load beside the same open connections, before. Memory is looked at without the load, after full collections.",
    ]


def _tables(found):
    columns = ["files", "reloads", "refused", "requests", "failed", "p50 alone, ms", "beside", "p99 alone, ms", "beside", "max alone, ms", "beside", "requests/s alone", "beside", "effect, ms", "p99", "most"]  # fmt: skip
    rows = []
    for case, row in found.items():
        alone, beside = row["parts"][0], row["parts"][1:]
        latencies = [_latencies([alone]), _latencies(beside)]
        rates = [sum(part["asked"] for part in parts) / sum(part["took_s"] for part in parts) for parts in ([alone], beside)]
        effects = sorted(row["effects_ms"])
        rows.append(
            [
                case.name,
                f"{row['reloads']:,}",
                f"{row['refused']:,}",
                f"{sum(part['asked'] for part in beside):,}",
                f"{sum(part['failed'] for part in row['parts'])}",
                *(_ms(part.share_us(at)) for at in (0.5, 0.99, 1) for part in latencies),
                *(f"{rate:,.0f}" for rate in rates),
                *(f"{share(effects, at):.1f}" for at in (0.5, 0.99, 1)),
            ]
        )
    tables = [("Load and reloads", columns, rows)]
    rows = [
        [case.name, name, f"{stood['count']:,}", f"{stood['lost']}", f"{stood['whole']:,}", "–" if stood["messages"] is None else f"{stood['messages']:,}"]
        for case, row in found.items()
        for name, stood in row["standing"].items()
    ]
    tables.append(("What stayed open", ["files", "what", "open", "lost or wrong", "ended whole", "messages there and back"], rows))
    rows = [
        [case.name, f"{100 * at // QUARTERS} %", f"{size['heap_kib'] / 1024:.1f}", f"{size['rss_kib'] / 1024:.0f}", size["files"], size["threads"], size["classes"],
         _ms(_latencies([row["parts"][at]]).share_us(0.99))]
        for case, row in found.items()
        for at, size in enumerate(row["sizes"])
    ]  # fmt: skip
    tables.append(("Memory", ["files", "of the reloads", "heap after collection, MiB", "RSS MiB", "open files", "threads", "loaded classes", "p99 until then, ms"], rows))
    return tables


def _bounds(case, row):
    def bound(what, found, limit, shown=str):
        return f"{what} ({case.name})", shown(found), f"<= {shown(limit)}" if limit else "0", found <= limit

    failed = sum(part["failed"] for part in row["parts"])
    yield bound("requests that failed", failed, 0)
    for name, stood in row["standing"].items():
        yield bound(f"{name} lost, cut or wrong", stood["lost"], 0)
    found, expected = row["generation"], row["generation_expected"]
    yield f"generation at the end ({case.name})", f"{found:,}", f"{expected:,}", found == expected
    if case.broken:
        refused, asked = row["refused"], row["asked_broken"]
        yield f"broken files refused ({case.name})", f"{refused:,}", f"{asked:,}", refused == asked
    alone, beside = (_latencies(parts).share_us(0.99) for parts in (row["parts"][:1], row["parts"][1:]))
    most = max(1000 * P99_MS_MIN, P99_TIMES_MAX * alone)
    yield bound(f"p99 beside reloads, twice that alone or {P99_MS_MIN:g} ms", beside, most, lambda us: f"{_ms(us)} ms")
    early, late = row["sizes"][1], row["sizes"][-1]
    yield bound("heap from a quarter of the reloads to the end", late["heap_kib"] - early["heap_kib"], HEAP_GROWTH_MAX_KIB, lambda kib: f"{kib:,} KiB more")
    yield bound("RSS", late["rss_kib"] / early["rss_kib"] - 1, RSS_GROWTH_MAX, lambda part: f"{100 * part:.1f} % more")
    yield bound("loaded classes", late["classes"] - early["classes"], CLASSES_GROWTH_MAX, lambda count: f"{count} more")
    yield bound("threads", late["threads"] - early["threads"], THREADS_GROWTH_MAX, lambda count: f"{count} more")
    yield bound("open files", late["files"] - early["files"], FILES_GROWTH_MAX, lambda count: f"{count} more")


def _latencies(parts):
    return Latencies(*(part["latencies"] for part in parts))


def _line(row):
    lost = {name: stood["lost"] for name, stood in row["standing"].items()}
    outcomes = {key: count for part in row["parts"] for key, count in part["outcomes"].items() if key != OK}
    problems = [text for part in row["parts"] for text in part["first"]] + [text for stood in row["standing"].values() for text in stood["first"]]
    return f"{row['reloads']:,} reloads, {row['refused']:,} refused, lost {lost}, other outcomes {outcomes} {problems[:10]}"


def _part_line(part):
    latencies = _latencies([part])
    return f"{part['asked']:,} requests in {part['took_s']:.0f} s, failed {part['failed']}, p50 {_ms(latencies.share_us(0.5))}, p99 {_ms(latencies.share_us(0.99))} ms"


def _size_line(size):
    return f"heap {size['heap_kib']:,} KiB, RSS {size['rss_kib'] >> 10} MiB, {size['files']} files, {size['threads']} threads, {size['classes']:,} classes"


def _ms(microseconds):
    return "–" if microseconds is None else f"{microseconds / 1000:.2f}"
