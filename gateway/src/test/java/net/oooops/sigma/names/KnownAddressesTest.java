package net.oooops.sigma.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.api.IpAddress;
import org.junit.jupiter.api.Test;

class KnownAddressesTest {
    private static final long MINUTE = 60_000_000_000L;

    private final long now = System.nanoTime();
    private final KnownAddresses first = KnownAddresses.NONE.next(addresses("10.0.0.1", "10.0.0.2"), now, MINUTE);

    private static InetAddress address(String text) {
        return Objects.requireNonNull(IpAddress.parse(text)).inetAddress();
    }

    private static List<InetAddress> addresses(String... all) {
        return Arrays.stream(all).map(KnownAddressesTest::address).toList();
    }

    @Test
    void theSameInAnotherOrderIsNoOther() {
        assertThat(first.next(addresses("10.0.0.2", "10.0.0.1"), now, MINUTE)).isSameAs(first);
        assertThat(first.losses()).isZero();
    }

    @Test
    void oneMoreIsNoLoss() {
        KnownAddresses more = first.next(addresses("10.0.0.3", "10.0.0.2", "10.0.0.1"), now, MINUTE);
        assertThat(more.all()).hasSize(3);
        assertThat(more.losses()).isZero();
    }

    @Test
    void whatIsGoneIsTheNamesForAWhile() {
        KnownAddresses other = first.next(addresses("10.0.0.3"), now, MINUTE);
        assertThat(other.losses()).isEqualTo(1);
        assertThat(other.all()).isEqualTo(addresses("10.0.0.3"));
        assertThat(other.has(address("10.0.0.1"), MINUTE)).isTrue();
        assertThat(other.has(address("10.0.0.1"), 0)).isFalse();
        assertThat(other.has(address("10.0.0.4"), MINUTE)).isFalse();
        // Forgotten with the answer after that time.
        KnownAddresses last = other.next(addresses("10.0.0.4"), now + MINUTE, MINUTE);
        assertThat(last.has(address("10.0.0.1"), 10 * MINUTE)).isFalse();
        assertThat(last.has(address("10.0.0.3"), 10 * MINUTE)).isTrue();
        KnownAddresses back = last.next(addresses("10.0.0.1", "10.0.0.4"), now + MINUTE, MINUTE);
        assertThat(back.losses()).isEqualTo(2);
        assertThat(back.has(address("10.0.0.1"), 0)).isTrue();
    }

    @Test
    void oneThatIsSaidTwiceIsOne() {
        assertThat(KnownAddresses.NONE
                        .next(addresses("10.0.0.1", "10.0.0.1"), now, MINUTE)
                        .all())
                .hasSize(1);
    }
}
