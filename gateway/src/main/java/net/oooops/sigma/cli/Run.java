package net.oooops.sigma.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
        Embedded embedded = words.conf().isEmpty() ? Embedded.choose() : null;
        CompletableFuture<@Nullable BuiltInUpstream> beside = beside(embedded);
        Setup setup = read(words.conf(), embedded, console);
        console.err().print(setup.warnings());
        // From here on Netty and Vert.x are used, and log; not before the other thread has made logging ready.
        try (BuiltInUpstream _ = join(beside)) {
            OptionsFile.Options options = OptionsFile.read(words.options());
            Gateway gateway = Gateway.start(setup.snapshot(), workers(words.instances(), options), options.options());
            Announcement announcement = new Announcement(console.out(), setup.secrets());
            announcement.started(gateway, embedded);
            stop.await();
            drain(gateway, announcement);
        } catch (StartException e) {
            throw new Failure(Exit.PROBLEMS, setup.secrets().hide("sigma: " + e.getMessage()));
        }
        return Exit.OK;
    }

    private static Setup read(List<Path> files, @Nullable Embedded embedded, Console console) throws Failure {
        return embedded == null ? Setup.readToRun(files, console.in()) : Setup.read(Embedded.NAME, embedded.json());
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
