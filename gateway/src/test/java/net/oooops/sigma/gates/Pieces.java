package net.oooops.sigma.gates;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import java.lang.reflect.Proxy;
import java.util.Arrays;

/**
 * What a fuzz target takes of an input piece by piece, without Jazzer: numbers from its end, as Jazzer does, and the rest from its beginning. Texts
 * are UTF-8, where Jazzer's are Java's own kind of it. Knows what the targets ask for; anything else is refused.
 */
final class Pieces {
    private final byte[] input;
    private int begin;
    private int end;

    private Pieces(byte[] input) {
        this.input = input;
        this.end = input.length;
    }

    static FuzzedDataProvider of(byte[] input) {
        Pieces pieces = new Pieces(input);
        return (FuzzedDataProvider) Proxy.newProxyInstance(
                Pieces.class.getClassLoader(),
                new Class<?>[] {FuzzedDataProvider.class},
                (_, method, arguments) ->
                        pieces.answer(method.getName(), arguments == null ? new Object[0] : arguments));
    }

    private Object answer(String asked, Object[] arguments) {
        return switch (asked) {
            case "consumeBoolean" -> (number(0xFF) & 1) == 1;
            case "consumeInt" -> {
                int least = (int) arguments[0];
                yield least + (int) number((long) (int) arguments[1] - least);
            }
            case "consumeRemainingAsBytes" -> bytes(end - begin);
            case "consumeRemainingAsString" -> new String(bytes(end - begin), UTF_8);
            case "consumeString" -> new String(bytes(Math.min((int) arguments[0], end - begin)), UTF_8);
            default -> throw new UnsupportedOperationException(asked + " (expected: what Pieces knows)");
        };
    }

    /** From 0 to that, of as many bytes as it takes. */
    private long number(long most) {
        long number = 0;
        for (int bits = 0; bits < Integer.SIZE && (most >> bits) > 0 && end > begin; bits += Byte.SIZE) {
            end--;
            number = (number << Byte.SIZE) | (input[end] & 0xFF);
        }
        return number % (most + 1);
    }

    private byte[] bytes(int count) {
        byte[] bytes = Arrays.copyOfRange(input, begin, begin + count);
        begin += count;
        return bytes;
    }
}
