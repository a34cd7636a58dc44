package net.oooops.sigma.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A DNS client of Debian's, dig, asks a DNS server of Debian's, dnsmasq, through a gateway. Where they aren't installed this is left
 * out, but with {@code SIGMA_CI} set, as by {@code .ci/run}, it fails then.
 */
@Tag("long")
@ParameterizedClass
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
class DnsTest {
    private static final int NAMES = 60;
    private static final int AT_ONCE = 8;
    /** Somebody else may take a port before the server does. */
    private static final int TRIES = 8;

    /** More than fits into one packet of Ethernet. */
    private static final String LONG_TEXT = "x".repeat(250);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path dir;

    private static final List<Process> SERVERS = new ArrayList<>();
    private static final List<Integer> PORTS = new ArrayList<>();

    private final Transport transport;

    DnsTest(Transport transport) {
        this.transport = transport;
    }

    @BeforeAll
    static void startServers() throws Exception {
        boolean installed = isInstalled("dig") && isInstalled("dnsmasq");
        Needed.here(installed, "dig and dnsmasq are installed (Debian: bind9-dnsutils, dnsmasq-base)");
        for (int i = 0; i < TRIES && PORTS.size() < 2; i++) {
            int port = freePort();
            Process server = server(port);
            SERVERS.add(server);
            String answer = Await.value(
                    "what dnsmasq answers on " + port,
                    () -> server.isAlive() ? dig(port, "host0.test.example", "A") : "ended",
                    text -> text.equals("ended") || text.contains("10.7.0.0"));
            if (!answer.equals("ended")) {
                PORTS.add(port);
            }
        }
        assertThat(PORTS)
                .as("dnsmasq: " + Files.readString(dir.resolve("dnsmasq.log")))
                .hasSize(2);
    }

    @AfterAll
    static void stopServers() throws InterruptedException {
        for (Process server : SERVERS) {
            server.destroy();
            if (!server.waitFor(5, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        }
        SERVERS.clear();
        PORTS.clear();
    }

    private static boolean isInstalled(String program) {
        for (String folder : (System.getenv("PATH") + ":/usr/sbin").split(":", -1)) {
            if (Files.isExecutable(Path.of(folder, program))) {
                return true;
            }
        }
        return false;
    }

    /** It is free for TCP too: the server takes both. */
    private static int freePort() throws IOException {
        try (ServerSocket tcp = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                RawUdp udp = RawUdp.at("127.0.0.1", tcp.getLocalPort())) {
            return udp.port();
        }
    }

    /** Everything that it knows is on its command line; it reads no file and asks nobody. */
    private static Process server(int port) throws IOException {
        String program = Files.isExecutable(Path.of("/usr/sbin/dnsmasq")) ? "/usr/sbin/dnsmasq" : "dnsmasq";
        List<String> words = new ArrayList<>(List.of(
                program,
                "--no-daemon",
                "--conf-file=/dev/null",
                "--no-resolv",
                "--no-hosts",
                "--no-poll",
                "--user=" + System.getProperty("user.name"),
                "--group=",
                "--pid-file=",
                "--bind-interfaces",
                "--listen-address=127.0.0.1",
                "--edns-packet-max=8192",
                "--port=" + port));
        for (int i = 0; i < NAMES; i++) {
            words.add("--host-record=host" + i + ".test.example,10.7.0." + i + ",fd00:7::" + Integer.toHexString(i));
        }
        words.add("--mx-host=test.example,host1.test.example,10");
        for (int i = 0; i < 10; i++) {
            words.add("--txt-record=long.test.example," + i + LONG_TEXT);
        }
        return new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        dir.resolve("dnsmasq.log").toFile()))
                .start();
    }

    /** What dig says: the answers, sorted, or why there is none. */
    private static String dig(int port, String name, String type, String... options) {
        List<String> words = new ArrayList<>(List.of(
                "dig",
                "@127.0.0.1",
                "-p",
                String.valueOf(port),
                "+noall",
                "+answer",
                "+comments",
                "+tries=5",
                "+time=2"));
        words.addAll(List.of(options));
        words.addAll(List.of(name, type));
        try {
            Process dig = new ProcessBuilder(words).redirectErrorStream(true).start();
            String text = new String(dig.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            dig.waitFor();
            return String.join(
                    "\n",
                    text.lines()
                            .filter(line -> !line.startsWith(";") || line.contains("status:"))
                            .map(line -> line.replaceFirst(", id: \\d+", ""))
                            .sorted()
                            .toList());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private UdpFixture gateway() {
        UdpFixture.Builder builder = UdpFixture.on(transport).workers(2).server("idle-timeout", "2s");
        PORTS.forEach(builder::node);
        return builder.start();
    }

    @Test
    void answersAreThoseOfTheServer() {
        try (UdpFixture gateway = gateway()) {
            for (String[] asked : new String[][] {
                {"host1.test.example", "A"},
                {"host2.test.example", "AAAA"},
                {"test.example", "MX"},
                {"nothing.test.example", "A"},
                {"long.test.example", "TXT", "+ignore", "+bufsize=8192"},
                {"long.test.example", "TXT", "+ignore", "+bufsize=512"}
            }) {
                String[] options = List.of(asked).subList(2, asked.length).toArray(String[]::new);
                String direct = dig(PORTS.getFirst(), asked[0], asked[1], options);
                assertThat(direct).contains("status: ");
                assertThat(dig(gateway.port(), asked[0], asked[1], options)).isEqualTo(direct);
            }
            assertThat(dig(gateway.port(), "long.test.example", "TXT", "+ignore", "+bufsize=8192"))
                    .contains(LONG_TEXT);
        }
    }

    @Test
    void manyClientsAtOnceGetTheirOwnAnswers() throws Exception {
        try (UdpFixture gateway = gateway();
                ExecutorService clients = Executors.newFixedThreadPool(AT_ONCE)) {
            List<Future<String>> answers = new ArrayList<>();
            for (int i = 0; i < NAMES; i++) {
                String name = "host" + i + ".test.example";
                answers.add(clients.submit(() -> dig(gateway.port(), name, "A")));
            }
            for (int i = 0; i < NAMES; i++) {
                assertThat(answer(answers.get(i))).contains("status: NOERROR").endsWith("10.7.0." + i);
            }
            assertThat(gateway.count(Counter.DOWNSTREAM_DATAGRAMS_SENT)).isGreaterThanOrEqualTo(NAMES);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
            assertThat(gateway.count(Counter.SESSIONS_CUT)).isZero();
            assertThat(gateway.faults(Fault.INTERNAL)).isZero();
        }
    }

    private static String answer(Future<String> answer) throws InterruptedException, ExecutionException {
        return answer.get();
    }
}
