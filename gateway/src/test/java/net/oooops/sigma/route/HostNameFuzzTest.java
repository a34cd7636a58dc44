package net.oooops.sigma.route;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.net.URI;

class HostNameFuzzTest {

    /** What is an authority here is one to the JDK too, with the same port; its host is one again, and the same. */
    @FuzzTest
    void whatIsAnAuthorityIsOneToOthersToo(byte[] raw) {
        long parsed = HostName.parse(raw, 0, raw.length);
        if (parsed == HostName.INVALID || raw.length == 0) {
            return;
        }
        String text = new String(raw, ISO_8859_1);
        int hostEnd = HostName.hostEnd(parsed);
        int port = HostName.port(parsed);
        URI uri = URI.create("http://" + text + "/");
        assertThat(uri.getRawAuthority()).isEqualTo(text);
        assertThat(uri.getRawUserInfo()).isNull();
        if (uri.getHost() != null) {
            // Null where it holds _ or ~, which URI knows in a registry name only.
            assertThat(uri.getPort()).isEqualTo(port == 0 ? -1 : port);
            assertThat(uri.getHost()).startsWith(text.substring(0, hostEnd));
        }
        assertThat(HostName.parse(raw, 0, hostEnd)).isEqualTo((long) hostEnd << 16);
    }
}
