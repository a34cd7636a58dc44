package net.oooops.sigma.control;

import static net.oooops.sigma.races.AtOnce.require;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.plugin.PluginMaker;
import net.oooops.sigma.races.AtOnce;
import net.oooops.sigma.races.Race;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.runtime.Generation.Followers;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/** Exchanges begin and end on two Workers while another configuration takes the place of the one that holds, and the gateway stops. */
final class SnapshotsRaces {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    /** The plugin of the router stays, that of the route and the Upstream don't. */
    private static final SigmaConfig FIRST = config("first", "http");

    private static final SigmaConfig SECOND = config("second", "h2c");
    private static final int WORKERS = 2;

    private final List<Counting> plugins = new CopyOnWriteArrayList<>();
    private final AtomicInteger retired = new AtomicInteger();
    private final List<Worker> workers;
    /** Compiled before all threads begin: that has many more steps than all else, which would all lie before its end. */
    private final Snapshot next;

    private final Snapshots snapshots;
    private final CountDownLatch ended = new CountDownLatch(WORKERS);
    /** As {@link Reloads} does it. */
    private final ReentrantLock replacing = new ReentrantLock();

    private boolean stopping;

    /** Knows how many exchanges use it. Closes badly. */
    private static final class Counting implements Plugin {
        private final AtomicInteger used = new AtomicInteger();
        private final AtomicInteger closed = new AtomicInteger();
        private final AtomicInteger usedWhenClosed = new AtomicInteger();

        @Override
        public Needs needs() {
            return Needs.REQUEST;
        }

        @Override
        public void close() {
            usedWhenClosed.addAndGet(used.get());
            closed.incrementAndGet();
            throw new IllegalStateException("closed badly");
        }
    }

    /** What a configuration's exchanges use. */
    private record Next(Generation generation, List<Counting> plugins) {}

    /** Follows between two steps, as an event loop does. */
    private final class Worker {
        private final AtomicReference<@Nullable Next> told = new AtomicReference<>();
        private Followers following;
        private List<Counting> used;

        Worker(Generation generation, List<Counting> used) {
            this.following = generation.followers();
            this.used = used;
        }

        void run() {
            Runnable first = begin();
            Runnable second = begin();
            follow();
            Runnable third = begin();
            first.run();
            follow();
            second.run();
            third.run();
            follow();
            ended.countDown();
        }

        private void follow() {
            Next next = told.getAndSet(null);
            if (next != null) {
                Followers before = following;
                following = next.generation.followers();
                used = next.plugins;
                before.replaced();
            }
        }

        /** Gives how it ends. */
        private Runnable begin() {
            Followers followed = following.enter();
            List<Counting> mine = used;
            mine.forEach(plugin -> plugin.used.incrementAndGet());
            return () -> {
                mine.forEach(plugin -> plugin.used.decrementAndGet());
                followed.leave();
            };
        }
    }

    private SnapshotsRaces() {
        Snapshot first = compiled(FIRST, null);
        first.begin();
        snapshots = new Snapshots(first, WORKERS, this::retire, Thread::new);
        List<Counting> used = List.copyOf(plugins);
        workers = List.of(new Worker(snapshots.generation(), used), new Worker(snapshots.generation(), used));
        next = compiled(SECOND, first);
        next.begin();
    }

    private static SigmaConfig config(String ofRoute, String scheme) {
        String json = "{\"proxy-server\": {\"http\": [{\"id\": \"s\", \"host\": \"127.0.0.1\", \"port\": 0}]},"
                + " \"router\": [{\"id\": \"r\", \"proxy-server-id\": \"s\", \"plugin\": {\"named\": {\"is\": \"stays\"}},"
                + " \"route\": [{\"id\": \"a\", \"path\": \"/*\", \"proxy-pass-id\": \"p\","
                + " \"plugin\": {\"named\": {\"is\": \"" + ofRoute + "\"}}}]}],"
                + " \"proxy-pass\": [{\"id\": \"p\", \"upstream-id\": \"u\"}],"
                + " \"upstream\": [{\"id\": \"u\", \"nodes\": [\"" + scheme + "://127.0.0.1:9\"]}]}";
        ConfigResult result = new ConfigReader(Map.of("named", "{\"type\": \"object\"}"))
                .read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
        if (result instanceof ConfigResult.Valid valid) {
            return valid.config();
        }
        throw new AssertionError(((ConfigResult.Invalid) result).text(json));
    }

    private Snapshot compiled(SigmaConfig config, @Nullable Snapshot before) {
        PluginMaker maker = (name, settings) -> {
            Counting made = new Counting();
            plugins.add(made);
            return made;
        };
        return before == null
                ? SnapshotCompiler.compile(config, maker)
                : SnapshotCompiler.compile(config, maker, before);
    }

    private void retire(Upstream upstream) {
        retired.incrementAndGet();
        snapshots.current().nodes().retire(upstream);
    }

    private void reload() {
        replacing.lock();
        try {
            if (stopping) {
                next.held().end();
                return;
            }
            Generation generation = snapshots.replace(next);
            List<Counting> used = List.of(plugins.getFirst(), plugins.getLast());
            workers.forEach(worker -> worker.told.set(new Next(generation, used)));
        } finally {
            replacing.unlock();
        }
    }

    private void stop() throws InterruptedException {
        replacing.lock();
        try {
            stopping = true;
        } finally {
            replacing.unlock();
        }
        ended.await();
        snapshots.close(LIMIT);
    }

    private void requireClosed() {
        for (Counting plugin : plugins) {
            require(plugin.closed.get() == 1, "closed once: " + plugin.closed);
            require(plugin.usedWhenClosed.get() == 0, "closed after its last exchange: " + plugin.usedWhenClosed);
        }
    }

    /** Nothing is closed twice, or before its last exchange has ended; and all is when the gateway has stopped. */
    @Race
    static void allIsClosedOnceAfterItsLastExchange() {
        SnapshotsRaces model = new SnapshotsRaces();
        AtOnce.run(model.workers.get(0)::run, model.workers.get(1)::run, model::reload, model::stop);
        model.requireClosed();
        require(model.snapshots.count() == 0, "nothing is followed: " + model.snapshots.count());
        require(model.retired.get() <= 1, "the Upstream is retired once: " + model.retired);
    }
}
