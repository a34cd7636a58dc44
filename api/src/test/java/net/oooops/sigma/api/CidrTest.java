package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CidrTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.255.255, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "10.0.0.0/8, ::ffff:10.1.2.3, true",
        "10.0.0.0/8, ::a00:1, false",
        "0.0.0.0/0, 255.255.255.255, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "192.0.2.1, 192.0.2.1, true",
        "192.0.2.1, 192.0.2.2, false",
        "192.0.2.0/31, 192.0.2.1, true",
        "192.0.2.0/31, 192.0.2.2, false",
        "::/0, 2001:db8::1, true",
        "::/0, 10.0.0.1, false",
        "2001:db8::/32, 2001:db8:ffff::1, true",
        "2001:db8::/32, 2001:db9::, false",
        "2001:db8:0:1::/64, 2001:db8:0:1:ffff::, true",
        "2001:db8:0:1::/64, 2001:db8:0:2::, false",
        "2001:db8::8000:0:0:0/65, 2001:db8::8000:0:0:1, true",
        "2001:db8::8000:0:0:0/65, 2001:db8::1, false",
        "2001:db8::1, 2001:db8::1, true",
        "2001:db8::1, 2001:db8::2, false"
    })
    void holdsWhatItsPrefixSays(String block, String address, boolean held) {
        IpAddress given = Objects.requireNonNull(IpAddress.parse(address));
        assertThat(Cidr.parse(block).contains(given)).isEqualTo(held);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.1/8",
                "10.0.0.0/33",
                "::/129",
                "10.0.0.0/",
                "10.0.0.0/-1",
                "10.0.0.0/+8",
                "10.0.0.0/0008",
                "a/8",
                "/8",
                ""
            })
    void anythingElseIsNoBlock(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Cidr.parse(text));
    }

    @Test
    void readsBytesAsTheyComeFromASocket() throws UnknownHostException {
        Cidr block = Cidr.parse("10.0.0.0/8");
        assertThat(block.contains(InetAddress.getByName("10.1.2.3").getAddress()))
                .isTrue();
        assertThat(block.contains(new byte[] {11, 0, 0, 0})).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> block.contains(new byte[5]));
    }

    @Test
    void readsAddressesAsTheJdkDoes() throws UnknownHostException {
        Random random = new Random(7);
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = new byte[i % 2 == 0 ? 4 : 16];
            random.nextBytes(bytes);
            for (int zero = random.nextInt(bytes.length + 1); zero > 0; zero--) {
                bytes[random.nextInt(bytes.length)] = 0;
            }
            IpAddress address = IpAddress.of(bytes);
            assertThat(IpAddress.parse(InetAddress.getByAddress(bytes).getHostAddress()))
                    .isEqualTo(address);
            assertThat(IpAddress.parse(address.text())).isEqualTo(address);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0:0:0:0:0:0:0:0, ::",
        "::1, ::1",
        "1:0::, 1::",
        "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
        "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
        "2001:DB8::A, 2001:db8::a",
        "::ffff:192.0.2.1, 192.0.2.1"
    })
    void writesTheShortestForm(String text, String shortest) {
        assertThat(IpAddress.parse(text))
                .isNotNull()
                .extracting(IpAddress::text)
                .isEqualTo(shortest);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                ":::",
                "1",
                "1.2.3",
                "1.2.3.4.5",
                "256.0.0.0",
                "01.2.3.4",
                "1.2.3.4:80",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1::2::3",
                "12345::",
                "g::",
                "::1%eth0",
                "1.2.3.4::",
                "1:2:3:4:5:6:7::8",
                "[::1]",
                ":1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:",
                "١.2.3.4"
            })
    void anythingElseIsNoAddress(String text) {
        assertThat(IpAddress.parse(text)).isNull();
    }
}
