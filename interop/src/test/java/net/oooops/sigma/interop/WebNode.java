package net.oooops.sigma.interop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.Step;

/** The node behind the gateway that the clients' cases are about. Fails when it is closed, where the gateway sent it what it must not. */
final class WebNode implements AutoCloseable {
    /** So many requests have to be here at once before any is answered. */
    static final int GATHERED = 50;

    /** As many as the clients expect. */
    private static final int NUMBERS = 30_000;

    private static final long GATHER_MAX_SECONDS = 15;

    private final Map<String, Gate> gates = new ConcurrentHashMap<>();
    private final Map<String, CountDownLatch> gatherings = new ConcurrentHashMap<>();
    private final BlockingQueue<String> results = new LinkedBlockingQueue<>();
    private final ScriptedUpstream node = ScriptedUpstream.start(this::answer);

    int port() {
        return node.port();
    }

    /** What the page in the browser found out. */
    BlockingQueue<String> results() {
        return results;
    }

    private Step answer(ReceivedRequest request) throws InterruptedException {
        int query = request.target().indexOf('?');
        String path = query < 0 ? request.target() : request.target().substring(0, query);
        int slash = path.indexOf('/', 1);
        String id = slash < 0 ? "" : path.substring(slash);
        return switch (slash < 0 ? path : path.substring(0, slash)) {
            case "/json" -> json();
            case "/echo" -> Answer.of(200).body(request.body());
            case "/empty" -> Answer.of(204);
            case "/events" -> events(gates.computeIfAbsent(id, key -> new Gate()));
            case "/go" -> go(gates.computeIfAbsent(id, key -> new Gate()));
            case "/gather" -> gather(gatherings.computeIfAbsent(id, key -> new CountDownLatch(GATHERED)));
            case "/cookies" -> cookies(request.headers().values("Cookie"));
            case "/trailers" -> trailers();
            case "/numbers" -> numbers();
            case "/page", "/codings" -> page();
            case "/results" -> {
                results.add(new String(request.body(), StandardCharsets.UTF_8));
                yield Answer.of(204);
            }
            default -> Answer.of(404).body("missing");
        };
    }

    private static Answer json() {
        return Answer.ok("{\"name\": \"sigma\"}").header("Content-Type", "application/json");
    }

    /** The first event at once, the last one only when another request has said that the first one came. */
    private static Script events(Gate gate) {
        return Script.script()
                .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
                .send("d\r\ndata: first\n\n\r\n")
                .stall(gate)
                .send("c\r\ndata: last\n\n\r\n0\r\n\r\n");
    }

    private static Answer go(Gate gate) {
        gate.release();
        return Answer.of(204);
    }

    private static Answer gather(CountDownLatch missing) throws InterruptedException {
        missing.countDown();
        boolean all = missing.await(GATHER_MAX_SECONDS, TimeUnit.SECONDS);
        return all
                ? Answer.ok("all")
                : Answer.of(503).body(missing.getCount() + " of " + GATHERED + " requests did not come meanwhile");
    }

    /** How many fields there are, which is one (RFC 9113 section 8.2.3), and what stands there. */
    private static Answer cookies(List<String> values) {
        return Answer.ok(values.size() + "\n" + String.join("\n", values))
                .header("Set-Cookie", "first=1; Path=/")
                .header("Set-Cookie", "second=2; Path=/");
    }

    private static Answer trailers() {
        return Answer.ok("with trailers")
                .chunked(4)
                .header("Trailer", "X-Checksum")
                .trailer("X-Checksum", "1234");
    }

    /** Text that packs, and that clients know without having it. */
    private static Answer numbers() {
        String lines = IntStream.range(0, NUMBERS).mapToObj(String::valueOf).collect(Collectors.joining("\n"));
        return Answer.ok(lines).header("Content-Type", "text/plain");
    }

    private static Answer page() {
        try {
            return Answer.of(200)
                    .header("Content-Type", "text/html; charset=utf-8")
                    .body(Files.readAllBytes(Tool.scripts().resolve("page.html")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        node.close();
    }
}
