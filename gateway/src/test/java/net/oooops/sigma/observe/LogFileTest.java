package net.oooops.sigma.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import net.oooops.sigma.testkit.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
class LogFileTest {
    private final ManualClock clock = new ManualClock();

    @TempDir
    Path dir;

    private Path path;
    private LogFile file;

    @BeforeEach
    void open() throws IOException {
        path = dir.resolve("logs/access.log");
        Files.createDirectories(path.getParent());
        Files.writeString(path, "before\n");
        file = LogFile.open(path.toString(), clock);
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    private void write(String text) throws IOException {
        file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void whatIsThereStays() throws IOException {
        write("a\n");
        clock.advance(Duration.ofSeconds(2));
        write("b\n");
        assertThat(path).hasContent("before\na\nb\n");
    }

    @Test
    void aFileMovedAwayIsOpenedAnewAfterASecond() throws IOException {
        Path moved = dir.resolve("logs/access.log.1");
        write("a\n");
        Files.move(path, moved);
        clock.advance(Duration.ofMillis(999));
        write("b\n");
        assertThat(path).doesNotExist();
        clock.advance(Duration.ofMillis(1));
        write("c\n");
        assertThat(moved).hasContent("before\na\nb\n");
        assertThat(path).hasContent("c\n");
    }

    @Test
    void aFileThatAnotherTookThePlaceOfIsLeft() throws IOException {
        Files.move(path, dir.resolve("logs/access.log.1"));
        Files.writeString(path, "created\n");
        clock.advance(Duration.ofSeconds(1));
        write("a\n");
        assertThat(path).hasContent("created\na\n");
    }

    @Test
    void aFileCutToNothingIsWrittenFromItsBeginning() throws IOException {
        Files.writeString(path, "");
        write("a\n");
        assertThat(path).hasContent("a\n");
    }

    @Test
    void whereItCanNotBeOpenedAnewTheOneBeforeIsWrittenUntilItCan() throws IOException {
        Path moved = dir.resolve("moved");
        Files.move(path.getParent(), moved);
        for (String line : List.of("a\n", "b\n")) {
            clock.advance(Duration.ofSeconds(1));
            write(line);
            assertThat(file.takeTrouble())
                    .as("at each look")
                    .hasMessage(path + ": NoSuchFileException (expected: a file that can be opened for appending);"
                            + " lines go to the file that had this name before");
            assertThat(file.takeTrouble()).as("once").isNull();
        }
        write("c\n");
        assertThat(file.takeTrouble()).as("it wasn't looked").isNull();
        assertThat(moved.resolve("access.log")).hasContent("before\na\nb\nc\n");
        Files.createDirectories(path.getParent());
        clock.advance(Duration.ofSeconds(1));
        write("d\n");
        assertThat(file.takeTrouble()).isNull();
        assertThat(path).hasContent("d\n");
    }
}
