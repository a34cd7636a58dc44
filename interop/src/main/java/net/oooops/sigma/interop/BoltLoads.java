package net.oooops.sigma.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Runs one {@link BoltLoad} after the other, as it is asked over a connection, in one JVM: so that none is measured with a client that is still
 * being compiled. A line asks with five numbers: port, connections, callers, bytes of payload, seconds. A line answers.
 */
public final class BoltLoads {
    private BoltLoads() {}

    /**
     * Listens on the loopback address, for one connection, and ends with it.
     *
     * @param args port
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(Integer.parseInt(args[0]), 1, loopback);
                Socket asker = server.accept();
                BufferedReader questions =
                        new BufferedReader(new InputStreamReader(asker.getInputStream(), StandardCharsets.UTF_8))) {
            OutputStream answers = asker.getOutputStream();
            for (String line = questions.readLine(); line != null; line = questions.readLine()) {
                answers.write((answer(line) + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
        System.exit(0);
    }

    private static String answer(String line) throws InterruptedException {
        String[] words = line.split(" ", -1);
        return BoltLoad.run(
                Integer.parseInt(words[0]),
                Integer.parseInt(words[1]),
                Integer.parseInt(words[2]),
                Integer.parseInt(words[3]),
                Long.parseLong(words[4]));
    }
}
