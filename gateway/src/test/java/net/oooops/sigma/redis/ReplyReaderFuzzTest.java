package net.oooops.sigma.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.oooops.sigma.redis.ReplyReader.GarbageException;

/** Whatever comes is replies or garbage, the same ones wherever it is cut. */
class ReplyReaderFuzzTest {
    @FuzzTest
    void anyBytesAreRepliesOrGarbage(byte[] bytes) {
        assertThat(read(bytes, 1)).isEqualTo(read(bytes, Math.max(1, bytes.length)));
    }

    private static List<String> read(byte[] bytes, int step) {
        ReplyReader reader = new ReplyReader(256, 512);
        List<String> found = new ArrayList<>();
        try {
            for (int i = 0; i < bytes.length; i += step) {
                reader.take(
                        Arrays.copyOfRange(bytes, i, Math.min(bytes.length, i + step)),
                        reply -> found.add(shown(reply)));
            }
        } catch (GarbageException e) {
            found.add("garbage");
        }
        return found;
    }

    private static String shown(Object reply) {
        if (reply instanceof byte[] text) {
            return Arrays.toString(text);
        }
        if (reply instanceof List<?> list) {
            return list.stream().map(ReplyReaderFuzzTest::shown).toList().toString();
        }
        if (reply == ReplyReader.TOO_LONG) {
            return "too long";
        }
        return reply == ReplyReader.NIL ? "nil" : reply.toString();
    }
}
