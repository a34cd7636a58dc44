package net.oooops.sigma.balance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import net.oooops.sigma.Allocation;
import org.junit.jupiter.api.Test;

class NodeTokensTest {
    private static final List<String> NODES =
            IntStream.range(0, 200).mapToObj(i -> "10.0.0." + i + ":80").toList();
    private static final NodeTokens TOKENS = new NodeTokens(key("a key of the test"), "u", NODES);

    private static SecretKey key(String text) {
        return new SecretKeySpec(text.getBytes(US_ASCII), "HmacSHA256");
    }

    private static int nodeOf(String token) {
        byte[] bytes = ("node=" + token + ";").getBytes(US_ASCII);
        return TOKENS.nodeOf(bytes, 5, bytes.length - 1);
    }

    @Test
    void eachNodeIsFoundByItsToken() {
        Set<String> different = new HashSet<>();
        for (int node = 0; node < NODES.size(); node++) {
            assertThat(TOKENS.text(node)).matches("[A-Za-z0-9_-]{22}");
            assertThat(nodeOf(TOKENS.text(node))).isEqualTo(node);
            different.add(TOKENS.text(node));
        }
        assertThat(different).hasSameSizeAs(NODES);
    }

    /** The first half of what HMAC-SHA256 says, computed elsewhere. */
    @Test
    void aTokenIsAnHmac() {
        NodeTokens tokens = new NodeTokens(key("0123456789abcdef"), "shop", List.of("10.0.0.1:80"));
        assertThat(tokens.text(0)).isEqualTo("LNZvVEizINvOzyGj9Vj-1Q");
    }

    @Test
    void itTellsNothingAndNobodyElseCanMakeIt() {
        assertThat(Base64.getUrlDecoder().decode(TOKENS.text(1))).hasSize(16);
        assertThat(new NodeTokens(key("another key of it"), "u", NODES).text(1)).isNotEqualTo(TOKENS.text(1));
        assertThat(new NodeTokens(key("a key of the test"), "v", NODES).text(1)).isNotEqualTo(TOKENS.text(1));
    }

    @Test
    void theOrderOfNodesDoesNotMatter() {
        NodeTokens reversed = new NodeTokens(key("a key of the test"), "u", NODES.reversed());
        assertThat(reversed.text(0)).isEqualTo(TOKENS.text(NODES.size() - 1));
    }

    @Test
    void anyOtherTextIsNoToken() {
        String token = TOKENS.text(7);
        assertThat(nodeOf("")).isEqualTo(-1);
        assertThat(nodeOf(token.substring(1))).isEqualTo(-1);
        assertThat(nodeOf(token + "A")).isEqualTo(-1);
        assertThat(nodeOf("10.0.0.7:80")).isEqualTo(-1);
        byte[] bytes = token.getBytes(US_ASCII);
        for (int at = 0; at < bytes.length; at++) {
            for (int other = -128; other < 128; other++) {
                byte was = bytes[at];
                bytes[at] = (byte) other;
                // Nor is one with bits set that count for nothing: each node has one token.
                assertThat(TOKENS.nodeOf(bytes, 0, bytes.length)).isEqualTo(other == was ? 7 : -1);
                bytes[at] = was;
            }
        }
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 1_000; i++) {
            byte[] noise = new byte[22];
            random.nextBytes(noise);
            assertThat(TOKENS.nodeOf(noise, 0, 22)).isEqualTo(-1);
        }
    }

    @Test
    void findingANodeAllocatesNothing() {
        byte[] token = TOKENS.text(150).getBytes(US_ASCII);
        assertThat(Allocation.bytes(() -> {
                    if (TOKENS.nodeOf(token, 0, token.length) != 150) {
                        throw new AssertionError("another node");
                    }
                }))
                .isZero();
    }
}
