package net.oooops.sigma.control.socket;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Needed;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class ControlSocketTest {
    static final Duration PATIENCE = Duration.ofSeconds(10);
    static final Steered ECHO = asked -> new Answer(
            asked.who() + " says " + asked.text("word") + "\n",
            Map.of("word", asked.text("word"), "many", List.of(1, 2)));

    @TempDir
    private Path folder;

    private RunFolder run() {
        return RunFolder.named(folder.resolve("run"));
    }

    static Presence presence(String conf) {
        return Presence.ofProcess(conf, Instant.EPOCH, "0.0");
    }

    private ControlSocket open() throws SocketFault {
        ControlSocket socket = ControlSocket.open(run(), presence("/etc/a.json"));
        socket.serve(Map.of("echo", ECHO));
        return socket;
    }

    @Test
    void whatIsAskedIsAnswered() throws Exception {
        try (ControlSocket socket = open()) {
            Answer answer = SocketClient.ask(socket.path(), "echo", Map.of("word", "hello"), PATIENCE);
            assertThat(answer.text()).isEqualTo(System.getProperty("user.name") + " says hello\n");
            assertThat(answer.json()).isEqualTo(Map.of("word", "hello", "many", List.of(1, 2)));
        }
    }

    @Test
    void whatIsRefusedIsSaid() throws Exception {
        try (ControlSocket socket = open()) {
            assertThatThrownBy(() -> SocketClient.ask(socket.path(), "echo", Map.of(), PATIENCE))
                    .isInstanceOf(Refused.class)
                    .hasMessage("word: missing (expected: a text)");
            assertThatThrownBy(() -> SocketClient.ask(socket.path(), "reload", Map.of(), PATIENCE))
                    .isInstanceOf(Refused.class)
                    .hasMessage("command reload: not known to this gateway (it knows: echo)");
        }
    }

    /** As a process that was stopped, with so many waiting that the system lets no further one connect. */
    @Test
    @EnabledOnOs(OS.LINUX) // others refuse at once
    void whoeverTakesNobodyIsAliveAndIsNotWaitedForWithoutEnd() throws Exception {
        run().make();
        Path stopped = run().path().resolve("1.sock");
        List<SocketChannel> waiting = new ArrayList<>();
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(stopped), 1);
            fill(stopped, waiting);
            assertTimeoutPreemptively(PATIENCE, () -> {
                assertThat(LivingGateways.in(run()))
                        .extracting(Presence::socket)
                        .containsExactly(stopped);
                assertThatThrownBy(() -> SocketClient.ask(stopped, "echo", Map.of(), Duration.ofMillis(50)))
                        .isInstanceOf(SocketFault.class)
                        .hasMessageContaining("not taken within 50 ms, and nothing was asked: too many ask already");
                open().close();
            });
            assertThat(stopped).exists();
        } finally {
            for (SocketChannel each : waiting) {
                each.close();
            }
        }
    }

    /** Until nobody is taken. */
    private static void fill(Path socket, List<SocketChannel> waiting) throws IOException {
        boolean taken = true;
        while (taken) {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            waiting.add(channel);
            channel.configureBlocking(false);
            try {
                taken = channel.connect(UnixDomainSocketAddress.of(socket));
            } catch (SocketException e) {
                taken = false;
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void whoeverTakesNobodyForAWhileIsAskedThen() throws Exception {
        try (ControlSocket socket = ControlSocket.open(run(), presence(""))) {
            List<SocketChannel> waiting = new ArrayList<>();
            fill(socket.path(), waiting);
            CompletableFuture<String> answer = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> answer.complete(answered(socket.path())));
            for (SocketChannel each : waiting) {
                each.close();
            }
            socket.serve(Map.of("wait", asked -> Answer.of("waited")));
            assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo("waited");
        }
    }

    @Test
    void requestsThatAreNoneAreRefused() throws Exception {
        try (ControlSocket socket = open()) {
            assertThat(raw(socket, "hello\n")).contains("\"ok\":false", "isn't JSON");
            assertThat(raw(socket, "[]\n")).contains("isn't JSON");
            assertThat(raw(socket, "{}\n")).contains("protocol: null (expected: 1)");
            assertThat(raw(socket, "{\"protocol\":2,\"command\":\"echo\"}\n")).contains("protocol: 2 (expected: 1)");
            assertThat(raw(socket, "{\"protocol\":1}\n")).contains("a request that isn't understood");
            assertThat(raw(socket, "{\"protocol\":1,\"command\":\"echo\",\"arguments\":{\"word\":7}}\n"))
                    .contains("word: 7 (expected: a text");
            assertThat(raw(socket, "[".repeat(2000) + "\n")).contains("isn't JSON");
            assertThat(raw(socket, "x".repeat(Protocol.REQUEST_BYTES_MAX + 1)))
                    .contains("a request longer than 1048576 bytes");
            assertThat(raw(socket, "\n")).isEmpty();
        }
    }

    private static String raw(ControlSocket socket, String request) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket.path()))) {
            ByteBuffer bytes = ByteBuffer.wrap(request.getBytes(UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            return rest(channel);
        }
    }

    private static String rest(SocketChannel channel) throws IOException {
        ByteBuffer answer = ByteBuffer.allocate(1 << 16);
        while (channel.read(answer) >= 0) {
            assertThat(answer.hasRemaining()).isTrue();
        }
        return UTF_8.decode(answer.flip()).toString();
    }

    @Test
    void whoSaysNothingIsDropped() throws Exception {
        ControlSocket.Conversing hasty =
                new ControlSocket.Conversing(Duration.ofMillis(50), ControlSocket.Conversing.USUAL.threads());
        try (ControlSocket socket = ControlSocket.open(run(), presence(""), hasty)) {
            socket.serve(Map.of());
            try (SocketChannel silent = SocketChannel.open(UnixDomainSocketAddress.of(socket.path()))) {
                assertThat(rest(silent)).isEmpty();
            }
            try (SocketChannel slow = SocketChannel.open(UnixDomainSocketAddress.of(socket.path()))) {
                slow.write(ByteBuffer.wrap("{\"protocol\":".getBytes(UTF_8)));
                assertThat(rest(slow)).isEmpty();
            }
        }
        assertThat(ControlSocket.REQUEST_LIMIT).hasSeconds(5);
    }

    @Test
    void oneTooManyIsToldSo() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch busy = new CountDownLatch(ControlSocket.CONNECTIONS_MAX);
        try (ControlSocket socket = ControlSocket.open(run(), presence(""))) {
            socket.serve(Map.of("wait", asked -> {
                busy.countDown();
                try {
                    assertThat(go.await(30, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new Refused("interrupted");
                }
                return Answer.of("waited");
            }));
            List<CompletableFuture<String>> waiting = new ArrayList<>();
            for (int i = 0; i < ControlSocket.CONNECTIONS_MAX; i++) {
                CompletableFuture<String> answer = new CompletableFuture<>();
                waiting.add(answer);
                Thread.ofVirtual().start(() -> answer.complete(answered(socket.path())));
            }
            assertThat(busy.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(raw(socket, "")).contains("16 ask already");
            go.countDown();
            for (CompletableFuture<String> each : waiting) {
                assertThat(each.get(30, TimeUnit.SECONDS)).isEqualTo("waited");
            }
            Await.until("free again", () -> answered(socket.path()).equals("waited"));
        }
    }

    private static String answered(Path socket) {
        try {
            return SocketClient.ask(socket, "wait", Map.of(), PATIENCE).text();
        } catch (Refused | SocketFault e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void anAnswerThatTakesLongIsWaitedForAsLongAsIsSaid() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (ControlSocket socket = ControlSocket.open(run(), presence(""))) {
            socket.serve(Map.of("wait", asked -> {
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new Refused("interrupted");
                }
                return Answer.of("late");
            }));
            assertThatThrownBy(() -> SocketClient.ask(socket.path(), "wait", Map.of(), Duration.ofMillis(50)))
                    .isInstanceOf(SocketFault.class)
                    .hasMessageContaining("no answer within 50 ms");
            go.countDown();
        }
    }

    @Test
    void folderAndFilesAreForTheirOwnerAlone() throws Exception {
        try (ControlSocket socket = open()) {
            assertThat(mode(run().path())).isEqualTo("rwx------");
            assertThat(mode(socket.path())).isEqualTo("rw-------");
            assertThat(mode(Presence.file(socket.path()))).isEqualTo("rw-------");
        }
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void severalHaveASocketEach() throws Exception {
        try (ControlSocket first = open();
                ControlSocket second = ControlSocket.open(run(), presence("/etc/b.json"))) {
            assertThat(second.path()).isNotEqualTo(first.path());
            List<Presence> living = LivingGateways.in(run());
            assertThat(living).extracting(Presence::conf).containsExactlyInAnyOrder("/etc/a.json", "/etc/b.json");
            assertThat(living)
                    .extracting(Presence::pid)
                    .containsOnly(ProcessHandle.current().pid());
            assertThat(SocketClient.ask(first.path(), "echo", Map.of("word", "a"), PATIENCE)
                            .text())
                    .endsWith("a\n");
        }
        assertThat(LivingGateways.in(run())).isEmpty();
    }

    @Test
    void nothingIsLeftBehind() throws Exception {
        open().close();
        try (var left = Files.list(run().path())) {
            assertThat(left.map(Path::getFileName).map(Path::toString)).containsExactly(".lock");
        }
    }

    @Test
    void whereSomebodyTookTheSocketTheRestIsTakenAway() throws Exception {
        Path left;
        try (ControlSocket socket = open()) {
            Files.delete(socket.path());
            assertThat(socket.isThere()).isFalse();
            left = Presence.file(socket.path());
            assertThat(left).exists();
        }
        assertThat(left).doesNotExist();
        // Of a process that was killed, whose number another one has by now.
        Files.write(
                left, Presence.ofProcess("/etc/a.json", Instant.EPOCH, "0.0").json());
        assertThat(LivingGateways.withoutSocket(run())).isEmpty();
        open().close();
        assertThat(left).doesNotExist();
    }

    @Test
    void whatDeadProcessesLeftIsTakenAway() throws Exception {
        open().close();
        Path dead = die(run().path().resolve("1.sock"));
        assertThat(LivingGateways.in(run())).isEmpty();
        assertThat(dead).doesNotExist();
        assertThat(Presence.file(dead)).doesNotExist();

        Path again = die(run().path().resolve(ProcessHandle.current().pid() + ".sock"));
        try (ControlSocket socket = open()) {
            assertThat(socket.path()).isEqualTo(again);
            assertThat(LivingGateways.in(run())).hasSize(1);
        }
    }

    /** A process waits there for the one that takes its place: to ask whether it does would be taken for that one. */
    @Test
    void whereNobodyWaitsForTheNextProcessIsTakenAway() throws Exception {
        long ended = endedProcess();
        try (ControlSocket living = open()) {
            Path own = Files.createFile(run().next());
            Path left = Files.createFile(run().path().resolve(ended + RunFolder.NEXT_SUFFIX));
            open().close();
            assertThat(left).doesNotExist();
            assertThat(own).exists();

            // In another container, with a number that is none here.
            Path elsewhere = run().path().resolve(ended + RunFolder.NEXT_SUFFIX);
            Files.createFile(elsewhere);
            Files.createSymbolicLink(run().path().resolve(ended + ".sock"), living.path());
            open().close();
            assertThat(elsewhere).exists();
        }
    }

    private static long endedProcess() throws Exception {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();
        return process.pid();
    }

    /** Where there is room for the socket, there is for the upgrade. */
    @Test
    @EnabledOnOs(OS.LINUX) // others have room for less
    void aPathThatIsTooLongForTheNextProcessIsTooLongForTheSocket() throws Exception {
        int digits = String.valueOf(ProcessHandle.current().pid()).length();
        String fits = "/" + "a".repeat(107 - 2 - digits - RunFolder.NEXT_SUFFIX.length());
        assertThat(RunFolder.NEXT_SUFFIX).hasSameSizeAs(Presence.SOCKET_SUFFIX);
        assertThat(RunFolder.named(Path.of(fits)).next().toString()).hasSize(107);
        assertThatThrownBy(() -> RunFolder.named(Path.of(fits + "a")).next())
                .isInstanceOf(SocketFault.class)
                .hasMessageContaining(
                        ": a path of 108 bytes (expected: at most 107, as the system has no room for more;"
                                + " --run-dir names another folder)");
    }

    /** A socket that nobody listens on any more. */
    private static Path die(Path socket) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        server.close();
        Files.writeString(Presence.file(socket), "{}");
        assertThat(socket).exists();
        return socket;
    }

    @Test
    void aSocketOfAnotherThatTookTheNameStays() throws Exception {
        ControlSocket socket = open();
        Files.delete(socket.path());
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(socket.path()));
            socket.close();
            assertThat(socket.path()).exists();
        }
    }

    @Test
    void aFolderThatIsOpenToOthersIsRefused() throws Exception {
        Files.createDirectory(run().path());
        Files.setPosixFilePermissions(run().path(), PosixFilePermissions.fromString("rwxr-x---"));
        assertThatThrownBy(this::open)
                .isInstanceOf(SocketFault.class)
                .hasMessageContaining(
                        "others have rights to it (rwxr-x---) (expected: a folder of yours with mode 0700");
        assertThatThrownBy(() -> LivingGateways.in(run())).isInstanceOf(SocketFault.class);
    }

    @Test
    void aFolderOfAnotherUserIsRefused() throws Exception {
        Needed.here(System.getProperty("user.name", "").equals("root"), "run by root, who can give folders away");
        Files.createDirectory(run().path());
        Files.setPosixFilePermissions(run().path(), PosixFilePermissions.fromString("rwx------"));
        Files.setAttribute(run().path(), "unix:uid", 12_345);
        assertThatThrownBy(this::open).isInstanceOf(SocketFault.class).hasMessageContaining("it is 12345's");
        try (var left = Files.list(run().path())) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void aFolderThatCannotBeMadeIsRefused() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        RunFolder below = RunFolder.named(file.resolve("run"));
        assertThatThrownBy(() -> ControlSocket.open(below, presence("")))
                .isInstanceOf(SocketFault.class)
                .hasMessageContaining("run folder " + below.path());
        assertThatThrownBy(() -> ControlSocket.open(RunFolder.named(file), presence("")))
                .isInstanceOf(SocketFault.class);
        assertThat(LivingGateways.in(below)).isEmpty();
    }

    @Test
    void aPathThatIsTooLongIsSaid() {
        RunFolder deep = RunFolder.named(folder.resolve("d".repeat(100)));
        assertThatThrownBy(() -> ControlSocket.open(deep, presence("")))
                .isInstanceOf(SocketFault.class)
                .hasMessageContaining(" bytes (expected: at most ")
                .hasMessageContaining("--run-dir names another folder");
    }

    @Test
    void theUsualFolderIsTheUsersOwn() throws Exception {
        String user = Objects.requireNonNull(Files.getOwner(folder)).getName();
        assertThat(RunFolder.usual(name -> folder.toString(), user, "/home/a").path())
                .isEqualTo(folder.resolve("sigma"));
        assertThat(RunFolder.usual(name -> folder.toString(), "root", "/root").path())
                .isEqualTo(user.equals("root") ? folder.resolve("sigma") : Path.of("/run/sigma"));
        assertThat(RunFolder.usual(name -> "/nowhere/1000", "root", "/root").path())
                .isEqualTo(Path.of("/run/sigma"));
        Path other = RunFolder.usual(name -> null, "somebody", "/home/a").path();
        assertThat(other.equals(Path.of("/run/sigma")) == Files.isWritable(Path.of("/run/sigma")))
                .isTrue();
    }
}
