package net.oooops.sigma.control.history;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.config.ConfigText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("the log")
class HistoryTest {
    private static final Instant NOW = Instant.parse("2026-11-25T14:00:00Z");

    @TempDir
    private Path folder;

    private History history() {
        return History.of(folder.resolve("history"), "/etc/sigma.json");
    }

    private static List<ConfigText> files(String text) {
        return List.of(
                new ConfigText(Path.of("/etc/sigma.json"), text.getBytes(UTF_8)),
                new ConfigText(Path.of("/etc/more.json"), "{}".getBytes(UTF_8)));
    }

    @Test
    void whatTookEffectCanBeHadBack() throws Exception {
        History history = history();
        assertThat(history.list()).isEmpty();
        assertThat(history.add(NOW, "start", files("one"))).hasValue(1);
        assertThat(history.add(NOW.plusSeconds(1), "ann", files("two"))).hasValue(2);

        List<Entry> list = history.list();
        assertThat(list).extracting(Entry::number).containsExactly(2, 1);
        assertThat(list.getFirst())
                .isEqualTo(new Entry(
                        2,
                        NOW.plusSeconds(1),
                        "ann",
                        FileHash.of(files("two")),
                        List.of(Path.of("/etc/sigma.json"), Path.of("/etc/more.json"))));
        assertThat(history.get(1)).isEqualTo(files("one"));
    }

    @Test
    void theSameOnceMoreIsNotAdded() {
        assertThat(history().add(NOW, "start", files("one"))).hasValue(1);
        assertThat(history().add(NOW, "start", files("one"))).hasValue(1);
        assertThat(history().add(NOW, "ann", files("two"))).hasValue(2);
        assertThat(history().add(NOW, "ann", files("one"))).hasValue(3);
    }

    @Test
    void eachGatewayHasItsOwn() {
        history().add(NOW, "start", files("one"));
        History other = History.of(folder.resolve("history"), "/etc/other.json");
        assertThat(other.list()).isEmpty();
        assertThat(other.add(NOW, "start", files("else"))).hasValue(1);
        assertThat(history().list()).hasSize(1);
    }

    @Test
    void twentyAreKept() throws Exception {
        for (int i = 1; i <= 25; i++) {
            history().add(NOW, "ann", files("text " + i));
        }
        assertThat(history().list()).hasSize(20);
        assertThat(history().list().getLast().number()).isEqualTo(6);
        assertThat(history().get(25)).isEqualTo(files("text 25"));
        assertThatThrownBy(() -> history().get(5))
                .isInstanceOf(NotKept.class)
                .hasMessage("configuration 5: not kept (expected: 6 to 25)");
    }

    @Test
    void allTogetherAreBounded() throws IOException {
        Path all = folder.resolve("history");
        for (int i = 1; i <= 3; i++) {
            History.of(all, "/etc/other.json", 10_000).add(NOW, "ann", files("o" + i + "x".repeat(2_000)));
            age(all, Duration.ofMinutes(5));
        }
        for (int i = 1; i <= 3; i++) {
            assertThat(History.of(all, "/etc/sigma.json", 10_000).add(NOW, "ann", files("s" + i + "x".repeat(2_000))))
                    .hasValue(i);
        }
        assertThat(history().list()).hasSize(3);
        assertThat(History.of(all, "/etc/other.json").list())
                .extracting(Entry::number)
                .containsExactly(3);
    }

    @Test
    void oneThatIsTooLargeIsNotKept() {
        History small = History.of(folder.resolve("history"), "/etc/sigma.json", 1_000);
        assertThat(small.add(NOW, "start", files("one"))).hasValue(1);
        assertThat(small.add(NOW, "ann", files("x".repeat(2_000)))).isEmpty();
        assertThat(small.list()).extracting(Entry::number).containsExactly(1);
    }

    private static void age(Path all, Duration by) throws IOException {
        try (Stream<Path> each = Files.list(all)) {
            for (Path path : each.toList()) {
                FileTime time = Files.getLastModifiedTime(path);
                Files.setLastModifiedTime(path, FileTime.from(time.toInstant().minus(by)));
            }
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void othersCannotReadIt() throws IOException {
        history().add(NOW, "start", files("one"));
        try (Stream<Path> all = Files.walk(folder.resolve("history"))) {
            assertThat(all.map(HistoryTest::mode)).containsOnly("rwx------", "rw-------");
        }
    }

    private static String mode(Path path) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatIsBrokenIsLeftOutAndItsNumberNotGivenAgain() throws Exception {
        history().add(NOW, "start", files("one"));
        history().add(NOW, "ann", files("two"));
        Files.writeString(fileOf(2), "{\"at\": \"yesterday\"");
        assertThat(history().list()).extracting(Entry::number).containsExactly(1);
        assertThat(history().add(NOW, "ann", files("three"))).hasValue(3);

        Files.writeString(fileOf(3), Files.readString(fileOf(3)).replace("three", "other"));
        assertThatThrownBy(() -> history().get(3))
                .isInstanceOf(NotKept.class)
                .hasMessageStartingWith("configuration 3: isn't as it was kept");
    }

    @Test
    void oneOfWhichAPartIsThereIsNone() throws Exception {
        history().add(NOW, "start", files("one"));
        history().add(NOW, "ann", files("two"));
        byte[] whole = Files.readAllBytes(fileOf(2));
        for (int length = 0; length < whole.length; length++) {
            Files.write(fileOf(2), Arrays.copyOf(whole, length));
            assertThat(history().list())
                    .as("%s bytes", length)
                    .extracting(Entry::number)
                    .containsExactly(1);
        }
        assertThatThrownBy(() -> history().get(2)).isInstanceOf(NotKept.class);
        Files.write(fileOf(2), whole);
        assertThat(history().get(2)).isEqualTo(files("two"));
    }

    @Test
    void whatCannotBeWrittenLeavesNothingBehind() throws Exception {
        Shelf full = new Shelf(folder.resolve("history"), History.BYTES_MAX, (to, parts) -> {
            Shelf.write(to, parts.subList(0, 1));
            throw new IOException("No space left on device");
        });
        assertThat(History.of(full, "/etc/sigma.json").add(NOW, "start", files("one")))
                .isEmpty();
        assertThat(folder.resolve("history")).isEmptyDirectory();
    }

    @Test
    void whatAnotherProcessHasWrittenMeanwhileStays() throws Exception {
        History own = history();
        History other = history();
        assertThat(own.add(NOW, "start", files("one"))).hasValue(1);
        assertThat(other.add(NOW, "start", files("two"))).hasValue(2);
        assertThat(own.add(NOW, "ann", files("one")))
                .as("the last one is another one")
                .hasValue(3);

        AtomicBoolean before = new AtomicBoolean(true);
        Shelf late = new Shelf(folder.resolve("history"), History.BYTES_MAX, (to, parts) -> {
            if (before.getAndSet(false)) {
                other.add(NOW, "bob", files("three"));
            }
            Shelf.write(to, parts);
        });
        assertThat(History.of(late, "/etc/sigma.json").add(NOW, "ann", files("four")))
                .hasValue(4);
        assertThat(history().get(5)).isEqualTo(files("three"));
        Files.createDirectory(folder.resolve("history").resolve(nameOf(6)));
        assertThat(own.add(NOW, "ann", files("six"))).as("a name that is taken").hasValue(7);
    }

    private String nameOf(int number) throws IOException {
        return fileOf(1).getFileName().toString().replaceAll("1$", String.valueOf(number));
    }

    private Path fileOf(int number) throws IOException {
        try (Stream<Path> all = Files.list(folder.resolve("history"))) {
            return all.filter(path -> path.toString().endsWith("-" + number))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void aFolderThatCannotBeMadeStopsNobody() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        History nowhere = History.of(file.resolve("history"), "/etc/sigma.json");
        assertThat(nowhere.add(NOW, "start", files("one"))).isEqualTo(OptionalInt.empty());
        assertThat(nowhere.list()).isEmpty();
        assertThatThrownBy(() -> nowhere.get(1)).isInstanceOf(NotKept.class);
    }

    @Test
    void whatCannotBeThrownAwayKeepsNothingFromBeingKept() throws Exception {
        History history = history();
        for (int i = 1; i <= 20; i++) {
            history.add(NOW, "ann", files("text " + i));
        }
        Path first = fileOf(1);
        Files.delete(first);
        Files.createFile(Files.createDirectory(first).resolve("file"));
        try (LoggedLines log = new LoggedLines(History.class)) {
            assertThat(history.add(NOW, "ann", files("text 21"))).hasValue(21);
            assertThat(log.lines()).singleElement().asString().contains("old configurations aren't thrown away");
        }
        assertThat(history.get(21)).isEqualTo(files("text 21"));
        Path second = fileOf(2);
        history.add(NOW, "ann", files("text 22"));
        assertThat(second).as("another one goes all the same").doesNotExist();
    }

    @Test
    void onAFullDiskTheOldestMakesRoom() throws Exception {
        Path all = folder.resolve("history");
        Shelf full = new Shelf(all, History.BYTES_MAX, (to, parts) -> {
            if (count(all) > 20) {
                throw new IOException("No space left on device");
            }
            Shelf.write(to, parts);
        });
        History history = History.of(full, "/etc/sigma.json");
        for (int i = 1; i <= 20; i++) {
            assertThat(history.add(NOW, "ann", files("text " + i))).hasValue(i);
        }
        assertThat(history.add(NOW, "ann", files("text 21"))).hasValue(21);
        assertThat(history.list()).hasSize(20);
        assertThat(history.list().getLast().number()).isEqualTo(2);
        assertThat(count(all)).as("left behind").isEqualTo(20);
    }

    private static long count(Path folder) throws IOException {
        try (Stream<Path> found = Files.list(folder)) {
            return found.count();
        }
    }

    @Test
    void aFolderThatCannotBeReadToItsEndIsNoUncheckedFault() throws IOException {
        IOException why = new IOException("Input/output error");
        try (DirectoryStream<Path> broken = new BrokenStream(why)) {
            assertThatThrownBy(() -> Shelf.all(broken)).isSameAs(why);
        }
    }

    /** Of a folder on a disk that fails. */
    private record BrokenStream(IOException why) implements DirectoryStream<Path> {
        @Override
        public Iterator<Path> iterator() {
            throw new DirectoryIteratorException(why);
        }

        @Override
        public void close() {}
    }

    @Test
    void theHashOfOneFileIsThatOfSha256sum() {
        assertThat(FileHash.of(List.of(new ConfigText(Path.of("a"), "abc".getBytes(UTF_8)))))
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
