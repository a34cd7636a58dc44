package net.oooops.sigma.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.oooops.sigma.redis.ReplyReader.ErrorReply;
import net.oooops.sigma.redis.ReplyReader.GarbageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyReaderTest {
    private static final int BYTES_MAX = 1000;
    private static final int PASSED_BYTES_MAX = 4000;

    private static List<Object> read(String... pieces) throws GarbageException {
        ReplyReader reader = new ReplyReader(BYTES_MAX, PASSED_BYTES_MAX);
        List<Object> replies = new ArrayList<>();
        for (String piece : pieces) {
            reader.take(piece.getBytes(ISO_8859_1), replies::add);
        }
        return replies.stream().map(ReplyReaderTest::plain).toList();
    }

    private static Object plain(Object reply) {
        if (reply instanceof byte[] bytes) {
            return "$" + new String(bytes, ISO_8859_1);
        }
        return reply instanceof List<?> list
                ? list.stream().map(ReplyReaderTest::plain).toList()
                : reply;
    }

    @Test
    void allKindsAreReadWhereverTheyAreCut() throws GarbageException {
        String all = "+OK\r\n-ERR no\r\n:-12\r\n$5\r\na\r\nb\0\r\n$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n"
                + "*3\r\n:1\r\n*2\r\n$1\r\nx\r\n*0\r\n+y\r\n";
        List<Object> expected = List.of(
                "OK",
                new ErrorReply("ERR no"),
                -12L,
                "$a\r\nb\0",
                "$",
                ReplyReader.NIL,
                ReplyReader.NIL,
                List.of(),
                List.of(1L, List.of("$x", List.of()), "y"));
        assertThat(read(all)).isEqualTo(expected);
        assertThat(read(all.split(""))).isEqualTo(expected);
        for (int i = 1; i < all.length(); i++) {
            assertThat(read(all.substring(0, i), all.substring(i))).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 400 Bad Request\r\n",
                "H",
                "\r\n",
                "+a\rb\r\n",
                ":\r\n",
                ":1a\r\n",
                ":9223372036854775808\r\n",
                "$-2\r\n",
                "$4001\r\n",
                "$9999999999999999999\r\n",
                "$99999999999999999999999\r\n",
                "$3\r\nabcd\r\n",
                "*-2\r\n",
                "*251\r\n",
                "*1000000000\r\n",
                "*576460752303423489\r\n",
                "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n",
                "*2\r\n$1990\r\n",
            })
    void garbageIsToldAsSoonAsItIsSeen(String text) {
        String all = text.startsWith("*2") ? text + "a".repeat(1990) + "\r\n$1990\r\n" : text;
        assertThatThrownBy(() -> read(all)).isInstanceOf(GarbageException.class);
    }

    /** A line that doesn't end, a list that is never complete, texts in it: none of them is kept beyond the bound. */
    @ParameterizedTest
    @ValueSource(strings = {"+", "*200\r\n", "*1\r\n$900\r\n"})
    void whatNeverEndsIsGarbageInTheEnd(String begin) {
        ReplyReader reader = new ReplyReader(BYTES_MAX, PASSED_BYTES_MAX);
        byte[] more =
                (begin.equals("*200\r\n") ? "$10\r\n0123456789\r\n".repeat(10) : "a".repeat(1000)).getBytes(ISO_8859_1);
        assertThatThrownBy(() -> {
                    reader.take(begin.getBytes(ISO_8859_1), reply -> {});
                    for (int i = 0; i < 20; i++) {
                        reader.take(Arrays.copyOf(more, more.length), reply -> {});
                    }
                })
                .isInstanceOf(GarbageException.class);
    }

    /** Replies to others follow it. */
    @Test
    void whatIsTooLongIsReadPast() throws GarbageException {
        String text = "$2000\r\n" + "a".repeat(2000) + "\r\n";
        String all = text + "*40\r\n" + "$10\r\n0123456789\r\n".repeat(40) + "*2\r\n" + text + "*1\r\n:3\r\n+OK\r\n"
                + text + ":7\r\n";
        Object tooLong = ReplyReader.TOO_LONG;
        List<Object> expected = List.of(tooLong, tooLong, tooLong, "OK", tooLong, 7L);
        assertThat(read(all)).isEqualTo(expected);
        assertThat(read(all.split(""))).isEqualTo(expected);
        for (int i = 1; i < all.length(); i += 7) {
            assertThat(read(all.substring(0, i), all.substring(i))).isEqualTo(expected);
        }
    }

    /** What was long and is over counts no more. */
    @Test
    void eachReplyHasTheWholeBound() throws GarbageException {
        String one = "$900\r\n" + "a".repeat(900) + "\r\n";
        assertThat(read(one + one, one)).hasSize(3);
    }
}
