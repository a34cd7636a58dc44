package net.oooops.sigma.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http1.Reading;
import net.oooops.sigma.http1.WholeHead;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Edits of a request's path and query, against a String. */
class PathPrefixTest {
    private static final String LETTERS = "//aab";

    private static HttpRequestHead head(String target) {
        HttpRequestHead head = new HttpRequestHead();
        assertThat(WholeHead.readRequest(
                        ("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n").getBytes(ISO_8859_1), head, Limits.DEFAULT))
                .isNull();
        return head;
    }

    private static String path(Random random, int lengthMax) {
        StringBuilder path = new StringBuilder();
        for (int i = random.nextInt(lengthMax + 1); i > 0; i--) {
            path.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return path.toString();
    }

    /** Any number of edits in any order. */
    @Test
    void editsAreThoseOfAString() {
        Random random = new Random(5);
        for (int round = 0; round < 20_000; round++) {
            String path = "/" + path(random, 8);
            String query = random.nextBoolean() ? "?q" : "";
            HttpRequestHead head = head(path + query);
            String received = new String(head.received(), 0, head.length(), ISO_8859_1);
            for (int edits = 1 + random.nextInt(4); edits > 0; edits--) {
                if (random.nextInt(5) == 0) {
                    path = "/" + path(random, 12);
                    head.path(path);
                } else {
                    int prefix = random.nextInt(path.length() + 1);
                    String replacement = path(random, 4);
                    head.replacePathPrefix(prefix, Ascii.of(replacement));
                    path = replacement + path.substring(prefix);
                    path = path.startsWith("/") ? path : "/" + path;
                }
                assertThat(head.path()).isEqualTo(path);
                assertThat(head.pathStartsWith(Ascii.of(path))).isTrue();
                assertThat(head.pathStartsWith(Ascii.of(path + "x"))).isFalse();
            }
            assertThat(Reading.written(head)).startsWith("GET " + path + query + " HTTP/1.1\r\n");
            assertThat(new String(head.received(), 0, head.length(), ISO_8859_1))
                    .isEqualTo(received);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 5, Integer.MAX_VALUE})
    void aPrefixIsNoLongerThanThePath(int bytes) {
        HttpRequestHead head = head("/abc?d");
        assertThatThrownBy(() -> head.replacePathPrefix(bytes, Ascii.of("/")))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(head.path()).isEqualTo("/abc");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "/a b",
                "/a?b",
                "/a#b",
                "/%",
                "/%4",
                "/%4g",
                "/a\r\nX: y",
                "/\u00E9",
                "/{",
                "/a\\b",
                "*",
                "/\0"
            })
    void whatIsNoPathIsRefused(String path) {
        HttpRequestHead head = head("/abc?d");
        assertThatThrownBy(() -> head.path(path)).isInstanceOf(IllegalArgumentException.class);
        assertThat(Reading.written(head)).startsWith("GET /abc?d HTTP/1.1\r\n");
    }

    @Test
    void whatAClientMayWriteAPluginMayToo() {
        HttpRequestHead head = head("/abc?d");
        head.path("/a|b^[1]/%E9");
        head.query("f={a}|`^\\[1]&q=100%&%zz&%4");
        assertThat(Reading.written(head)).startsWith("GET /a|b^[1]/%E9?f={a}|`^\\[1]&q=100%&%zz&%4 HTTP/1.1\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "a b", "a#b", "a\r\n", "\u00E9", "\"", "<"})
    void whatIsNoQueryIsRefused(String query) {
        HttpRequestHead head = head("/abc?d");
        assertThatThrownBy(() -> head.query(query)).isInstanceOf(IllegalArgumentException.class);
        assertThat(head.query()).isEqualTo("d");
    }

    @Test
    void queries() {
        HttpRequestHead head = head("/abc");
        assertThat(head.query()).isNull();
        head.query("");
        assertThat(Reading.written(head)).startsWith("GET /abc? HTTP/1.1\r\n");
        head.query("a=/?:@[%20]");
        assertThat(Reading.written(head)).startsWith("GET /abc?a=/?:@[%20] HTTP/1.1\r\n");
        head.query(null);
        assertThat(Reading.written(head)).startsWith("GET /abc HTTP/1.1\r\n");
    }
}
