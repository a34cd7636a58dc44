package net.oooops.sigma.cli;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.control.BuiltInUpstream;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.listen.SocketTransport;
import org.jspecify.annotations.Nullable;

/**
 * A gateway from its start to its drained end.
 *
 * <p>A second thread loads native libraries, starts the built-in upstream and begins to listen for signals while this one reads the
 * configuration: the first answer waits for the longer of both.
 */
final class Run {
    static final int INSTANCES_MAX = 1024;

    private final StopSignal stop;

    /** @param stop ends the gateway */
    Run(StopSignal stop) {
        this.stop = stop;
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
        Embedded embedded = words.conf() == null && first == null ? Embedded.choose() : null;
        CompletableFuture<@Nullable BuiltInUpstream> beside = beside(embedded);
        Setup setup = first == null
                ? read(words.conf(), embedded)
                : Setup.read(FirstConfig.NAME, first.json().getBytes(StandardCharsets.UTF_8));
        console.err().print(setup.warnings());
        // From here on Netty and Vert.x are used, and log; not before the other thread has made logging ready.
        try (BuiltInUpstream _ = join(beside)) {
            OptionsFile.Options options = OptionsFile.read(words.options());
            Gateway gateway = Gateway.start(setup.snapshot(), workers(words.instances(), options), options.options());
            new Announcement(console.out()).started(gateway, embedded, first == null ? null : first.routing());
            stop.await();
            drain(gateway, new Announcement(console.out()));
        } catch (StartException e) {
            throw new Failure(Exit.PROBLEMS, "sigma: " + e.getMessage());
        }
        return Exit.OK;
    }

    /** What is said in place of a file; null where nothing is. */
    private static @Nullable FirstConfig first(RunWords words) throws Failure {
        if (words.first().isEmpty()) {
            return null;
        }
        if (words.conf() != null) {
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

    private static Setup read(@Nullable Path file, @Nullable Embedded embedded) throws Failure {
        return file != null || embedded == null
                ? Setup.readToRun(Objects.requireNonNull(file))
                : Setup.read(Embedded.NAME, embedded.json());
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
                stop.listen();
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
