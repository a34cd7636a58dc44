package net.oooops.sigma.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GeneratedBodyTest {
    private static final int BLOCK_BYTES = 64 * 1024;

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 7, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES + 5})
    void isTheSameHoweverItIsRead(long bytes) throws IOException {
        var body = GeneratedBody.of(42, bytes);
        var inPieces = new ByteArrayOutputStream();
        try (var stream = body.stream()) {
            byte[] piece = new byte[1000];
            for (int count = stream.read(piece); count >= 0; count = stream.read(piece)) {
                inPieces.write(piece, 0, count);
            }
        }
        var digest = Wire.sha256();
        digest.update(body.toBytes());

        assertThat(body.toBytes()).hasSize((int) bytes).isEqualTo(inPieces.toByteArray());
        assertThat(body.sha256()).isEqualTo(Wire.hex(digest));
        assertThat(GeneratedBody.of(42, bytes).toBytes()).isEqualTo(body.toBytes());
    }

    @Test
    void differsFromSeedToSeedAndFromBlockToBlock() {
        byte[] body = GeneratedBody.of(1, 2L * BLOCK_BYTES).toBytes();

        assertThat(GeneratedBody.of(2, 2L * BLOCK_BYTES).toBytes()).isNotEqualTo(body);
        assertThat(Arrays.copyOf(body, BLOCK_BYTES)).isNotEqualTo(Arrays.copyOfRange(body, BLOCK_BYTES, body.length));
    }

    @Test
    void refusesANegativeLength() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GeneratedBody.of(1, -1))
                .withMessage("bytes: -1 (expected: >= 0)");
    }
}
