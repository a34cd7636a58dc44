package net.oooops.sigma.route;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks 14 and 46: the authority of a request. */
class HostNameTest {
    private static final String BEFORE = "Host: ";
    private static final String BEHIND = "9]:@\r\n";

    private static long parse(String authority) {
        byte[] source = (BEFORE + authority + BEHIND).getBytes(ISO_8859_1);
        return HostName.parse(source, BEFORE.length(), source.length - BEHIND.length());
    }

    @ParameterizedTest
    @CsvSource({
        "'',                    '',                  0",
        "a,                     a,                   0",
        "www.example.com,       www.example.com,     0",
        "www.example.com.,      www.example.com,     0",
        "www.example.com.:80,   www.example.com,     80",
        "WWW.Example.com:8080,  WWW.Example.com,     8080",
        "a_b-c~d,               a_b-c~d,             0",
        "xn--bcher-kva.example, xn--bcher-kva.example, 0",
        "host:,                 host,                0",
        "host:1,                host,                1",
        "host:65535,            host,                65535",
        "host:00080,            host,                80",
        "127.0.0.1,             127.0.0.1,           0",
        "255.255.255.255:80,    255.255.255.255,     80",
        "1.2.3.4.,              1.2.3.4,             0",
        "1.2.3.4a,              1.2.3.4a,            0",
        "4.example,             4.example,           0",
        "web.1,                 web.1,               0",
        "web.1.:8080,           web.1,               8080",
        "1.web.2,               1.web.2,             0",
        "a-1.0x1.1,             a-1.0x1.1,           0",
        "0xg.1,                 0xg.1,               0",
        "[::1],                 [::1],               0",
        "[::],                  [::],                0",
        "[::1]:443,             [::1],               443",
        "[2001:DB8:0:0:8:800:200C:417A], [2001:DB8:0:0:8:800:200C:417A], 0",
        "[2001:db8::8:800:200c:417a]:,   [2001:db8::8:800:200c:417a],    0",
        "[1:2:3:4:5:6:7::],     [1:2:3:4:5:6:7::],   0",
        "[::ffff:127.0.0.1]:80, [::ffff:127.0.0.1],  80",
        "[1:2:3:4:5:6:1.2.3.4], [1:2:3:4:5:6:1.2.3.4], 0",
    })
    void anAuthorityIsHostAndPort(String authority, String host, int port) {
        long parsed = parse(authority);
        assertThat(parsed).isNotEqualTo(HostName.INVALID);
        assertThat(HostName.hostEnd(parsed)).isEqualTo(BEFORE.length() + host.length());
        assertThat(authority).startsWith(host);
        assertThat(HostName.port(parsed)).isEqualTo(port);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".",
                "..",
                ".a",
                "a..b",
                "a..",
                "user@host",
                "user:pw@host",
                "a,b",
                "a b",
                " a",
                "a ",
                "a/b",
                "a?b",
                "a#b",
                "a\\b",
                "a\tb",
                "a%41",
                "a%",
                "a*b",
                "a;b",
                "a=b",
                "a'b",
                "a\"b",
                "a<b",
                "a|b",
                "a\u0000b",
                "b\u00fccher"
            })
    void whatIsNoNameIsRefused(String authority) {
        assertThat(parse(authority)).isEqualTo(HostName.INVALID);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ":",
                "host:0",
                "host:65536",
                "host:99999",
                "host:000080",
                "host:+80",
                "host:-1",
                "host:8o",
                "host:80:80",
                "host: 80",
                ":80",
                ".:80"
            })
    void whatIsNoPortIsRefused(String authority) {
        assertThat(parse(authority)).isEqualTo(HostName.INVALID);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "256.0.0.1",
                "1.2.3",
                "1.2.3.4.5",
                "01.2.3.4",
                "1.2.3.04",
                "1..3.4",
                "127.1",
                "1234",
                "0x7f.1",
                "0X7F.0.0.1",
                "0x.1",
                "1.2.3.4.:x",
                "[]",
                "[",
                "[::1",
                "::1",
                "[::1]x",
                "[::1]:0",
                "[::1].",
                "[1::2::3]",
                "[:1]",
                "[1:]",
                "[:::]",
                "[::1:]",
                "[12345::]",
                "[1:2:3:4:5:6:7]",
                "[1:2:3:4:5:6:7:8:9]",
                "[::1:2:3:4:5:6:7:8]",
                "[g::1]",
                "[fe80::1%eth0]",
                "[fe80::1%25eth0]",
                "[v1.x]",
                "[::256.0.0.1]",
                "[::1.2.3]",
                "[::1.2.3.4:5]",
                "[1:2:3:4:5:6:7:1.2.3.4]",
                "[::1]]",
                "[[::1]]",
                "[1.2.3.4]"
            })
    void whatIsNoAddressIsRefused(String authority) {
        assertThat(parse(authority)).isEqualTo(HostName.INVALID);
    }

    @Test
    void aNameHasAtMost255Bytes() {
        String longest = "a.".repeat(127) + "b";
        assertThat(HostName.port(parse(longest + ":8080"))).isEqualTo(8080);
        assertThat(parse(longest + "b")).isEqualTo(HostName.INVALID);
    }
}
