package net.oooops.sigma.control.socket;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import java.io.IOException;
import java.util.Map;

/** Whatever comes through the socket is understood or refused in words; nothing else is thrown. */
public final class ProtocolFuzzTest {
    private static final byte[] REQUEST =
            "{\"protocol\":1,\"command\":\"weight\",\"arguments\":{\"node\":\"a:1\",\"weight\":7},\"timeout_ms\":30000}"
                    .getBytes(UTF_8);

    private ProtocolFuzzTest() {}

    /** Takes the bytes as the request, or as what replaces a part of one that makes sense. */
    public static void fuzzerTestOneInput(FuzzedDataProvider input) {
        byte[] request = input.consumeBoolean() ? input.consumeRemainingAsBytes() : spliced(input);
        try {
            Asked asked = Protocol.asked(PlainJson.read(request), "somebody");
            asked.optionalText("node");
            asked.number("weight");
            PlainJson.read(PlainJson.line(Map.of("arguments", asked.arguments())));
        } catch (Refused e) {
            if (e.text().isEmpty()) {
                throw new AssertionError("refused without a word");
            }
        } catch (IOException e) {
            return;
        }
    }

    private static byte[] spliced(FuzzedDataProvider input) {
        int from = input.consumeInt(0, REQUEST.length);
        int end = Math.min(REQUEST.length, from + input.consumeInt(0, 64));
        byte[] part = input.consumeRemainingAsBytes();
        byte[] request = new byte[from + part.length + REQUEST.length - end];
        System.arraycopy(REQUEST, 0, request, 0, from);
        System.arraycopy(part, 0, request, from, part.length);
        System.arraycopy(REQUEST, end, request, from + part.length, REQUEST.length - end);
        return request;
    }
}
