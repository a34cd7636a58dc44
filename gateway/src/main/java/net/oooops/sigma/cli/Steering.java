package net.oooops.sigma.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.changes.Changes;
import net.oooops.sigma.config.changes.ConfigDiff;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.history.FileText;
import net.oooops.sigma.control.history.History;
import net.oooops.sigma.control.history.HistoryAnswer;
import net.oooops.sigma.control.socket.Answer;
import net.oooops.sigma.control.socket.Asked;
import net.oooops.sigma.control.socket.ControlSocket;
import net.oooops.sigma.control.socket.LogLevels;
import net.oooops.sigma.control.socket.Presence;
import net.oooops.sigma.control.socket.Refused;
import net.oooops.sigma.control.socket.RunFolder;
import net.oooops.sigma.control.socket.SocketFault;
import net.oooops.sigma.control.socket.StatusAnswer;
import net.oooops.sigma.control.socket.StatusSources;
import net.oooops.sigma.control.socket.Steered;
import org.jspecify.annotations.Nullable;

/**
 * What a running gateway can be asked through its socket, and the history of its configurations. A gateway without a socket, as no folder for it can be had,
 * serves all the same.
 *
 * <p>{@link #open}, {@link #serve} and {@link #close}: the thread that runs the gateway. The rest: any thread.
 */
final class Steering implements AutoCloseable {
    private static final String START = "start";

    private final Gateway gateway;
    private final Runnable stop;
    private final Instant since = ProcessHandle.current().info().startInstant().orElseGet(Instant::now);
    private final String version = Versions.read().sigma();
    private final String conf;
    private final RunFolder folder;
    private final History history;
    private volatile StatusSources.@Nullable Configuration configuration;
    private volatile boolean draining;
    private @Nullable ControlSocket socket;

    private Steering(Gateway gateway, Runnable stop, RunWords words) {
        this.gateway = gateway;
        this.stop = stop;
        this.conf = words.conf() == null ? "" : AskedGateway.real(words.conf());
        this.folder = AskedGateway.folder(words.runDir());
        this.history = History.of(folder.history(), conf);
    }

    /**
     * Listens; who asks waits until {@link #serve}. Where it can't, it says so on the console.
     *
     * @param stop has the gateway end, as a signal does
     */
    static Steering open(Gateway gateway, Runnable stop, RunWords words, Console console) {
        Steering steering = new Steering(gateway, stop, words);
        try {
            Presence presence = Presence.ofProcess(steering.conf, steering.since, steering.version);
            steering.socket = ControlSocket.open(steering.folder, presence);
        } catch (SocketFault e) {
            console.err().println("warning: `sigma status` and others can't reach this gateway: " + e.text());
        }
        return steering;
    }

    /** Answers from now on, with this configuration as the first one. */
    void serve(List<FileText> files) {
        took(START, files);
        if (socket != null) {
            socket.serve(steered());
        }
    }

    /** What can be asked, by the word of the command. */
    private Map<String, Steered> steered() {
        Map<String, Steered> all = new LinkedHashMap<>();
        all.put("status", new StatusAnswer(sources()));
        all.put("stop", this::stop);
        all.put("log-level", new LogLevels());
        all.put("diff", this::diff);
        all.put("history", new HistoryAnswer(history));
        return all;
    }

    /**
     * A configuration took effect.
     *
     * @param who had it do so
     * @param files that it was read from, without those that only hold secrets
     */
    void took(String who, List<FileText> files) {
        StatusSources.Configuration before = configuration;
        List<String> names = files.stream().map(file -> file.path().toString()).toList();
        Instant now = Instant.now();
        configuration = new StatusSources.Configuration(
                before == null ? 1 : before.generation() + 1, FileText.hash(files), now, who, names);
        if (socket != null) {
            history.add(now, who, files);
        }
    }

    /** The files of what a gateway was started with. */
    static List<FileText> files(@Nullable Path conf, @Nullable Embedded embedded) {
        if (conf == null) {
            return embedded == null ? List.of() : List.of(new FileText(Path.of(Embedded.NAME), embedded.json()));
        }
        try {
            return List.of(new FileText(Path.of(AskedGateway.real(conf)), Files.readAllBytes(conf)));
        } catch (IOException e) {
            // It was there a moment ago, and holds: only what it said can't be kept.
            return List.of();
        }
    }

    private StatusSources sources() {
        return new StatusSources(
                version,
                since,
                () -> Objects.requireNonNull(configuration),
                this::listeners,
                gateway::connectionCount,
                gateway::upstreams,
                () -> draining);
    }

    private List<StatusSources.Listening> listeners() {
        List<? extends Listener> all = gateway.config().allListeners();
        List<InetSocketAddress> addresses = gateway.addresses();
        List<StatusSources.Listening> listening = new ArrayList<>();
        for (int i = 0; i < Math.min(all.size(), addresses.size()); i++) {
            Listener each = all.get(i);
            String authority = Wording.authority(each.host(), addresses.get(i).getPort());
            listening.add(new StatusSources.Listening(each.id(), Wording.scheme(each) + authority));
        }
        return listening;
    }

    private Answer stop(Asked asked) {
        stop.run();
        long millis = gateway.drain().toMillis();
        return new Answer("stopping\n", Map.of("drain_ms", millis));
    }

    private Answer diff(Asked asked) throws Refused {
        try {
            Setup setup = Setup.readToRun(Path.of(asked.text("conf")));
            SigmaConfig now = setup.config();
            setup.snapshot().close();
            Changes changes = ConfigDiff.between(gateway.config(), now);
            return new Answer(changes.text(), changes.json());
        } catch (Failure e) {
            throw new Refused(e.text().stripTrailing());
        }
    }

    /** The end was asked for. */
    void drains() {
        draining = true;
    }

    @Override
    public void close() {
        if (socket != null) {
            socket.close();
        }
    }
}
