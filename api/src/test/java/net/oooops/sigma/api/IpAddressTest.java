package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {
    private final byte[] out = new byte[64];

    private String text(int end) {
        return new String(out, 0, end, StandardCharsets.ISO_8859_1);
    }

    private static boolean isV6(String text) {
        byte[] source = ("[" + text + "]").getBytes(StandardCharsets.UTF_8);
        return IpAddress.isV6(source, 1, source.length - 1);
    }

    private static boolean isV4(String text) {
        byte[] source = ("[" + text + "]").getBytes(StandardCharsets.UTF_8);
        return IpAddress.isV4(source, 1, source.length - 1);
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, 0.0.0.0",
        "255.254.1.10, 255.254.1.10",
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "2001:db8::1, 2001:db8::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "fe80:0:0:0:1234:5:abcd:0, fe80::1234:5:abcd:0",
        "0:0:1:2:3:4:5:6, ::1:2:3:4:5:6",
        "1:2:3:4:5:6:0:0, 1:2:3:4:5:6::",
        "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8"
    })
    void addresses(String address, String expected) throws UnknownHostException {
        byte[] octets = InetAddress.getByName(address).getAddress();
        assertThat(text(IpAddress.write(octets, out, 0))).isEqualTo(expected);
    }

    @Test
    void addressesMappedToIpv6AreWrittenAsIpv4() {
        byte[] mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 0, 0, 1};
        assertThat(text(IpAddress.write(mapped, out, 0))).isEqualTo("10.0.0.1");
    }

    @Test
    void otherAddressesAreNotWritten() {
        assertThat(IpAddress.write(new byte[0], out, 5)).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource({
        "::ffff:10.0.0.1, 10.0.0.1",
        "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
        "1:2:3:4:5:6:192.0.2.33, 1:2:3:4:5:6:c000:221",
        "ABCD::EF01, abcd::ef01",
        "0:0:0:0:0:0:0:0, ::",
        "2001:0db8:0000::0001, 2001:db8::1",
        "192.0.2.1, 192.0.2.1"
    })
    void whatWasReadIsWrittenInOneForm(String text, String expected) {
        assertThat(Objects.requireNonNull(IpAddress.parse(text)).text()).isEqualTo(expected);
        assertThat(isV4(text) || isV6(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                ":::",
                "1",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:",
                ":1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1::2::3",
                "1:2:3:4::5:6:7:8",
                "12345::",
                "::g",
                "::1%eth0",
                "::1.2.3",
                "1.2.3.4::",
                "1:2:3:4:5:6:7:1.2.3.4",
                "::01.2.3.4",
                "1.2.3",
                "1.2.3.4.5",
                "256.1.1.1",
                "01.1.1.1",
                "1.2.3.4 ",
                "１.2.3.4",
                "::\u0661"
            })
    void anythingElseIsNoAddress(String text) {
        assertThat(IpAddress.parse(text)).isNull();
        assertThat(isV4(text) || isV6(text)).isFalse();
    }

    @Test
    void anyAddressIsReadAsItWasWritten() throws UnknownHostException {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            byte[] octets = new byte[i % 2 == 0 ? 16 : 4];
            random.nextBytes(octets);
            for (int zero = random.nextInt(octets.length); zero < octets.length && random.nextInt(4) > 0; zero++) {
                octets[zero] = 0;
            }
            IpAddress address = IpAddress.of(octets);
            assertThat(IpAddress.parse(address.text())).isEqualTo(address);
            assertThat(address.octets()).isEqualTo(octets);
            assertThat(address.inetAddress()).isEqualTo(InetAddress.getByName(address.text()));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2001:db8:1:2:3:4:5:6,64,2001:db8:1:2::",
        "2001:db8:1:2:3:4:5:6,48,2001:db8:1::",
        "2001:db8:1:ffff:3:4:5:6,49,2001:db8:1:8000::",
        "2001:db8:1:2:ffff:4:5:6,65,2001:db8:1:2:8000::",
        "2001:db8:1:2:3:4:5:7,127,2001:db8:1:2:3:4:5:6",
        "2001:db8:1:2:3:4:5:6,128,2001:db8:1:2:3:4:5:6",
        "ffff::1,1,8000::",
        "ffff::1,0,::",
        "192.0.2.1,64,192.0.2.1",
        "192.0.2.1,0,192.0.2.1",
        "::ffff:192.0.2.1,64,192.0.2.1"
    })
    void theNetworkOfAnAddress(String text, int bits, String network) {
        assertThat(Objects.requireNonNull(IpAddress.parse(text)).network(bits)).isEqualTo(IpAddress.parse(network));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 129})
    void noNetworkHasSoManyBits(int bits) {
        IpAddress address = Objects.requireNonNull(IpAddress.parse("192.0.2.1"));
        assertThatThrownBy(() -> address.network(bits))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ipv6Bits: " + bits);
    }
}
