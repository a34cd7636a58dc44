package net.oooops.sigma.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration that runs where none is given: the gateway on 8080, a built-in upstream on 8888, other free ports where these
 * are taken.
 *
 * @param host that the gateway listens on
 * @param port of the gateway
 * @param upstreamPort of the built-in upstream
 * @param file that it is written to, and read from, or null
 */
record Embedded(
        String host, int port, int upstreamPort, @Nullable Path file) {
    /** What it is called in messages. */
    static final String NAME = "embedded configuration";

    static final String HOST = "0.0.0.0";
    static final int PORT = 8080;
    static final int UPSTREAM_PORT = 8888;

    /**
     * A system property for those who run it to have it run, as the launcher does for the JDK's AOT cache: the name of a file. It is
     * on any free ports of the loopback address then, where nobody else meets it, and written to that file, which may be changed, and read
     * again as any other.
     */
    static final String LOOPBACK = "sigma.embedded.loopback";

    private static final String RESOURCE = "embedded.json";

    /** With ports that are free now. */
    static Embedded choose() {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        String file = System.getProperty(LOOPBACK);
        return file != null
                ? new Embedded("127.0.0.1", free(loopback, 0), free(loopback, 0), Path.of(file))
                : new Embedded(HOST, free(null, PORT), free(loopback, UPSTREAM_PORT), null);
    }

    /** With the ports that it has where they are free. */
    static Embedded usual() {
        return new Embedded(HOST, PORT, UPSTREAM_PORT, null);
    }

    /** The configuration, as one would write it. */
    byte[] json() {
        try (InputStream in = Embedded.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(
                        RESOURCE + ": not on the class path (expected: beside " + Embedded.class + ")");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace(HOST, host)
                    .replace(String.valueOf(PORT), String.valueOf(port))
                    .replace(String.valueOf(UPSTREAM_PORT), String.valueOf(upstreamPort))
                    .getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(RESOURCE + ": " + e, e);
        }
    }

    /** The file it was written to, as {@code -conf} would name it; none where it is in none. */
    List<Path> write() throws Failure {
        if (file == null) {
            return List.of();
        }
        try {
            Files.write(file, json());
            return List.of(file);
        } catch (IOException e) {
            throw new Failure(Exit.PROBLEMS, "sigma: " + file + ": can't be written: " + e);
        }
    }

    /**
     * Where it is written to a file: asks the gateway that runs with it by a command, so that an AOT cache which is made of this process has what commands
     * begin with, too. What it says is shown where something is wrong.
     *
     * @param runDir the folder of its socket; null: the usual one
     */
    void ask(@Nullable Path runDir, Console console) {
        if (file == null) {
            return;
        }
        Console quiet = new Console(new PrintStream(OutputStream.nullOutputStream()), console.err());
        String folder = AskedGateway.folder(runDir).path().toString();
        Dispatch.execute(new String[] {"status", "--run-dir", folder}, quiet);
    }

    /** That port, or any free one. */
    private static int free(@Nullable InetAddress address, int wish) {
        for (int port : new int[] {wish, 0}) {
            try (ServerSocket socket = new ServerSocket()) {
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(address, port));
                return socket.getLocalPort();
            } catch (IOException _) {
                // Taken: the next one.
            }
        }
        return wish;
    }
}
