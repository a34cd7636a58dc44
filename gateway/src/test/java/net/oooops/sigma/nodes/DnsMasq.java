package net.oooops.sigma.nodes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Needed;

/** Debian's dnsmasq on the loopback: everything that it knows is on its command line, it reads no file and asks nobody. */
final class DnsMasq implements AutoCloseable {
    private final Process process;

    private DnsMasq(Process process) {
        this.process = process;
    }

    /** Leaves the test out where it isn't installed; with {@code SIGMA_CI} set it fails then. */
    static void needed() {
        Needed.here(Files.isExecutable(Path.of(program())), "dnsmasq is installed (Debian: dnsmasq-base)");
    }

    private static String program() {
        return "/usr/sbin/dnsmasq";
    }

    /** A port that is free for TCP too: the server takes both. */
    static int freePort() {
        try (ServerSocket tcp = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                DatagramSocket udp = new DatagramSocket(tcp.getLocalPort(), InetAddress.getLoopbackAddress())) {
            return udp.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts it; answers are good for a second. */
    static DnsMasq start(int port, String... knows) {
        List<String> words = new ArrayList<>(List.of(
                program(),
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
                "--local-ttl=1",
                "--local=/test/",
                "--port=" + port));
        words.addAll(List.of(knows));
        try {
            return new DnsMasq(new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it, as if it had crashed. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new AssertionError("dnsmasq doesn't end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
