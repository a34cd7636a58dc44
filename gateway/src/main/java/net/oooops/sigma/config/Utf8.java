package net.oooops.sigma.config;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Decodes UTF-8 strictly (RFC 3629): nothing is replaced. */
final class Utf8 {
    private static final char REPLACED = '\uFFFD';

    private Utf8() {}

    /** The text of all bytes from {@code start} on. */
    static String decode(byte[] bytes, int start) throws CharacterCodingException {
        // What isn't right has U+FFFD in its place here, which what is right may have, too. A decoder would make twice
        // as many bytes in between, in one
        // piece: of a large file that is so large to the collector that it gets regions of its own.
        String text = new String(bytes, start, bytes.length - start, StandardCharsets.UTF_8);
        return text.indexOf(REPLACED) < 0 ? text : strictly(bytes, start);
    }

    private static String strictly(byte[] bytes, int start) throws CharacterCodingException {
        return decoder()
                .decode(ByteBuffer.wrap(bytes, start, bytes.length - start))
                .toString();
    }

    /** The text before the first byte that is not UTF-8. */
    static String decodable(byte[] bytes, int start) {
        CharBuffer text = CharBuffer.allocate(bytes.length - start);
        CoderResult result = decoder().decode(ByteBuffer.wrap(bytes, start, bytes.length - start), text, true);
        assert result.isError();
        return text.flip().toString();
    }

    private static CharsetDecoder decoder() {
        return StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
    }
}
