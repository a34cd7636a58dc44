package net.oooops.sigma.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.control.socket.DrainingProcess;
import net.oooops.sigma.control.socket.LivingGateways;
import net.oooops.sigma.control.socket.LivingProcess;
import net.oooops.sigma.control.socket.Presence;
import net.oooops.sigma.control.socket.RunFolder;
import net.oooops.sigma.control.socket.SocketFault;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Processes that take each other's place, in a folder of their own. */
@SuppressWarnings("NullAway.Init")
abstract class UpgradeFixture {
    static final String GET = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";

    @TempDir
    Path folder;

    /** Processes that a gateway has started outlive it. */
    @AfterEach
    void endAll() throws Exception {
        List<Long> all = new ArrayList<>();
        LivingGateways.in(runFolder()).stream().map(Presence::pid).forEach(all::add);
        DrainingProcess.in(runFolder()).stream().map(DrainingProcess::pid).forEach(all::add);
        for (long each : all) {
            SigmaProcess.kill(each);
            Await.until("ended", () -> hasEnded(each));
        }
    }

    static boolean hasEnded(long pid) {
        return ProcessHandle.of(pid).filter(LivingProcess::isAlive).isEmpty();
    }

    RunFolder runFolder() {
        return RunFolder.named(SigmaProcess.runDir(folder));
    }

    /** What a command came to. */
    record Said(int exitCode, String out, String err) {}

    Said say(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--run-dir", SigmaProcess.runDir(folder).toString()));
        Shell shell = new Shell();
        int exitCode = Main.execute(all.toArray(String[]::new), shell.console());
        return new Said(exitCode, shell.out(), shell.err());
    }

    JsonNode status() throws IOException {
        return new ObjectMapper().readTree(say("status", "--json").out());
    }

    /** The number of the one that serves; 0 while it isn't clear which. */
    long serving() {
        List<Presence> living;
        try {
            living = LivingGateways.in(runFolder());
        } catch (SocketFault e) {
            throw new AssertionError(e.text(), e);
        }
        return living.size() == 1 ? living.getFirst().pid() : 0;
    }

    SigmaProcess run(String runtime, ScriptedUpstream node) throws IOException {
        return SigmaProcess.run(folder, SigmaProcess.How.PLAIN, runtime, node.port());
    }

    static RawResponse ask(int port) throws Exception {
        try (RawClient client = RawClient.connect(port)) {
            return client.send(GET).readResponse();
        }
    }

    /** Sends back what comes, until the socket is closed. */
    static void echo(DatagramSocket socket) {
        byte[] buffer = new byte[100];
        try {
            while (true) {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                socket.receive(packet);
                socket.send(packet);
            }
        } catch (IOException e) {
            // The test is over.
            return;
        }
    }

    static String answered(DatagramSocket client, String text) throws IOException {
        byte[] bytes = text.getBytes(US_ASCII);
        client.send(new DatagramPacket(bytes, bytes.length));
        DatagramPacket answer = new DatagramPacket(new byte[100], 100);
        client.receive(answer);
        return new String(answer.getData(), 0, answer.getLength(), US_ASCII);
    }
}
