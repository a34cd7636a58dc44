package net.oooops.sigma.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import net.oooops.sigma.api.IpAddress;
import org.jspecify.annotations.Nullable;

class ForwardedElementsFuzzTest {
    private static final IpAddress ADDED = IpAddress.of(new byte[] {(byte) 192, 0, 2, 1});

    /** A proxy that extends what a client began is read as it meant it, or the line is malformed: the client can hide it in nothing. */
    @FuzzTest
    void whatAProxyAddsIsReadAsItsOwn(byte[] input) {
        String begun = new String(input, ISO_8859_1);
        boolean wellFormed = isWellFormed(begun);
        for (String added : new String[] {", for=192.0.2.1", ",for=\"192.0.2.1:80\";proto=https;host=\"a:81\""}) {
            assertThat(isWellFormed(begun + added)).isEqualTo(wellFormed);
            if (wellFormed) {
                assertThat(lastNode(begun + added)).isEqualTo(ADDED);
            }
        }
    }

    private static ForwardedElements elements(String line) {
        // As in a head, there is more behind the line.
        byte[] bytes = (line + "\"\\,;for=10.0.0.1").getBytes(ISO_8859_1);
        return new ForwardedElements(bytes, 0, line.length());
    }

    private static boolean isWellFormed(String line) {
        ForwardedElements elements = elements(line);
        int count = 0;
        while (elements.next()) {
            count++;
        }
        assertThat(elements.next()).as("the end is the end").isFalse();
        assertThat(count).isLessThanOrEqualTo(line.length() + 1);
        return !elements.isMalformed();
    }

    private static @Nullable IpAddress lastNode(String line) {
        ForwardedElements elements = elements(line);
        IpAddress node = null;
        while (elements.next()) {
            node = elements.node();
        }
        return node;
    }
}
