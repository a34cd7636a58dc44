package net.oooops.sigma.control.upgrade;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.control.socket.RunFolder;
import net.oooops.sigma.control.socket.SocketFault;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.names.LastAnswers;
import net.oooops.sigma.snapshot.Left;
import net.oooops.sigma.upstream.SteeredNodes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process that this one has started to take its place. Where that doesn't come to pass it is ended, and nothing has changed.
 *
 * <p>One thread at a time, but {@link #end}; all else waits.
 */
public final class Successor implements AutoCloseable {
    private static final int SIGNALS = 128;
    private static final Logger LOG = LoggerFactory.getLogger(Successor.class);

    private final Process process;
    private final Line line;
    private final String version;
    private final long pid;
    private State state = State.SERVES;
    /** What operators have said, as it has told last; null where it hasn't. */
    private @Nullable Map<String, @Nullable Object> told;

    private @Nullable String unreachable;

    private Successor(Process process, Line line, String version, long pid) {
        this.process = process;
        this.line = line;
        this.version = version;
        this.pid = pid;
    }

    /**
     * Starts it, and waits until it has come. It has this process's folder, environment, input and outputs.
     *
     * @param folder in which both meet
     * @param command with its words
     * @param limit for that
     * @param ending whether it isn't wanted any more
     * @throws StartException where it doesn't come; it is ended then
     */
    public static Successor start(RunFolder folder, List<String> command, Duration limit, BooleanSupplier ending)
            throws StartException {
        Process process = null;
        try {
            folder.make();
            Path path = folder.next();
            try (Line.Waiting waiting = Line.listen(path)) {
                Process started = started(command, path);
                process = started;
                Line line = waiting.accept(limit, () -> ending.getAsBoolean() || !started.isAlive());
                if (line == null && started.isAlive()) {
                    throw new StartException("the gateway is stopping", new IllegalStateException("stopping"));
                }
                if (line == null) {
                    throw new StartException(
                            command.getFirst() + ": " + end(started.exitValue()) + " before it had begun"
                                    + " (what it said is in the output of this gateway)",
                            new IllegalStateException("ended"));
                }
                return greeted(started, line, limit);
            }
        } catch (StartException e) {
            throw endedBy(process, String.valueOf(e.getMessage()), e);
        } catch (SocketTimeoutException e) {
            throw endedBy(process, command.getFirst() + ": hasn't begun within " + limit.toSeconds() + " s", e);
        } catch (IOException e) {
            throw endedBy(process, String.valueOf(e.getMessage()), e);
        } catch (SocketFault e) {
            throw endedBy(process, e.text(), e);
        }
    }

    /** As the JDK has it for what a signal has ended, and the shell. */
    private static String end(int exitValue) {
        return exitValue > SIGNALS ? "ended by signal " + (exitValue - SIGNALS) : "ended with " + exitValue;
    }

    private static Process started(List<String> command, Path path) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().put(Said.ENVIRONMENT, path.toString());
        // These were for this process alone: sd_listen_fds(3).
        List.of("LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "LISTEN_PIDFDID").forEach(builder.environment()::remove);
        return builder.start();
    }

    private static Successor greeted(Process process, Line line, Duration limit) throws IOException, StartException {
        Map<String, @Nullable Object> hello = line.receive(limit);
        if (hello != null && hello.containsKey(Said.FAILED)) {
            line.close();
            throw cannotStart(hello);
        }
        if (hello == null || !Integer.valueOf(Said.VERSION).equals(hello.get(Said.PROTOCOL))) {
            line.close();
            throw new IOException("the new process says " + hello + " (expected: protocol " + Said.VERSION + ")");
        }
        long pid = hello.get(Said.PID) instanceof Number number ? number.longValue() : process.pid();
        return new Successor(process, line, String.valueOf(hello.get(Said.HELLO)), pid);
    }

    /** And what it has started: a launcher may still be there. */
    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private static StartException endedBy(@Nullable Process process, String why, Throwable cause) {
        if (process != null) {
            kill(process);
        }
        return new StartException(why, cause);
    }

    /** Its number. */
    public long pid() {
        return pid;
    }

    /** Of its Sigma. */
    public String version() {
        return version;
    }

    /** Once it serves: why commands don't reach it; null where they do. */
    public @Nullable String unreachable() {
        return unreachable;
    }

    /**
     * Passes sockets on, which stay this process's, too.
     *
     * @param first of the processes that have followed each other
     * @param left by plugins to those of the new process
     */
    public void pass(List<PassedSocket> sockets, String first, List<Left> left) throws StartException {
        try {
            Map<String, Object> message = new LinkedHashMap<>();
            message.put(Said.PROTOCOL, Said.VERSION);
            message.put(Said.FIRST, first);
            message.put(
                    Said.LISTENERS,
                    sockets.stream().map(PassedSocket::listenerId).toList());
            message.put(Said.PLUGINS, PluginWords.of(left));
            line.send(message, Said.SOON);
            for (PassedSocket each : sockets) {
                line.pass(each.descriptor(), Said.SOON);
            }
        } catch (IOException e) {
            throw gone(e);
        }
    }

    /** Waits until it has answered a request of its own. */
    public void awaitReady(Duration limit) throws StartException {
        await(Said.READY, limit);
    }

    /**
     * It may have what only one of both may; waits until it serves.
     *
     * @param steered it is told what operators have said; they are asked no more here
     * @param answers it is told what name servers have said, who may say nothing to it
     */
    public void letServe(Duration limit, SteeredNodes steered, LastAnswers answers) throws StartException {
        try {
            Map<String, Object> message = new LinkedHashMap<>();
            message.put(Said.YOURS, true);
            message.putAll(OperatorWords.of(steered));
            message.putAll(NameWords.of(answers.all()));
            line.send(message, Said.SOON);
        } catch (IOException e) {
            throw gone(e);
        }
        Map<String, @Nullable Object> serving = await(Said.SERVING, limit);
        unreachable = serving.get(Said.UNREACHABLE) instanceof String why ? why : null;
        hear(serving);
    }

    private Map<String, @Nullable Object> await(String word, Duration limit) throws StartException {
        Map<String, @Nullable Object> said;
        try {
            said = line.receive(limit);
        } catch (SocketTimeoutException e) {
            throw new StartException("the new process isn't " + word + " within " + limit.toSeconds() + " s", e);
        } catch (IOException e) {
            throw gone(e);
        }
        if (said == null) {
            throw gone(new IOException("its end"));
        }
        if (!said.containsKey(word)) {
            throw cannotStart(said);
        }
        return said;
    }

    private static StartException cannotStart(Map<String, @Nullable Object> said) {
        return new StartException(
                "the new process can't start: " + said.get(Said.FAILED), new IllegalStateException("failed"));
    }

    private StartException gone(IOException cause) {
        return new StartException("the new process has ended before it served (" + cause.getMessage() + ")", cause);
    }

    /** What is known of it once it serves. */
    public enum State {
        SERVES,
        /** Another one serves in its place: what becomes of it doesn't matter any more. */
        REPLACED,
        /** It ends, as somebody has asked it to, and whoever serves beside it is to end, too. */
        STOPPED,
        /** It has ended as it shouldn't. */
        GONE
    }

    /** How it stands. */
    public State state() {
        try {
            Map<String, @Nullable Object> said = line.heard();
            while (said != null) {
                hear(said);
                said = line.heard();
            }
        } catch (IOException e) {
            state = state == State.SERVES ? State.GONE : state;
        }
        return state;
    }

    private void hear(Map<String, @Nullable Object> said) {
        if (said.containsKey(Said.ENDED)) {
            state = Said.UPGRADE.equals(said.get(Said.ENDED)) ? State.REPLACED : State.STOPPED;
        } else if (OperatorWords.isIn(said)) {
            told = said;
        }
    }

    /**
     * What operators had said to it holds here.
     *
     * @return whether that is known: versions before this one don't tell
     */
    public boolean takeWords(SteeredNodes steered) {
        Map<String, @Nullable Object> last = told;
        if (last != null) {
            OperatorWords.hear(last, steered);
            LOG.info("what operators said to pid {} holds here: {}", pid(), OperatorWords.text(last));
        }
        return last != null;
    }

    /** Ends it at once. Any thread. */
    public void end() {
        kill(process);
    }

    /** The same, and waits until it has ended: what only one process may have is free then. */
    public void endAndWait() {
        end();
        try {
            process.waitFor(Said.SOON.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        line.close();
    }
}
