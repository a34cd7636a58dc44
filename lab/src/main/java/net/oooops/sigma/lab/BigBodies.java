package net.oooops.sigma.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;

/**
 * Sends bodies much larger than the gateway's memory up and down through a gateway process, with Content-Length and chunked, and
 * compares their hashes at both ends. Prints how long each took and how large the process ever was.
 *
 * <p>Run as {@code java -cp testkit/target/classes BigBodies.java [GIBIBYTES [COMMAND...]]}, by default 10 and {@code ./sigma run}.
 * Exits with 1 where a body came through changed, or the process grew beyond {@link #RESIDENT_BYTES_MAX}.
 */
public final class BigBodies {
    private static final long RESIDENT_BYTES_MAX = 256L << 20;
    private static final long GIBI = 1L << 30;
    private static final int CHUNK_BYTES = 100_000;
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final GeneratedBody body;
    private final int port;
    private final Process gateway;
    private boolean held = true;

    private BigBodies(GeneratedBody body, int port, Process gateway) {
        this.body = body;
        this.port = port;
        this.gateway = gateway;
    }

    /** Runs all transfers, one after the other. */
    public static void main(String[] arguments) throws Exception {
        long bytes = (arguments.length == 0 ? 10 : Long.parseLong(arguments[0])) * GIBI;
        List<String> command = arguments.length < 2
                ? List.of("./sigma", "run")
                : List.of(arguments).subList(1, arguments.length);
        GeneratedBody body = GeneratedBody.of(1, bytes);
        int port = FreePorts.one();
        Path folder = Files.createTempDirectory("sigma-bodies");
        boolean held;
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                UpstreamOptions.defaults().withRequestsKept(0), request -> answer(request, body))) {
            Process gateway = start(command, folder, port, upstream.url());
            try {
                held = new BigBodies(body, port, gateway).run();
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
            default -> Answer.ok(request.bodySha256());
        };
    }

    private static Process start(List<String> command, Path folder, int port, String node) throws IOException {
        Path config = folder.resolve("sigma.json");
        Files.writeString(config, """
                {
                  "proxy-server": {"http": {"id": "main", "host": "127.0.0.1", "port": %d}},
                  "router": [{"id": "all", "proxy-server-id": "main", "route": [{"id": "all", "path": "/*", "proxy-pass-id": "all"}]}],
                  "proxy-pass": [{"id": "all", "upstream-id": "all"}],
                  "upstream": [{"id": "all", "discovery": "static-config", "nodes": ["%s"]}]
                }
                """.formatted(port, node));
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

    private boolean run() throws IOException {
        String hash = body.sha256();
        System.out.printf(Locale.ROOT, "%d bytes each%n", body.bytes());
        System.out.println("| transfer | seconds | MiB/s | whole | largest resident so far, MiB |");
        System.out.println("|---|---|---|---|---|");
        transfer(
                "down, Content-Length",
                client -> client.send(get("/down")).readResponse().bodySha256().equals(hash));
        transfer(
                "down, chunked",
                client -> client.send(get("/down-chunked"))
                        .readResponse()
                        .bodySha256()
                        .equals(hash));
        transfer(
                "up, Content-Length",
                client -> isHash(
                        client.send(post("Content-Length: " + body.bytes()))
                                .send(body)
                                .readResponse(),
                        hash));
        transfer(
                "up, chunked",
                client -> isHash(
                        client.send(post("Transfer-Encoding: chunked"))
                                .sendChunked(body, CHUNK_BYTES)
                                .readResponse(),
                        hash));
        if (residentBytesMax() > RESIDENT_BYTES_MAX) {
            System.out.printf("largest resident: %d bytes (expected: <= %d)%n", residentBytesMax(), RESIDENT_BYTES_MAX);
            held = false;
        }
        return held;
    }

    /** What is sent and compared. */
    private interface Transfer {
        boolean isWhole(RawClient client) throws IOException;
    }

    private void transfer(String name, Transfer transfer) throws IOException {
        long from = System.nanoTime();
        boolean whole;
        try (RawClient client = RawClient.connect(port).deadline(PATIENCE)) {
            whole = transfer.isWhole(client);
        }
        double seconds = (System.nanoTime() - from) / 1e9;
        held &= whole;
        System.out.printf(
                Locale.ROOT,
                "| %s | %.1f | %.0f | %s | %.1f |%n",
                name,
                seconds,
                body.bytes() / seconds / (1 << 20),
                whole ? "yes" : "NO",
                residentBytesMax() / (double) (1 << 20));
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
