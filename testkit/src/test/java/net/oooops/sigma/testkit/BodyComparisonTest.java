package net.oooops.sigma.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BodyComparisonTest {
    private static final int BYTES = 100_000;
    private static final GeneratedBody BODY = GeneratedBody.of(6, BYTES);

    private static long mismatch(byte[] came, int pieceBytes) throws IOException {
        var comparison = new BodyComparison(BODY);
        for (int at = 0; at < came.length; at += pieceBytes) {
            comparison.accept(came, at, Math.min(pieceBytes, came.length - at));
        }
        return comparison.mismatch();
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 1000, 16 * 1024, 70_000, 2 * BYTES})
    void findsTheFirstByteThatDiffersInWhateverPiecesTheyCome(int pieceBytes) throws IOException {
        byte[] whole = BODY.toBytes();
        assertThat(mismatch(whole, pieceBytes)).isEqualTo(-1);
        for (int at : new int[] {0, 1, 16_383, 16_384, 65_536, BYTES - 1}) {
            byte[] other = whole.clone();
            other[at] = (byte) ~whole[at];
            other[BYTES - 1] = (byte) ~whole[BYTES - 1];
            assertThat(mismatch(other, pieceBytes)).isEqualTo(at);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 16 * 1024, 2 * BYTES})
    void whatIsMissingOrBeyondDiffers(int pieceBytes) throws IOException {
        byte[] whole = BODY.toBytes();
        for (int bytes : new int[] {0, 1, 16_384, BYTES - 1}) {
            assertThat(mismatch(Arrays.copyOf(whole, bytes), pieceBytes)).isEqualTo(bytes);
        }
        assertThat(mismatch(Arrays.copyOf(whole, BYTES + 1), pieceBytes)).isEqualTo(BYTES);
    }

    @Test
    void bodiesOfConnectionsAreComparedWhereTheyAreExpected() throws IOException {
        try (var upstream = ScriptedUpstream.startOnHead(request -> {
                    request.expectBody(BODY);
                    return Script.script().readBody().respond(Answer.ok("").body(GeneratedBody.of(7, BYTES)));
                });
                var client = RawClient.connect(upstream.port()).expectBody(GeneratedBody.of(7, BYTES))) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + BYTES + "\r\n\r\n");
            RawResponse response = client.send(BODY).readResponse();
            assertThat(response.bodyMismatch()).isEqualTo(-1);
            assertThat(upstream.request(0).bodyMismatch()).isEqualTo(-1);
            assertThatIllegalStateException().isThrownBy(response::bodySha256);
            client.expectBody(BODY).send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n?");
            assertThat(client.readResponse().bodyMismatch()).isNotNegative();
            assertThat(upstream.request(1).bodyMismatch()).isNotNegative();
        }
    }
}
