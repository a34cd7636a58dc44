package net.oooops.sigma.redis;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.config.NodeConfig;

/** Takes commands, and answers PING and whatever else as a script says; a thread for each connection. */
final class FakeRedis implements AutoCloseable {
    private final ServerSocket server;
    private final Answers answers;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final List<List<String>> commands = new CopyOnWriteArrayList<>();

    /** What it says. */
    @FunctionalInterface
    interface Answers {
        /** Answers that command, or doesn't. */
        void answer(List<String> command, OutputStream out) throws IOException, InterruptedException;
    }

    private FakeRedis(Answers answers) {
        try {
            this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.answers = answers;
        Thread.startVirtualThread(this::accept);
    }

    /** PING gets its answer; all else gets that. */
    static FakeRedis saying(String text) {
        return with((command, out) -> out.write(
                (command.getFirst().equals("PING") ? "+PONG\r\n" : text).getBytes(StandardCharsets.ISO_8859_1)));
    }

    static FakeRedis with(Answers answers) {
        return new FakeRedis(answers);
    }

    NodeConfig node() {
        return new NodeConfig("127.0.0.1", server.getLocalPort(), 1);
    }

    /** All that it was told. */
    List<List<String>> commands() {
        return List.copyOf(commands);
    }

    /** How many connections there are. */
    int openCount() {
        return open.size();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                open.add(socket);
                Thread.startVirtualThread(() -> serve(socket));
            }
        } catch (IOException e) {
            // Closed.
            return;
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            while (true) {
                List<String> command = new ArrayList<>();
                int parts = number(in, '*');
                for (int i = 0; i < parts; i++) {
                    int length = number(in, '$');
                    command.add(new String(in.readNBytes(length), StandardCharsets.UTF_8));
                    in.readNBytes(2);
                }
                commands.add(command);
                answers.answer(command, socket.getOutputStream());
            }
        } catch (IOException | InterruptedException e) {
            // Whoever has gone has gone.
            return;
        } finally {
            open.remove(socket);
        }
    }

    private static int number(InputStream in, char kind) throws IOException {
        StringBuilder line = new StringBuilder();
        int next = in.read();
        while (next != '\n') {
            if (next < 0) {
                throw new IOException("closed");
            }
            line.append((char) next);
            next = in.read();
        }
        if (line.charAt(0) != kind) {
            throw new IOException("no command: " + line);
        }
        return Integer.parseInt(line.substring(1).strip());
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket each : open) {
                each.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
