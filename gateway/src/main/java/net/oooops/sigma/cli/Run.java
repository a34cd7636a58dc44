package net.oooops.sigma.cli;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.control.BuiltInUpstream;
import net.oooops.sigma.control.FilesWatch;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.listen.SocketTransport;
import net.oooops.sigma.plugin.PluginCatalog;
import org.jspecify.annotations.Nullable;

/**
 * A gateway from its start to its drained end.
 *
 * <p>A second thread loads native libraries, starts the built-in upstream and begins to listen for signals while this one reads the
 * configuration: the first answer waits for the longer of both.
 */
final class Run {
    static final int INSTANCES_MAX = 1024;

    private final Signals signals;

    /** @param signals end the gateway, and have it read its configuration again */
    Run(Signals signals) {
        this.signals = signals;
    }

    /**
     * Runs it until it is asked to stop.
     *
     * @return the exit code
     * @throws Failure where it can't start
     */
    int run(RunWords words, Console console) throws Failure {
        requireVerticle(words.verticle());
        requireInstances(words.instances());
        FirstConfig first = first(words);
        Embedded embedded = words.conf().isEmpty() && first == null ? Embedded.choose() : null;
        CompletableFuture<@Nullable BuiltInUpstream> beside = beside(embedded);
        PluginCatalog plugins = Setup.plugins();
        Conf.Written written = words.conf().isEmpty() ? null : Conf.written(words.conf(), console.in());
        Setup setup = written == null ? unwritten(embedded, first) : Setup.readToRun(written, plugins);
        console.err().print(setup.warnings());
        // From here on Netty and Vert.x are used, and log; not before the other thread has made logging ready.
        try (BuiltInUpstream _ = join(beside)) {
            OptionsFile.Options options = OptionsFile.read(words.options());
            Gateway gateway = Gateway.start(setup.snapshot(), workers(words.instances(), options), options.options());
            Announcement announcement = new Announcement(console.out(), setup.secrets());
            Reloading reloading = new Reloading(gateway, written, plugins, setup.read());
            try (Steering steering = Steering.open(gateway, signals::ask, words, console)) {
                announcement.started(gateway, embedded, first == null ? null : first.routing());
                steering.serve(reloading);
                serve(reloading, words.watch());
                steering.drains();
                drain(gateway, announcement);
            }
        } catch (StartException e) {
            throw new Failure(Exit.PROBLEMS, setup.secrets().hide("sigma: " + e.getMessage()));
        }
        return Exit.OK;
    }

    /** Until it is asked to stop. */
    private void serve(Reloading reloading, boolean watch) {
        FilesWatch files = watch ? FilesWatch.start(reloading::files, () -> reloading.reloadIfOther("watch")) : null;
        Semaphore asked = new Semaphore(0);
        // Not here: a reload may take its time, and to stop must be possible meanwhile.
        Thread.ofPlatform().daemon().name("sigma-reload").start(() -> {
            while (true) {
                asked.acquireUninterruptibly();
                // All that was asked for before it begins is one.
                asked.drainPermits();
                reloading.reloadQuietly("SIGHUP");
            }
        });
        while (signals.await() == Signals.Wish.RELOAD) {
            asked.release();
        }
        if (files != null) {
            files.close();
        }
    }

    /** What is said in place of a file; null where nothing is. */
    private static @Nullable FirstConfig first(RunWords words) throws Failure {
        if (words.first().isEmpty()) {
            return null;
        }
        if (!words.conf().isEmpty()) {
            throw new Failure(
                    Exit.USAGE,
                    "-conf FILE: beside --to, --host or --port (expected: one of both; the file says all of that itself,"
                            + " and `sigma init` writes one)");
        }
        if (words.first().to().isEmpty()) {
            throw new Failure(Exit.USAGE, "--host, --port: without --to URL (expected: it says where requests go)");
        }
        return FirstConfig.of(words.first());
    }

    /** What is said nowhere, or on the command line. */
    private static Setup unwritten(@Nullable Embedded embedded, @Nullable FirstConfig first) throws Failure {
        return first == null
                ? Setup.read(Embedded.NAME, Objects.requireNonNull(embedded).json())
                : Setup.read(FirstConfig.NAME, first.json().getBytes(StandardCharsets.UTF_8));
    }

    private static void requireVerticle(String found) throws Failure {
        if (!found.equals(RunWords.VERTICLE)) {
            throw new Failure(
                    Exit.USAGE,
                    "verticle: " + found + " (expected: " + RunWords.VERTICLE
                            + ", or none; a configuration is named with -conf FILE)");
        }
    }

    private static void requireInstances(@Nullable Integer found) throws Failure {
        if (found != null && (found < 1 || found > INSTANCES_MAX)) {
            throw new Failure(Exit.USAGE, "-instance: " + found + " (expected: 1 to " + INSTANCES_MAX + ")");
        }
    }

    private CompletableFuture<@Nullable BuiltInUpstream> beside(@Nullable Embedded embedded) {
        CompletableFuture<@Nullable BuiltInUpstream> ready = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("sigma-start").start(() -> {
            try {
                SocketTransport transport = SocketTransport.choose(RuntimeConfig.Transport.AUTO);
                ready.complete(embedded == null ? null : BuiltInUpstream.start(transport, embedded.upstreamPort()));
                signals.listen();
            } catch (StartException | RuntimeException e) {
                ready.completeExceptionally(e);
            }
        });
        return ready;
    }

    private static @Nullable BuiltInUpstream join(CompletableFuture<@Nullable BuiltInUpstream> beside)
            throws StartException {
        try {
            return beside.join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new StartException(String.valueOf(cause.getMessage()), cause);
        }
    }

    private static int workers(@Nullable Integer asked, OptionsFile.Options options) {
        if (asked != null) {
            return asked;
        }
        return options.namesEventLoops()
                ? options.options().getEventLoopPoolSize()
                : Runtime.getRuntime().availableProcessors();
    }

    private static void drain(Gateway gateway, Announcement announcement) {
        Duration drain = gateway.drain();
        announcement.draining(gateway.connectionCount(), drain);
        announcement.stopped(gateway.stop(drain), drain);
    }
}
