package net.oooops.sigma.lab;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;

/**
 * Sends much more than the gateway's memory up and down one session of TCP, then something through thousands of sessions at once, and
 * compares hashes. Prints how long each took and how large the gateway's process ever was.
 *
 * <p>Run as {@code java -cp testkit/target/classes BigSessions.java [GIBIBYTES [SESSIONS [COMMAND...]]]}, by default 10, 4000 and {@code
 * ./sigma run}; {@code -Dtransport=io_uring} says which transport. Exits with 1 where bytes came through changed, or the process grew beyond {@link #RESIDENT_BYTES_MAX}. Needs two open
 * files for each session, here and in the gateway.
 */
public final class BigSessions {
    private static final long RESIDENT_BYTES_MAX = 320L << 20;
    private static final long GIBI = 1L << 30;
    private static final int EACH_BYTES = 256 << 10;
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final GeneratedBody body;
    private final int sessions;
    private final int port;
    private final RawServer node;
    private final Process gateway;
    private boolean held = true;

    private BigSessions(GeneratedBody body, int sessions, int port, RawServer node, Process gateway) {
        this.body = body;
        this.sessions = sessions;
        this.port = port;
        this.node = node;
        this.gateway = gateway;
    }

    /** Runs all transfers, one after the other. */
    public static void main(String[] arguments) throws Exception {
        long bytes = (arguments.length == 0 ? 10 : Long.parseLong(arguments[0])) * GIBI;
        int sessions = arguments.length < 2 ? 4000 : Integer.parseInt(arguments[1]);
        List<String> command = arguments.length < 3
                ? List.of("./sigma", "run")
                : List.of(arguments).subList(2, arguments.length);
        int port = FreePorts.one();
        boolean held;
        try (RawServer node = RawServer.start()) {
            Process gateway = start(command, port, node.port());
            try {
                held = new BigSessions(GeneratedBody.of(1, bytes), sessions, port, node, gateway).run();
            } finally {
                gateway.destroy();
                gateway.waitFor();
            }
        }
        System.exit(held ? 0 : 1);
    }

    private static Process start(List<String> command, int port, int node) throws IOException {
        Path folder = Files.createTempDirectory("sigma-sessions");
        Path config = folder.resolve("sigma.json");
        Files.writeString(config, """
                {
                  "proxy-server": {"tcp": [{"id": "main", "host": "127.0.0.1", "port": %d, "proxy-pass-id": "all"}]},
                  "proxy-pass": [{"id": "all", "upstream-id": "all"}],
                  "upstream": [{"id": "all", "nodes": ["tcp://127.0.0.1:%d"]}],
                  "runtime": {"transport": "%s"}
                }
                """.formatted(port, node, System.getProperty("transport", "auto")));
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of("-conf", config.toString(), "-instance", "1"));
        Path log = folder.resolve("log");
        Process gateway = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        System.out.println("started: " + String.join(" ", words) + " (log: " + log + ")");
        Await.until("the gateway listens", Duration.ofMinutes(3), () -> listens(log, gateway));
        return gateway;
    }

    private static boolean listens(Path log, Process gateway) {
        if (!gateway.isAlive()) {
            throw new AssertionError("the gateway ended with " + gateway.exitValue());
        }
        try {
            return Files.readString(log).contains("listens on");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private boolean run() throws Exception {
        System.out.println("| transfer | seconds | MiB/s | whole | gateway's CPU, s | largest resident so far, MiB |");
        System.out.println("|---|---|---|---|---|---|");
        body.sha256();
        measured("up, one session", body.bytes(), () -> isWhole(true));
        measured("down, one session", body.bytes(), () -> isWhole(false));
        measured("up and back, " + sessions + " sessions", 2L * sessions * EACH_BYTES, this::areWhole);
        if (residentBytesMax() > RESIDENT_BYTES_MAX) {
            System.out.printf("largest resident: %d bytes (expected: <= %d)%n", residentBytesMax(), RESIDENT_BYTES_MAX);
            held = false;
        }
        return held;
    }

    /** What is sent and compared. */
    private interface Transfer {
        boolean isWhole() throws Exception;
    }

    private void measured(String name, long bytes, Transfer transfer) throws Exception {
        double cpuBefore = cpuSeconds();
        long from = System.nanoTime();
        boolean whole = transfer.isWhole();
        double seconds = (System.nanoTime() - from) / 1e9;
        held &= whole;
        System.out.printf(
                Locale.ROOT,
                "| %s | %.1f | %.0f | %s | %.1f | %.1f |%n",
                name,
                seconds,
                bytes / seconds / (1 << 20),
                whole ? "yes" : "NO",
                cpuSeconds() - cpuBefore,
                residentBytesMax() / (double) (1 << 20));
    }

    private boolean isWhole(boolean up) throws Exception {
        try (RawClient client = RawClient.connect(port);
                RawClient server = node.accept()) {
            RawClient from = up ? client : server;
            Socket to = (up ? server : client).socket();
            CompletableFuture<String> received = CompletableFuture.supplyAsync(
                    () -> hash(to), task -> Thread.ofPlatform().start(task));
            from.deadline(PATIENCE).send(body).halfClose();
            return received.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).equals(body.sha256());
        }
    }

    /** All sessions are open before any byte is sent; what each sends comes back, and is compared. */
    private boolean areWhole() throws Exception {
        CountDownLatch open = new CountDownLatch(2 * sessions);
        CountDownLatch done = new CountDownLatch(sessions);
        AtomicInteger whole = new AtomicInteger();
        for (int i = 0; i < sessions; i++) {
            RawClient client = RawClient.connect(port);
            RawClient server = node.accept();
            GeneratedBody mine = GeneratedBody.of(i, EACH_BYTES);
            Thread.ofVirtual().start(() -> echo(server, open));
            Thread.ofVirtual().start(() -> {
                whole.addAndGet(comesBack(client, mine, open) ? 1 : 0);
                done.countDown();
            });
        }
        boolean ended = done.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        System.out.printf("%d of %d sessions whole%n", whole.get(), sessions);
        return ended && whole.get() == sessions;
    }

    private static void echo(RawClient server, CountDownLatch open) {
        open.countDown();
        try (server) {
            InputStream in = server.socket().getInputStream();
            OutputStream out = server.socket().getOutputStream();
            in.transferTo(out);
            server.halfClose();
        } catch (IOException e) {
            System.out.println("node: " + e);
        }
    }

    private static boolean comesBack(RawClient client, GeneratedBody mine, CountDownLatch open) {
        open.countDown();
        try (client) {
            open.await();
            Thread sending = Thread.ofVirtual().start(() -> {
                try {
                    client.deadline(PATIENCE).send(mine).halfClose();
                } catch (IOException e) {
                    System.out.println("client: " + e);
                }
            });
            String hash = hash(client.socket());
            sending.join();
            return hash.equals(mine.sha256());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String hash(Socket at) {
        byte[] part = new byte[16 << 10];
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            InputStream in = at.getInputStream();
            for (int count = in.read(part); count >= 0; count = in.read(part)) {
                digest.update(part, 0, count);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException | NoSuchAlgorithmException e) {
            return String.valueOf(e);
        }
    }

    private double cpuSeconds() {
        Optional<Duration> cpu = gateway.info().totalCpuDuration();
        return cpu.map(Duration::toMillis).orElse(0L) / 1e3;
    }

    /** VmHWM: the most that the process ever had in memory. */
    private long residentBytesMax() throws IOException {
        return Arrays.stream(Files.readString(Path.of("/proc/" + gateway.pid() + "/status"))
                        .split("\n", -1))
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                .findFirst()
                .orElseThrow();
    }
}
