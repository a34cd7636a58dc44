package net.oooops.sigma.cli;

import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import net.oooops.sigma.admin.Versions;
import net.oooops.sigma.config.ConfigText;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.Unreadable;
import net.oooops.sigma.config.changes.ConfigDiff;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.history.FileHash;
import net.oooops.sigma.control.history.History;
import net.oooops.sigma.control.history.HistoryAnswer;
import net.oooops.sigma.control.history.NotKept;
import net.oooops.sigma.control.socket.Answer;
import net.oooops.sigma.control.socket.Asked;
import net.oooops.sigma.control.socket.Hearing;
import net.oooops.sigma.control.socket.KeptSocket;
import net.oooops.sigma.control.socket.LogLevels;
import net.oooops.sigma.control.socket.NodeAnswers;
import net.oooops.sigma.control.socket.Presence;
import net.oooops.sigma.control.socket.Refused;
import net.oooops.sigma.control.socket.RunFolder;
import net.oooops.sigma.control.socket.StatusAnswer;
import net.oooops.sigma.control.socket.StatusSources;
import net.oooops.sigma.control.socket.Steered;
import net.oooops.sigma.upstream.Steering.Use;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a running gateway can be asked through its socket, and the history of its configurations. A gateway without a socket, as no folder for it can be had,
 * serves all the same.
 *
 * <p>{@link #open}, {@link #serve} and {@link #close}: the thread that runs the gateway. The rest: any thread.
 */
final class Steering implements AutoCloseable {
    private static final String START = "start";

    /** What is left of somebody's patience, to be told that it was in vain. */
    private static final Duration ANSWER_TIME = Duration.ofMillis(500);

    /** For how long event loops may take to count: one that stands still is no reason to say nothing. */
    private static final Duration COUNTING = Duration.ofMillis(500);

    private static final Logger LOG = LoggerFactory.getLogger(Steering.class);

    private final Gateway gateway;
    private final Runnable stop;
    private final Instant since = ProcessHandle.current().info().startInstant().orElseGet(Instant::now);
    private final String version = Versions.read().sigma();
    private final History history;
    private final KeptSocket socket;
    private final Hearing hearing = new Hearing();
    private volatile StatusSources.@Nullable Configuration configuration;
    private volatile boolean draining;

    private Steering(Gateway gateway, Runnable stop, RunWords words) {
        this.gateway = gateway;
        this.stop = stop;
        String conf =
                words.conf().isEmpty() ? "" : AskedGateway.absolute(words.conf().getFirst());
        // As others are told.
        String shown =
                conf.isEmpty() ? words.first().text() : Conf.shown(words.conf().getFirst());
        RunFolder folder = AskedGateway.folder(words.runDir());
        this.history = History.of(folder.history(), conf);
        this.socket = KeptSocket.open(folder, Presence.ofProcess(shown, since, version));
    }

    /**
     * Listens; who asks waits until {@link #serve}. Where it can't, it says so on the console, and tries again from then on.
     *
     * @param stop has the gateway end, as a signal does
     */
    static Steering open(Gateway gateway, Runnable stop, RunWords words, Console console) {
        Steering steering = new Steering(gateway, stop, words);
        String unreachable = steering.unreachable();
        if (unreachable != null) {
            console.err().println("warning: `sigma status` and others can't reach this gateway: " + unreachable);
        }
        return steering;
    }

    /** Answers from now on, with the configuration that holds as the first one. */
    void serve(Reloading reloading, Upgrading upgrading, Succession succession) {
        took(START, reloading.texts());
        reloading.listen(this::took);
        socket.serve(steered(reloading, upgrading, succession));
    }

    /** Why commands don't reach this gateway; null where they do. */
    @Nullable String unreachable() {
        return socket.unreachable();
    }

    /** Another process is about to be asked in place of this one, and to be told what operators have said: they say no more here from then on. */
    void letGo() {
        socket.close();
        hearing.end();
    }

    /** It isn't after all. */
    void takeBack() {
        hearing.resume();
        draining = false;
        socket.takeBack();
    }

    /** Where there is no socket, as the folder was full, or somebody has emptied it, there is one from now on. */
    void holdSocket() {
        socket.hold();
    }

    /** What can be asked, by the word of the command. */
    private Map<String, Steered> steered(Reloading reloading, Upgrading upgrading, Succession succession) {
        Map<String, Steered> all = new LinkedHashMap<>();
        all.put("status", new StatusAnswer(sources(reloading, succession)));
        all.put(RestartNote.RUNTIME, asked -> runtime(reloading));
        all.put("stop", asked -> stop(succession));
        all.put("log-level", hearing.heard(new LogLevels()));
        all.put("reload", Steered.readingFiles(asked -> answer(reloading, at -> at.reload(asked.who()))));
        all.put("upgrade", asked -> upgrade(upgrading, asked));
        all.put("diff", Steered.readingFiles(asked -> diff(reloading, asked)));
        all.put("history", Steered.readingFiles(new HistoryAnswer(history, texts -> meant(reloading, texts))));
        all.put("rollback", Steered.readingFiles(asked -> rollBack(reloading, asked)));
        NodeAnswers nodes = new NodeAnswers(gateway::upstreams, gateway.steered());
        all.put("drain", hearing.heard(nodes.with(before -> before.withUse(Use.DRAINED))));
        all.put("eject", hearing.heard(nodes.with(before -> before.withUse(Use.EJECTED))));
        all.put("restore", hearing.heard(nodes.restoring()));
        all.put("weight", hearing.heard(nodes.withWeight()));
        return all;
    }

    /** A configuration took effect, as somebody asked: the number that the history has it under. */
    private OptionalInt took(String who, List<ConfigText> files) {
        List<String> names = files.stream().map(file -> file.path().toString()).toList();
        Instant now = Instant.now();
        // Once: of a large file it takes as long as all that is different in it.
        String hash = FileHash.of(files);
        OptionalInt number = kept(now, who, files, hash);
        configuration = new StatusSources.Configuration(gateway.generation(), number, hash, now, who, names);
        return number;
    }

    /** None where it can't be: it holds all the same. */
    private OptionalInt kept(Instant now, String who, List<ConfigText> files, String hash) {
        try {
            return socket.isOpen() ? history.add(now, who, files, hash) : OptionalInt.empty();
        } catch (RuntimeException | Error e) {
            LOG.error("the configuration isn't kept in the history", e);
            return OptionalInt.empty();
        }
    }

    private StatusSources sources(Reloading reloading, Succession succession) {
        return new StatusSources(
                version,
                since,
                () -> Objects.requireNonNull(configuration),
                reloading::isRolledBack,
                this::listeners,
                gateway::connectionCount,
                gateway::upstreams,
                gateway.steered()::absent,
                () -> dropIns(reloading),
                succession::others,
                () -> draining);
    }

    private static List<StatusSources.DroppedIn> dropIns(Reloading reloading) {
        return reloading.plugins().dropIns().all().stream()
                .map(each -> new StatusSources.DroppedIn(each.place(), each.names(), each.hashes()))
                .toList();
    }

    private List<StatusSources.Listening> listeners() {
        List<? extends Listener> all = gateway.config().allListeners();
        List<InetSocketAddress> addresses = gateway.addresses();
        Map<String, Integer> counts = gateway.connectionCounts(COUNTING);
        List<StatusSources.Listening> listening = new ArrayList<>();
        for (int i = 0; i < Math.min(all.size(), addresses.size()); i++) {
            Listener each = all.get(i);
            String authority = Wording.authority(each.host(), addresses.get(i).getPort());
            listening.add(
                    new StatusSources.Listening(each.id(), Wording.scheme(each) + authority, counts.get(each.id())));
        }
        return listening;
    }

    private Answer stop(Succession succession) {
        stop.run();
        long millis = gateway.drain().toMillis();
        return new Answer("stopping\n", Map.of("drain_ms", millis, StopCommand.FIRST, succession.first()));
    }

    private static Answer runtime(Reloading reloading) {
        Map<String, String> started = ConfigDiff.runtime(reloading.started());
        StringBuilder text = new StringBuilder();
        started.forEach(
                (key, value) -> text.append(key).append(' ').append(value).append('\n'));
        return new Answer(text.toString(), Map.of(RestartNote.STARTED, started));
    }

    /** What a reload is asked for. */
    private interface Reload {
        Reloading.Done by(Reloading reloading) throws Failure;
    }

    private static Answer answer(Reloading reloading, Reload reload) throws Refused {
        try {
            Reloading.Done done = reload.by(reloading);
            return new Answer(done.text(), done.json());
        } catch (Failure e) {
            throw new Refused(e.text().stripTrailing() + "\nall stays as it was");
        }
    }

    private static Answer upgrade(Upgrading upgrading, Asked asked) throws Refused {
        try {
            Upgrading.Done done = upgrading.upgrade(
                    asked.who(),
                    asked.optionalText("launcher"),
                    asked.patience().minus(ANSWER_TIME));
            return new Answer(done.text(), done.json());
        } catch (Failure e) {
            throw new Refused(e.text().stripTrailing());
        }
    }

    private Answer rollBack(Reloading reloading, Asked asked) throws Refused {
        try {
            int number = asked.number("number");
            List<ConfigText> texts = history.get(number);
            return answer(reloading, at -> at.rollBack(asked.who(), number, texts));
        } catch (NotKept e) {
            throw new Refused(e.text());
        }
    }

    private static SigmaConfig meant(Reloading reloading, List<ConfigText> texts) throws Refused {
        try {
            return reloading.meant(texts);
        } catch (Failure e) {
            throw new Refused(e.text().stripTrailing());
        }
    }

    private static Answer diff(Reloading reloading, Asked asked) throws Refused {
        try {
            List<Path> files = List.of(path(asked.text("conf")));
            Reloading.Would changes = reloading.changes(Conf.written(files, InputStream.nullInputStream()));
            return new Answer(changes.text(), changes.json());
        } catch (Failure e) {
            throw new Refused(e.text().stripTrailing());
        }
    }

    private static Path path(String conf) throws Refused {
        try {
            Path path = Path.of(conf);
            if (path.startsWith("/dev") && !Files.isRegularFile(path)) {
                // That of the gateway would be read, not of whoever asks; and it may never answer.
                throw new Refused("-conf " + Unreadable.shown(path)
                        + ": a device, or what a shell has open (expected: a file, which the gateway reads)");
            }
            return path;
        } catch (InvalidPathException e) {
            throw new Refused("conf: " + e.getReason() + " (expected: the path of a file)");
        }
    }

    /** The end was asked for. */
    void drains() {
        draining = true;
    }

    @Override
    public void close() {
        socket.close();
    }
}
