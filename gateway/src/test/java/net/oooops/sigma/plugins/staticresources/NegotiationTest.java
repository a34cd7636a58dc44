package net.oooops.sigma.plugins.staticresources;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Dates and conditions. */
class NegotiationTest {
    private static final long CHANGED = 1_700_000_000;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private ServedFile file;

    @BeforeEach
    void make() throws IOException {
        Path path = folder.resolve("a.txt");
        Files.writeString(path, "hello");
        Files.setLastModifiedTime(path, FileTime.from(Instant.ofEpochSecond(CHANGED, 5)));
        try (FileChannel channel = FileChannel.open(path)) {
            file = new ServedFile(
                    new ServedFile.Kind("", "text/plain", null, ServedFile.vary(true, false)),
                    new Tree.OpenFile(channel, 5, CHANGED, 5),
                    new byte[5]);
        }
    }

    @Test
    void datesInTheirThreeForms() {
        assertThat(HttpDate.format(784_111_777)).isEqualTo("Sun, 06 Nov 1994 08:49:37 GMT");
        assertThat(HttpDate.parse("Sun, 06 Nov 1994 08:49:37 GMT")).isEqualTo(784_111_777);
        assertThat(HttpDate.parse("Sunday, 06-Nov-94 08:49:37 GMT")).isEqualTo(784_111_777);
        assertThat(HttpDate.parse("Sun Nov  6 08:49:37 1994")).isEqualTo(784_111_777);
        assertThat(HttpDate.parse("Sun Nov 16 08:49:37 1994")).isEqualTo(HttpDate.NONE);
        assertThat(HttpDate.parse("yesterday")).isEqualTo(HttpDate.NONE);
        assertThat(HttpDate.parse("x".repeat(1000))).isEqualTo(HttpDate.NONE);
    }

    private static Asked asked(String... fields) {
        String[] of = new String[6];
        for (int i = 0; i < fields.length; i += 2) {
            int at = List.of("match", "unmodified", "none-match", "modified", "range", "if-range")
                    .indexOf(fields[i]);
            of[at] = fields[i + 1];
        }
        List<String> match = of[0] == null ? null : List.of(of[0]);
        List<String> noneMatch = of[2] == null ? null : List.of(of[2]);
        return new Asked(match, of[1], noneMatch, of[3], of[4], of[5], null, List.of());
    }

    private String judged(String... fields) {
        return Conditions.judge(asked(fields), file).name();
    }

    @Test
    void conditionsInTheirOrder() {
        String before = HttpDate.format(CHANGED - 1);
        String same = HttpDate.format(CHANGED);
        String after = HttpDate.format(CHANGED + 1);
        assertThat(judged()).isEqualTo("SEND");
        assertThat(judged("match", file.tag())).isEqualTo("SEND");
        assertThat(judged("match", "*")).isEqualTo("SEND");
        assertThat(judged("match", "W/" + file.tag())).isEqualTo("FAILED");
        assertThat(judged("match", "\"x\"")).isEqualTo("FAILED");
        assertThat(judged("match", file.tag(), "unmodified", before)).isEqualTo("SEND");
        assertThat(judged("unmodified", before)).isEqualTo("FAILED");
        assertThat(judged("unmodified", same)).isEqualTo("SEND");
        assertThat(judged("unmodified", "nonsense")).isEqualTo("SEND");
        assertThat(judged("none-match", file.tag())).isEqualTo("NOT_MODIFIED");
        assertThat(judged("none-match", "W/" + file.tag())).isEqualTo("NOT_MODIFIED");
        assertThat(judged("none-match", "*")).isEqualTo("NOT_MODIFIED");
        assertThat(judged("none-match", "\"x\"", "modified", after)).isEqualTo("SEND");
        assertThat(judged("modified", same)).isEqualTo("NOT_MODIFIED");
        assertThat(judged("modified", after)).isEqualTo("NOT_MODIFIED");
        assertThat(judged("modified", before)).isEqualTo("SEND");
        assertThat(judged("modified", "nonsense")).isEqualTo("SEND");
        assertThat(judged("match", "\"x\"", "none-match", file.tag())).isEqualTo("FAILED");
        assertThat(judged("match", file.tag(), "none-match", file.tag())).isEqualTo("NOT_MODIFIED");
    }

    @Test
    void aRangeOfThisVersionOnly() {
        long later = CHANGED + 100;
        assertThat(Conditions.isSameVersion(null, file, later)).isTrue();
        assertThat(Conditions.isSameVersion(file.tag(), file, later)).isTrue();
        assertThat(Conditions.isSameVersion("W/" + file.tag(), file, later)).isFalse();
        assertThat(Conditions.isSameVersion("\"x\"", file, later)).isFalse();
        assertThat(Conditions.isSameVersion(file.modified(), file, later)).isTrue();
        assertThat(Conditions.isSameVersion(file.modified(), file, CHANGED + 1)).isFalse();
        assertThat(Conditions.isSameVersion(HttpDate.format(CHANGED + 1), file, later))
                .isFalse();
        assertThat(Conditions.isSameVersion("nonsense", file, later)).isFalse();
    }

    @Test
    void endsOfNames() {
        MediaTypes types = new MediaTypes(Map.of("html", "text/x", "glb", "model/gltf-binary"));
        assertThat(types.of("a.html")).isEqualTo("text/x");
        assertThat(types.of("a/b.GLB")).isEqualTo("model/gltf-binary");
        assertThat(types.of("a.b/c")).isEqualTo(MediaTypes.UNKNOWN);
        assertThat(types.of("README")).isEqualTo(MediaTypes.UNKNOWN);
        assertThat(types.of("a.tar.gz")).isEqualTo("application/gzip");
        assertThat(types.of("a.js")).isEqualTo("text/javascript; charset=utf-8");
    }
}
