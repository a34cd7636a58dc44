package net.oooops.sigma.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** While one process takes another one's place, both write one file. */
@Timeout(60)
@SuppressWarnings("NullAway.Init")
class SharedLogFileTest {
    /** More than a pipe or a page takes at once. */
    private static final int LINE_CHARS = 100_000;

    private static final int LINES = 200;

    @TempDir
    Path dir;

    private Path path;
    private LogFile file;

    @BeforeEach
    void open() throws IOException {
        path = dir.resolve("access.log");
        file = LogFile.open(path.toString(), System::nanoTime);
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    /** The other process: what it does is its first word. */
    static final class Other {
        private Other() {}

        /** {@code write PATH}, or {@code hold PATH}: until its input ends. */
        public static void main(String[] words) throws IOException {
            Path path = Path.of(words[1]);
            PrintStream out = System.out;
            if (words[0].equals("write")) {
                LogFile file = LogFile.open(path.toString(), System::nanoTime);
                out.println("begun");
                System.in.read();
                writeLines(file, 'b');
                file.close();
                return;
            }
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                out.println(lock.isValid() ? "begun" : "no lock");
                System.in.read();
            }
        }
    }

    private static void writeLines(LogFile file, char letter) throws IOException {
        String line = String.valueOf(letter).repeat(LINE_CHARS) + "\n";
        for (int i = 0; i < LINES; i++) {
            write(file, line);
        }
    }

    private static void write(LogFile file, String text) throws IOException {
        // In pieces, as what doesn't fit into the file system's cache at once is written.
        file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    }

    private Process start(String word) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Other.class.getName(),
                        word,
                        path.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(process.inputReader().readLine()).isEqualTo("begun");
        return process;
    }

    private static void goOn(Process process) throws IOException {
        process.getOutputStream().close();
    }

    @Test
    void linesStayWhole() throws Exception {
        Process other = start("write");
        goOn(other);
        writeLines(file, 'a');

        assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(other.exitValue()).isZero();
        List<String> lines = Files.readAllLines(path);
        assertThat(lines).hasSize(2 * LINES);
        for (char letter : new char[] {'a', 'b'}) {
            String whole = String.valueOf(letter).repeat(LINE_CHARS);
            assertThat(lines.stream().filter(whole::equals).count()).isEqualTo(LINES);
        }
    }

    /** A line is waited for while the other one writes its own, and no longer. */
    @Test
    void whoHoldsItForLongIsNotWaitedFor() throws Exception {
        Process other = start("hold");
        try {
            long from = System.nanoTime();
            write(file, "one\n");
            long nanos = System.nanoTime() - from;

            assertThat(path).hasContent("one\n");
            assertThat(nanos).isBetween(50_000_000L, 5_000_000_000L);
            goOn(other);
            assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
            write(file, "two\n");
            assertThat(path).hasContent("one\ntwo\n");
        } finally {
            other.destroyForcibly();
        }
    }

    /** Where it is killed the system gives the lock back. */
    @Test
    void whoIsKilledHoldsNothing() throws Exception {
        Process other = start("hold");
        other.destroyForcibly();
        Await.until("ended", () -> !other.isAlive());

        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            assertThat(lock).isNotNull();
        }
        write(file, "one\n");
        assertThat(path).hasContent("one\n");
    }

    /** Nobody else gets its turn by that: the lock is there while a line is written only. */
    @Test
    void nothingIsHeldInBetween() throws Exception {
        write(file, "one\n");
        Process other = start("hold");
        goOn(other);

        assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(other.exitValue()).isZero();
    }

    /** Two Listeners' lines, or a reload that opens it anew: within a process the lock is of no use, and in nobody's way. */
    @Test
    void aSecondOneInTheSameProcessIsWrittenToo() throws IOException {
        LogFile second = LogFile.open(path.toString(), System::nanoTime);
        write(file, "one\n");
        write(second, "two\n");
        second.close();
        write(file, "three\n");

        assertThat(path).hasContent("one\ntwo\nthree\n");
    }
}
