package net.oooops.sigma.cli;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import net.oooops.sigma.admin.Versions;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.control.BuiltInUpstream;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.control.Takeover;
import net.oooops.sigma.control.socket.RunFolder;
import net.oooops.sigma.control.systemd.Systemd;
import net.oooops.sigma.control.systemd.SystemdSockets;
import net.oooops.sigma.control.upgrade.Predecessor;
import net.oooops.sigma.listen.SocketTransport;
import net.oooops.sigma.plugin.PluginCatalog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A gateway from its start to its drained end.
 *
 * <p>A second thread loads native libraries and starts the built-in upstream while this one reads the configuration: the first answer waits
 * for the longer of both.
 */
final class Run {
    static final int INSTANCES_MAX = 1024;

    /**
     * A system property by which nothing is run: only wrong words are told. The launcher asks so before it makes the JDK's AOT cache, which takes
     * seconds that nobody wants to wait for a mistyped option.
     */
    static final String WORDS_ALONE = "sigma.words.alone";

    private final Signals signals;
    private final Function<String, @Nullable String> environment;
    private final Systemd systemd = Systemd.of(System::getenv);
    /** Kept as long as this process lives: by that the other one knows that it does. */
    private @Nullable Predecessor before;
    /** Whether it was looked for: where it isn't there any more, that is said once. */
    private boolean sought;

    /** Runs it until the process is asked to end, and tells the user where it can't; gives the exit code. */
    static int ofProcess(RunWords words, Console console) {
        if (System.getProperty(WORDS_ALONE) != null) {
            return wordsAlone(words, console);
        }
        Console shown = console;
        try {
            // Before anything is logged.
            LogFormat.choose(words.log());
            // Before the log is made ready: a SIGHUP that comes sooner ends the process.
            Signals signals = Signals.ofProcess();
            shown = LogFormat.console(words.log(), console);
            return new Run(signals).run(words, shown);
        } catch (Failure e) {
            return e.report("sigma run", shown);
        } catch (RuntimeException | Error e) {
            return fault(e, words.log(), console);
        }
    }

    /** Tells which words are wrong, if any, or which files aren't there that they name; gives the exit code that they have. */
    static int wordsAlone(RunWords words, Console console) {
        Console shown = console;
        try {
            LogFormat.choose(words.log());
            shown = LogFormat.console(words.log(), console);
            requireVerticle(words.verticle());
            requireInstances(words.instances());
            first(words);
            Conf.requireFiles(words.conf());
            return Exit.OK;
        } catch (Failure e) {
            return e.report("sigma run", shown);
        }
    }

    /** A fault of Sigma's own, or of a plugin's: as the log has it, where that is to have all that is said. */
    static int fault(Throwable thrown, @Nullable LogFormat said, Console console) {
        if (said != LogFormat.JSON) {
            return Main.fault(thrown, console);
        }
        LoggerFactory.getLogger(Run.class).error("sigma run: a fault of Sigma's own, or of a plugin's", thrown);
        return Exit.PROBLEMS;
    }

    /** @param signals end the gateway, and have it read its configuration again */
    Run(Signals signals) {
        this(signals, System::getenv);
    }

    /** @param environment names the process whose place this one is to take */
    Run(Signals signals, Function<String, @Nullable String> environment) {
        this.signals = signals;
        this.environment = environment;
    }

    /**
     * Runs it until it is asked to stop.
     *
     * @return the exit code
     * @throws Failure where it can't start
     */
    int run(RunWords words, Console console) throws Failure {
        try {
            return runOrFail(words, console);
        } catch (Failure e) {
            // Who has started this process to take its own place waits for it.
            try (Predecessor waiting = predecessor()) {
                if (waiting != null) {
                    waiting.failed(e.text().strip());
                }
            }
            throw e;
        }
    }

    private @Nullable Predecessor predecessor() {
        if (!sought) {
            sought = true;
            before = Predecessor.find(environment, Versions.read().sigma(), signals::isToStop);
        }
        return before;
    }

    private int runOrFail(RunWords words, Console console) throws Failure {
        requireVerticle(words.verticle());
        requireInstances(words.instances());
        FirstConfig first = first(words);
        Embedded embedded = words.conf().isEmpty() && first == null ? Embedded.choose() : null;
        Started started = start(words, first, embedded, console);
        Gateway gateway = started.gateway;
        try (BuiltInUpstream _ = started.upstream;
                Steering steering = Steering.open(gateway, signals::ask, words, console)) {
            Announcement announcement = started.announcement;
            announcement.started(gateway, embedded, first == null ? null : first.routing());
            announcement.plugins(started.reloading.plugins());
            RunFolder folder = AskedGateway.folder(words.runDir());
            Succession succession = new Succession(
                    folder,
                    before == null ? null : before.first(),
                    Versions.read().sigma());
            Upgrading upgrading = new Upgrading(
                    gateway,
                    new Upgrading.Parts(
                            words, folder, steering, succession, started.reloading::isRolledBack, signals::handOver));
            if (before != null) {
                before.follow(gateway.steered());
            }
            steering.serve(started.reloading, upgrading, succession);
            if (embedded != null) {
                embedded.ask(words.runDir(), console);
            }
            if (before != null) {
                before.serving(gateway, steering.unreachable());
            }
            systemd.ready();
            new Serving(new Serving.Parts(
                            gateway,
                            started.reloading,
                            upgrading,
                            steering,
                            succession,
                            signals,
                            systemd,
                            announcement,
                            before))
                    .run(words.watch());
        }
        return Exit.OK;
    }

    /** What has begun. It holds nothing of the first configuration, which is gone when another one has taken its place. */
    private record Started(
            @Nullable BuiltInUpstream upstream, Gateway gateway, Reloading reloading, Announcement announcement) {}

    private Started start(RunWords words, @Nullable FirstConfig first, @Nullable Embedded embedded, Console console)
            throws Failure {
        FilesOfStart files = new FilesOfStart("the start");
        signals.endAtOnce(true);
        CompletableFuture<@Nullable BuiltInUpstream> beside = beside(embedded, files);
        PluginCatalog plugins;
        Conf.Written written;
        byte[] optionsWritten;
        Setup setup;
        try {
            optionsWritten = OptionsFile.bytes(words.options(), files);
            plugins = PluginsFolder.catalog(words.plugins());
            List<Path> conf = embedded == null ? words.conf() : embedded.write();
            written = conf.isEmpty() ? null : Conf.written(conf, console.in());
            setup = written == null ? unwritten(embedded, first, plugins) : Setup.readToRun(written, plugins, files);
        } finally {
            files.close();
            signals.endAtOnce(false);
        }
        console.err().print(setup.warnings());
        // From here on Netty and Vert.x are used, and log; not before the other thread has made logging ready.
        BuiltInUpstream upstream = null;
        Started started = null;
        try {
            upstream = join(beside);
            OptionsFile.Options options = OptionsFile.of(words.options(), optionsWritten);
            Predecessor other = predecessor();
            Takeover takeover = other == null ? SystemdSockets.of(System::getenv) : other;
            Gateway gateway =
                    Gateway.start(setup.snapshot(), workers(words.instances(), options), options.options(), takeover);
            Reloading reloading = new Reloading(gateway, written, plugins, setup);
            started = new Started(upstream, gateway, reloading, new Announcement(console.out(), setup.secrets()));
            return started;
        } catch (StartException e) {
            throw new Failure(Exit.PROBLEMS, setup.secrets().hide("sigma: " + e.getMessage()));
        } finally {
            if (started == null && upstream != null) {
                upstream.close();
            }
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
    private static Setup unwritten(@Nullable Embedded embedded, @Nullable FirstConfig first, PluginCatalog plugins)
            throws Failure {
        return first == null
                ? Setup.read(Embedded.NAME, Objects.requireNonNull(embedded).json(), plugins)
                : Setup.read(FirstConfig.NAME, first.json().getBytes(StandardCharsets.UTF_8), plugins);
    }

    private static void requireVerticle(String found) throws Failure {
        if (!found.equals(RunWords.VERTICLE)) {
            String expected = "or none; a configuration is named with -conf FILE";
            if (found.endsWith(".json") || found.endsWith(".yaml") || found.endsWith(".yml")) {
                throw new Failure(Exit.USAGE, found + ": no word of run's (expected: -conf " + found + ")");
            }
            throw new Failure(
                    Exit.USAGE, "verticle: " + found + " (expected: " + RunWords.VERTICLE + ", " + expected + ")");
        }
    }

    private static void requireInstances(@Nullable Integer found) throws Failure {
        if (found != null && (found < 1 || found > INSTANCES_MAX)) {
            throw new Failure(Exit.USAGE, "-instance: " + found + " (expected: 1 to " + INSTANCES_MAX + ")");
        }
    }

    private CompletableFuture<@Nullable BuiltInUpstream> beside(@Nullable Embedded embedded, FilesOfStart files) {
        CompletableFuture<@Nullable BuiltInUpstream> ready = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("sigma-start").start(() -> {
            try {
                SocketTransport transport = SocketTransport.choose(RuntimeConfig.Transport.AUTO);
                ready.complete(embedded == null ? null : BuiltInUpstream.start(transport, embedded.upstreamPort()));
                files.sayUntilRead();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
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
}
