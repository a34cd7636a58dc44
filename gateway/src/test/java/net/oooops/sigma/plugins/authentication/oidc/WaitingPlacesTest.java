package net.oooops.sigma.plugins.authentication.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.plugins.authentication.BoundedWork;
import net.oooops.sigma.plugins.authentication.BoundedWork.Admission;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Providers that hang, and one that doesn't. */
@Isolated("the providers of the whole process are counted")
class WaitingPlacesTest {
    private static IpAddress client(int number) {
        return Objects.requireNonNull(IpAddress.parse("192.0." + number / 256 + "." + number % 256));
    }

    /** Has ever other clients wait until there is no more room; returns how many do. */
    private static int fill(WaitingPlaces of) {
        int count = 0;
        while (of.work().enter(client(count)) == Admission.ADMITTED) {
            count++;
        }
        return count;
    }

    @Test
    void thoseThatHangTakeNoPlacesOfAnother() {
        WaitingPlaces first = WaitingPlaces.begin("https://a.example");
        WaitingPlaces again = WaitingPlaces.begin("https://a.example");
        WaitingPlaces second = WaitingPlaces.begin("https://b.example");
        WaitingPlaces third = WaitingPlaces.begin("https://c.example");
        try {
            assertThat(again).isSameAs(first);
            int each = WaitingPlaces.each();
            assertThat(each).isBetween(WaitingPlaces.EACH_MIN, BoundedWork.WAITING_MAX / 3);
            assertThat(fill(first)).isEqualTo(each);
            assertThat(fill(second)).isEqualTo(each);
            assertThat(fill(third)).isEqualTo(each);
            WaitingPlaces.end("https://b.example");
            assertThat(WaitingPlaces.each()).isGreaterThan(each);
            assertThat(fill(third)).isEqualTo(WaitingPlaces.each() - each);
        } finally {
            WaitingPlaces.end("https://a.example");
            WaitingPlaces.end("https://a.example");
            WaitingPlaces.end("https://c.example");
        }
    }

    @Test
    void eachHasSomeHoweverManyThereAre() {
        for (int i = 0; i < 30; i++) {
            WaitingPlaces.begin("https://" + i + ".example");
        }
        try {
            assertThat(WaitingPlaces.each()).isEqualTo(100);
            WaitingPlaces one = WaitingPlaces.begin("https://1.example");
            for (int i = 0; i < 50; i++) {
                assertThat(one.work().enter(client(1))).isEqualTo(Admission.ADMITTED);
            }
            assertThat(one.work().enter(client(1))).isEqualTo(Admission.CLIENT_BUSY);
            assertThat(one.work().enter(client(2))).isEqualTo(Admission.ADMITTED);
            WaitingPlaces.end("https://1.example");
        } finally {
            for (int i = 0; i < 30; i++) {
                WaitingPlaces.end("https://" + i + ".example");
            }
        }
    }
}
