package net.oooops.sigma.plugins.staticresources;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.OpenFiles;
import net.oooops.sigma.api.FileBody;
import net.oooops.sigma.api.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is remembered stays within its bounds, and what is new gets in. */
class CacheTest {
    private static final long VALID_NANOS = 1000;
    private static final int ENTRIES = 64;
    private static final Kept MISSING = new Kept.Missing(false);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private static Cache cache(long bytesMax, long openMax) {
        return new Cache(new Cache.Bounds(ENTRIES, bytesMax, openMax), VALID_NANOS);
    }

    private static ServedFile.Kind kind() {
        return new ServedFile.Kind("", "text/plain", null, null);
    }

    private Kept open(String name) throws IOException {
        Path file = Files.writeString(folder.resolve(name), name);
        return new Kept.Files(new ServedFile(kind(), new Tree.OpenFile(FileChannel.open(file), 1, 1, 1)), List.of());
    }

    private Kept small(int bytes) throws IOException {
        Path file = Files.writeString(folder.resolve("small"), "");
        try (FileChannel channel = FileChannel.open(file)) {
            return new Kept.Files(
                    new ServedFile(kind(), new Tree.OpenFile(channel, bytes, 1, 1), new byte[bytes]), List.of());
        }
    }

    private static FileBody bodyOf(Kept kept) {
        Outcome whole = ((Kept.Files) kept).plain().whole();
        assertThat(whole).isInstanceOf(Outcome.Respond.class);
        FileBody body =
                ((Outcome.Respond) Objects.requireNonNull(whole)).response().file();
        return Objects.requireNonNull(body);
    }

    @Test
    void contentsThatAreTooManyMakeRoomForNewOnes() throws IOException {
        Cache cache = cache(50, 0);
        for (int i = 0; i < 30; i++) {
            String path = "/" + (10 + i);
            cache.put(path, small(7), 0);
            assertThat(cache.get(path, 0)).as(path).isNotNull();
            assertThat(cache.heldBytes()).isLessThanOrEqualTo(50);
        }
        assertThat(cache.heldEntries()).isEqualTo(5);
    }

    @Test
    void whatIsAskedForStays() throws IOException {
        Cache cache = cache(50, 0);
        cache.put("/hot", small(10), 0);
        for (int i = 0; i < 30; i++) {
            assertThat(cache.get("/hot", 0)).as("after " + i).isNotNull();
            cache.put("/" + i, small(10), 0);
        }
    }

    @Test
    void oneThatIsLargerThanAllMayBeForcesNothingOut() throws IOException {
        Cache cache = cache(50, 0);
        cache.put("/a", small(48), 0);
        cache.put("/b", small(49), 0);
        assertThat(cache.get("/a", 0)).isNotNull();
        assertThat(cache.get("/b", 0)).isNull();
        assertThat(cache.heldBytes()).isEqualTo(50);
    }

    @Test
    void pathsThatAreTooLongMakeRoomForNewOnes() {
        Cache cache = cache(5_000, 0);
        for (int i = 10; i < 40; i++) {
            String path = "/" + i + "a".repeat(997);
            cache.put(path, MISSING, 0);
            assertThat(cache.get(path, 0)).as("number " + i).isNotNull();
            assertThat(cache.heldBytes()).isLessThanOrEqualTo(5_000);
        }
        assertThat(cache.heldEntries()).isEqualTo(5);
        cache.put("/" + "a".repeat(5_000), MISSING, 0);
        assertThat(cache.heldEntries()).isEqualTo(5);
    }

    @Test
    void entriesAreBounded() {
        Cache cache = cache(100_000, 0);
        for (int i = 0; i < 10_000; i++) {
            cache.put("/" + i, MISSING, i);
        }
        assertThat(cache.heldEntries()).isLessThanOrEqualTo(ENTRIES);
        assertThat(cache.get("/9999", 9999)).isSameAs(MISSING);
    }

    @Test
    void theOldestOfItsPlacesIsForgotten() {
        Kept redirect = new Kept.Redirect();
        Cache cache = new Cache(new Cache.Bounds(4, 100, 0), VALID_NANOS);
        for (int i = 0; i < 8; i++) {
            cache.put("/" + i, redirect, i);
        }
        assertThat(cache.get("/0", 8)).isNull();
        assertThat(cache.get("/7", 8)).isEqualTo(redirect);
        assertThat(cache.get("/4", 8)).isEqualTo(redirect);
        assertThat(cache.get("/7", 1007)).isNull();
        cache.put("/7", MISSING, 1007);
        assertThat(cache.get("/7", 1008)).isEqualTo(MISSING);
        assertThat(cache.get("/4", 1003)).isEqualTo(redirect);
        assertThat(cache.heldEntries()).isEqualTo(4);
    }

    @Test
    void whatIsPutAgainTakesThePlaceOfWhatWasThere() throws IOException {
        Cache cache = cache(50, 1);
        cache.put("/a", small(30), 0);
        cache.put("/a", small(20), 1);
        assertThat(cache.heldBytes()).isEqualTo("/a".length() + 20);
        cache.put("/a", open("one"), 2);
        cache.put("/a", open("two"), 3);
        assertThat(cache.heldBytes()).isEqualTo("/a".length());
        assertThat(cache.heldEntries()).isEqualTo(1);
        assertThat(OpenFiles.count(folder)).isEqualTo(1);
        cache.close();
    }

    @Test
    void openFilesAreBoundedAndClosed() throws IOException {
        Cache cache = cache(1000, 3);
        for (int i = 0; i < 10; i++) {
            cache.put("/" + i, open("file" + i), 0);
            assertThat(cache.get("/" + i, 0)).isNotNull();
            assertThat(cache.heldOpen()).isLessThanOrEqualTo(3);
        }
        assertThat(OpenFiles.count(folder)).isLessThanOrEqualTo(3);
        cache.close();
        assertThat(OpenFiles.count(folder)).isZero();
        cache.put("/late", open("late"), 0);
        assertThat(cache.heldOpen()).isZero();
        assertThat(OpenFiles.count(folder)).isZero();
    }

    @Test
    void aFileThatIsSentStaysOpenUntilItHasBeen() throws IOException {
        Cache cache = cache(1000, 1);
        Kept first = open("first");
        FileBody body = bodyOf(first);
        FileBody other = bodyOf(first);
        cache.put("/first", first, 0);
        cache.put("/second", open("second"), 0);
        assertThat(cache.get("/first", 0)).isNull();
        assertThat(body.isOpen()).isTrue();
        body.close();
        body.close();
        assertThat(body.isOpen()).isFalse();
        assertThat(other.isOpen()).as("that of another answer").isTrue();
        other.close();
        assertThat(body.file().isOpen()).isFalse();
        assertThat(((Kept.Files) first).plain().whole()).as("closed for good").isNull();
        cache.close();
    }

    @Test
    void whatIsntBelievedAnyMoreIsSweptAway() throws IOException {
        Cache cache = cache(100, 10);
        cache.put("/small", small(10), 0);
        cache.put("/open", open("open"), 0);
        assertThat(cache.get("/open", VALID_NANOS - 1)).isNotNull();
        assertThat(cache.get("/open", VALID_NANOS)).as("of an age").isNull();
        assertThat(cache.sweep(VALID_NANOS - 1)).isTrue();
        assertThat(cache.heldEntries()).isEqualTo(2);
        assertThat(cache.sweep(VALID_NANOS)).isFalse();
        assertThat(cache.heldEntries()).isZero();
        assertThat(cache.heldBytes()).isZero();
        assertThat(OpenFiles.count(folder)).isZero();
    }

    @Test
    void aFileThatNobodyAsksForIsClosedSooner() throws IOException {
        Cache cache = cache(100, 10);
        cache.put("/idle", open("idle"), 0);
        cache.put("/used", open("used"), 0);
        cache.put("/small", small(10), 0);
        for (int i = 0; i < 3; i++) {
            assertThat(cache.get("/used", 0)).isNotNull();
            assertThat(cache.sweep(0)).isTrue();
        }
        assertThat(cache.heldOpen()).isEqualTo(1);
        assertThat(cache.get("/idle", 0)).isNull();
        assertThat(cache.get("/small", 0)).as("it costs no descriptor").isNotNull();
        cache.close();
    }

    @Test
    void withoutAValidityNothingIsKept() throws IOException {
        Cache cache = new Cache(new Cache.Bounds(0, 100, 10), 0);
        cache.put("/a", open("a"), 0);
        assertThat(cache.get("/a", 0)).isNull();
        assertThat(OpenFiles.count(folder)).isZero();
    }
}
