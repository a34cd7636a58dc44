package net.oooops.sigma.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.ChangedRecord;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.RedisConfig;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;

/** Debian's redis-server on the loopback: everything that it knows is on its command line, and it keeps nothing. */
public final class RedisServer implements AutoCloseable {
    private static final Path PROGRAM = Path.of("/usr/bin/redis-server");

    /** For a machine that others stall. */
    private static final RedisConfig.Bounds PATIENT =
            ChangedRecord.with(RedisConfig.Bounds.DEFAULT, "commandTimeoutNanos", TimeUnit.SECONDS.toNanos(3));

    private final int port;
    private final List<String> words;
    private Process process;
    private int ownCount;

    private RedisServer(int port, List<String> words) {
        this.port = port;
        this.words = words;
        this.process = run();
    }

    /**
     * Starts it; it answers when this returns. Leaves the test out where it isn't installed; with {@code SIGMA_CI} set it fails then.
     *
     * @param more options of redis-server
     */
    public static RedisServer start(String... more) {
        int port = FreePorts.one();
        return start(port, "--port", port, more);
    }

    /** The same over TLS alone. */
    static RedisServer startEncrypted(String... more) {
        int port = FreePorts.one();
        return start(port, "--tls-port", port, more);
    }

    private static RedisServer start(int port, String option, int at, String... more) {
        Needed.here(Files.isExecutable(PROGRAM), "redis-server is installed (Debian: redis-server)");
        List<String> words = new ArrayList<>(List.of(
                PROGRAM.toString(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", "/tmp"));
        if (!option.equals("--port")) {
            words.addAll(List.of("--port", "0"));
        }
        words.addAll(List.of(option, Integer.toString(at)));
        words.addAll(List.of(more));
        return new RedisServer(port, words);
    }

    private Process run() {
        try {
            Process started = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Await.until("redis-server listens", this::isListening);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isListening() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            ownCount++;
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    public int port() {
        return port;
    }

    NodeConfig node() {
        return new NodeConfig("127.0.0.1", port, 1);
    }

    /** What sigma.json would say of it, with nothing else said. */
    public RedisConfig config(String id) {
        return config(id, PATIENT);
    }

    RedisConfig config(String id, RedisConfig.Bounds bounds) {
        return new RedisConfig(id, List.of(node()), RedisConfig.User.NONE, 0, null, bounds);
    }

    /** Sends a command in one line, as in telnet, and gives the first line of its answer. */
    public String ask(String command) {
        ownCount++;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) Await.DEADLINE.toMillis());
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            StringBuilder line = new StringBuilder();
            int next = socket.getInputStream().read();
            while (next >= 0 && next != '\r') {
                line.append((char) next);
                next = socket.getInputStream().read();
            }
            return line.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same, and gives the text that it answers with. */
    public String all(String command) {
        ownCount++;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) Await.DEADLINE.toMillis());
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            StringBuilder length = new StringBuilder();
            int next = socket.getInputStream().read();
            while (next != '\n') {
                length.append((char) next);
                next = socket.getInputStream().read();
            }
            int bytes = Integer.parseInt(length.substring(1).strip());
            return new String(socket.getInputStream().readNBytes(bytes), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many connections this has made: Redis counts them, too. */
    int ownCount() {
        return ownCount;
    }

    /** SIGSTOP: it keeps its connections, takes new ones, and says nothing. */
    public void stall() {
        signal("-STOP");
    }

    /** SIGCONT. */
    public void goOn() {
        signal("-CONT");
    }

    private void signal(String name) {
        try {
            int exit = new ProcessBuilder("kill", name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new AssertionError("kill " + name + ": exit " + exit);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** SIGKILL. */
    public void kill() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new AssertionError("redis-server doesn't end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Another one, which knows nothing, at the same port. */
    public void startAgain() {
        process = run();
    }

    @Override
    public void close() {
        kill();
    }
}
