package net.oooops.sigma.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;

/**
 * Sends bodies much larger than the gateway's memory up and down through a gateway process, with Content-Length and chunked, then has
 * thousands of clients ask for one each that read only when all have asked, and compares hashes. Prints how long each took and how large
 * the process ever was.
 *
 * <p>Run as {@code java -cp testkit/target/classes BigBodies.java [GIBIBYTES [CLIENTS [COMMAND...]]]}, by default 10, 4000 and {@code
 * ./sigma run}; {@code -Dtransport=io_uring} says which transport. Exits with 1 where a body came through changed, another request had to
 * wait for {@link #OTHERS_PATIENCE} while nobody read, or the process grew beyond {@link #RESIDENT_BYTES_MAX}. Needs two open files for
 * each client, here and in the gateway.
 */
public final class BigBodies {
    private static final long RESIDENT_BYTES_MAX = 256L << 20;
    private static final long GIBI = 1L << 30;
    private static final int CHUNK_BYTES = 100_000;
    private static final int EACH_BYTES = 256 << 10;
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration OTHERS_PATIENCE = Duration.ofSeconds(2);
    private static final int OTHERS = 100;
    /** With less, a connection waits for its kernels most of the time. */
    private static final int CLIENT_BUFFER_BYTES = 32 << 10;

    private final GeneratedBody body;
    private final int clients;
    private final int port;
    private final Process gateway;
    private boolean held = true;

    private BigBodies(GeneratedBody body, int clients, int port, Process gateway) {
        this.body = body;
        this.clients = clients;
        this.port = port;
        this.gateway = gateway;
    }

    /** Runs all transfers, one after the other. */
    public static void main(String[] arguments) throws Exception {
        long bytes = (arguments.length == 0 ? 10 : Long.parseLong(arguments[0])) * GIBI;
        int clients = arguments.length < 2 ? 4000 : Integer.parseInt(arguments[1]);
        List<String> command = arguments.length < 3
                ? List.of("./sigma", "run")
                : List.of(arguments).subList(2, arguments.length);
        GeneratedBody body = GeneratedBody.of(1, bytes);
        int port = FreePorts.one();
        Path folder = Files.createTempDirectory("sigma-bodies");
        boolean held;
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                UpstreamOptions.defaults().withRequestsKept(0), request -> answer(request, body))) {
            Process gateway = start(command, folder, port, upstream.url());
            try {
                held = new BigBodies(body, clients, port, gateway).run();
            } finally {
                gateway.destroy();
                gateway.waitFor();
            }
        }
        System.exit(held ? 0 : 1);
    }

    private static Answer answer(ReceivedRequest request, GeneratedBody body) {
        return switch (request.target()) {
            case "/down" -> Answer.ok("").body(body);
            case "/down-chunked" -> Answer.ok("").body(body).chunked(CHUNK_BYTES);
            case "/up" -> Answer.ok(request.bodySha256());
            case "/" -> Answer.ok("");
            default -> Answer.ok("").body(each(Integer.parseInt(request.target().substring(1))));
        };
    }

    private static GeneratedBody each(int client) {
        return GeneratedBody.of(client, EACH_BYTES);
    }

    private static Process start(List<String> command, Path folder, int port, String node) throws IOException {
        Path config = folder.resolve("sigma.json");
        Files.writeString(config, """
                {
                  "proxy-server": {"http": {"id": "main", "host": "127.0.0.1", "port": %d}},
                  "router": [{"id": "all", "proxy-server-id": "main", "route": [{"id": "all", "path": "/*", "proxy-pass-id": "all"}]}],
                  "proxy-pass": [{"id": "all", "upstream-id": "all"}],
                  "upstream": [{"id": "all", "discovery": "static-config", "nodes": ["%s"]}],
                  "proxy-client": {"max-pool-size-per-server": 10000},
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
        Await.until("the gateway listens", Duration.ofMinutes(3), () -> listens(port, gateway));
        return gateway;
    }

    private static boolean listens(int port, Process gateway) {
        if (!gateway.isAlive()) {
            throw new AssertionError("the gateway ended with " + gateway.exitValue());
        }
        try (RawClient client = RawClient.connect(port)) {
            return client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                            .readResponse()
                            .status()
                    == 200;
        } catch (IOException | AssertionError _) {
            return false;
        }
    }

    private boolean run() throws Exception {
        String hash = body.sha256();
        System.out.printf(Locale.ROOT, "%d bytes each%n", body.bytes());
        System.out.println("| transfer | seconds | MiB/s | whole | gateway's CPU, s | largest resident so far, MiB |");
        System.out.println("|---|---|---|---|---|---|");
        single(
                "down, Content-Length",
                client -> client.send(get("/down")).readResponse().bodySha256().equals(hash));
        single(
                "down, chunked",
                client -> client.send(get("/down-chunked"))
                        .readResponse()
                        .bodySha256()
                        .equals(hash));
        single(
                "up, Content-Length",
                client -> isHash(
                        client.send(post("Content-Length: " + body.bytes()))
                                .send(body)
                                .readResponse(),
                        hash));
        single(
                "up, chunked",
                client -> isHash(
                        client.send(post("Transfer-Encoding: chunked"))
                                .sendChunked(body, CHUNK_BYTES)
                                .readResponse(),
                        hash));
        measured(
                "down, 256 KiB to each of " + clients + " that read when all have asked",
                (long) clients * EACH_BYTES,
                this::allRead);
        if (residentBytesMax() > RESIDENT_BYTES_MAX) {
            System.out.printf("largest resident: %d bytes (expected: <= %d)%n", residentBytesMax(), RESIDENT_BYTES_MAX);
            held = false;
        }
        return held;
    }

    /** What is sent on a connection and compared. */
    private interface Transfer {
        boolean isWhole(RawClient client) throws IOException;
    }

    /** What is sent and compared. */
    private interface Transfers {
        boolean areWhole() throws Exception;
    }

    private void single(String name, Transfer transfer) throws Exception {
        measured(name, body.bytes(), () -> {
            try (RawClient client = RawClient.connect(port).deadline(PATIENCE)) {
                return transfer.isWhole(client);
            }
        });
    }

    private void measured(String name, long bytes, Transfers transfers) throws Exception {
        double cpuBefore = cpuSeconds();
        long from = System.nanoTime();
        boolean whole = transfers.areWhole();
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

    /** Nobody reads before all have asked, and others were answered all the same. */
    private boolean allRead() throws Exception {
        List<RawClient> asking = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            asking.add(RawClient.connect(port, ClientOptions.defaults().withReceiveBufferBytes(CLIENT_BUFFER_BYTES))
                    .deadline(PATIENCE)
                    .send(get("/" + i)));
        }
        boolean othersServed = othersAreServed();
        CountDownLatch done = new CountDownLatch(clients);
        AtomicInteger whole = new AtomicInteger();
        for (int i = 0; i < clients; i++) {
            int number = i;
            Thread.ofVirtual().start(() -> {
                try (RawClient client = asking.get(number)) {
                    String hash = client.readResponse().bodySha256();
                    whole.addAndGet(hash.equals(each(number).sha256()) ? 1 : 0);
                } catch (IOException | AssertionError e) {
                    System.out.println("client " + number + ": " + e.getMessage());
                } finally {
                    done.countDown();
                }
            });
        }
        boolean ended = done.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        System.out.printf("%d of %d bodies whole%n", whole.get(), clients);
        return ended && othersServed && whole.get() == clients;
    }

    private boolean othersAreServed() throws IOException {
        double[] millis = new double[OTHERS];
        for (int i = 0; i < OTHERS; i++) {
            long from = System.nanoTime();
            try (RawClient other = RawClient.connect(port).deadline(PATIENCE)) {
                if (other.send(get("/")).readResponse().status() != 200) {
                    return false;
                }
            }
            millis[i] = (System.nanoTime() - from) / 1e6;
        }
        Arrays.sort(millis);
        System.out.printf(
                Locale.ROOT,
                "while nobody reads, another request takes %.1f ms (median), %.1f at most%n",
                millis[OTHERS / 2],
                millis[OTHERS - 1]);
        return millis[OTHERS - 1] < OTHERS_PATIENCE.toMillis();
    }

    private static boolean isHash(RawResponse response, String hash) {
        return response.status() == 200 && response.bodyText().equals(hash);
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n";
    }

    private static String post(String framing) {
        return "POST /up HTTP/1.1\r\nHost: a\r\n" + framing + "\r\n\r\n";
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
