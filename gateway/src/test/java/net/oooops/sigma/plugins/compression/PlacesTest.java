package net.oooops.sigma.plugins.compression;

import static net.oooops.sigma.plugins.compression.Places.Admission.ADMITTED;
import static net.oooops.sigma.plugins.compression.Places.Admission.BUSY;
import static net.oooops.sigma.plugins.compression.Places.Admission.CLIENT_BUSY;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.api.IpAddress;
import org.junit.jupiter.api.Test;

class PlacesTest {
    private static final IpAddress ADA = address("192.0.2.1");
    private static final IpAddress BOB = address("192.0.2.2");

    private final AtomicLong shown = new AtomicLong();
    private final Places.OfAll all = new Places.OfAll();
    private final Places places = place(8, 800, 2, 200);

    private Places place(int bodies, long bytes, int bodiesPerClient, long bytesPerClient) {
        Places.Load load =
                new Places.Load(new Places.Most(bodies, bytes), new Places.Most(bodiesPerClient, bytesPerClient));
        return new Places(all, load, shown::addAndGet);
    }

    private static IpAddress address(String text) {
        return Objects.requireNonNull(IpAddress.parse(text));
    }

    @Test
    void aClientTakesItsShareOfBodies() {
        assertThat(places.enter(ADA, 1, 1)).isEqualTo(ADMITTED);
        assertThat(places.enter(ADA, 1, 1)).isEqualTo(ADMITTED);
        assertThat(places.enter(ADA, 1, 1)).isEqualTo(CLIENT_BUSY);
        assertThat(places.enter(BOB, 1, 1)).isEqualTo(ADMITTED);
        places.leave(ADA, 1);
        assertThat(places.enter(ADA, 1, 1)).isEqualTo(ADMITTED);
        assertThat(shown).hasValue(3);
    }

    @Test
    void aClientTakesItsShareOfMemory() {
        assertThat(places.enter(ADA, 1, 150)).isEqualTo(ADMITTED);
        assertThat(places.enter(ADA, 1, 60)).isEqualTo(CLIENT_BUSY);
        assertThat(places.enter(ADA, 1, 50)).isEqualTo(ADMITTED);
        places.leave(ADA, 150);
        places.leave(ADA, 50);
        assertThat(places.enter(ADA, 1, 200)).isEqualTo(ADMITTED);
    }

    /** A client's first is let in if there is room, however large its share is. */
    @Test
    void aClientMayHaveOne() {
        assertThat(places.enter(ADA, 3, 300)).isEqualTo(ADMITTED);
        assertThat(places.enter(ADA, 1, 1)).isEqualTo(CLIENT_BUSY);
        assertThat(places.enter(BOB, 3, 600)).isEqualTo(BUSY);
        assertThat(places.enter(BOB, 6, 1)).isEqualTo(BUSY);
        assertThat(places.enter(BOB, 3, 500)).isEqualTo(ADMITTED);
    }

    @Test
    void theOnlyOneMayBeLarger() {
        assertThat(places.enter(ADA, 9, 9_000)).isEqualTo(ADMITTED);
        assertThat(places.enter(BOB, 1, 1)).isEqualTo(BUSY);
        for (int i = 0; i < 9; i++) {
            places.leave(ADA, 1_000);
        }
        assertThat(places.enter(BOB, 1, 1)).isEqualTo(ADMITTED);
        assertThat(shown).hasValue(1);
    }

    @Test
    void aNetworkOfIpv6IsAClient() {
        assertThat(places.enter(address("2001:db8::1"), 1, 1)).isEqualTo(ADMITTED);
        assertThat(places.enter(address("2001:db8::2"), 1, 1)).isEqualTo(ADMITTED);
        assertThat(places.enter(address("2001:db8::3"), 1, 1)).isEqualTo(CLIENT_BUSY);
        assertThat(places.enter(address("2001:db8:0:1::3"), 1, 1)).isEqualTo(ADMITTED);
    }

    /** Whoever is refused holds nothing, and takes nothing from others. */
    @Test
    void allTogetherTakeSoMuch() {
        for (int i = 0; i < 4; i++) {
            assertThat(places.enter(address("192.0.2.1" + i), 2, 2)).isEqualTo(ADMITTED);
        }
        for (int i = 0; i < 10; i++) {
            assertThat(places.enter(ADA, 1, 1)).isEqualTo(BUSY);
        }
        places.leave(address("192.0.2.10"), 1);
        assertThat(places.enter(ADA, 1, 1)).isEqualTo(ADMITTED);
    }

    /** What several places hold, and those before a reload, is one: each lets in by its own settings. */
    @Test
    void placesHoldOne() {
        Places smaller = place(4, 400, 1, 100);
        assertThat(smaller.enter(ADA, 1, 1)).isEqualTo(ADMITTED);
        assertThat(smaller.enter(ADA, 1, 1)).isEqualTo(CLIENT_BUSY);
        assertThat(places.enter(ADA, 1, 1)).isEqualTo(ADMITTED);
        assertThat(places.enter(ADA, 1, 1)).isEqualTo(CLIENT_BUSY);
        assertThat(places.enter(BOB, 2, 2)).isEqualTo(ADMITTED);
        IpAddress other = address("192.0.2.3");
        assertThat(smaller.enter(other, 1, 1)).isEqualTo(BUSY);
        assertThat(places.enter(other, 1, 700)).isEqualTo(ADMITTED);
        places.leave(ADA, 1);
        places.leave(other, 700);
        assertThat(smaller.enter(other, 1, 1)).isEqualTo(ADMITTED);
        assertThat(smaller.enter(ADA, 1, 1)).isEqualTo(CLIENT_BUSY);
    }

    /** Who has more than his share hears of that, also where all together have too much. */
    @Test
    void aClientIsAskedFirst() {
        for (int i = 0; i < 4; i++) {
            assertThat(places.enter(address("192.0.2.1" + i), 2, 2)).isEqualTo(ADMITTED);
        }
        assertThat(places.enter(address("192.0.2.10"), 1, 1)).isEqualTo(CLIENT_BUSY);
        assertThat(places.enter(ADA, 1, 1)).isEqualTo(BUSY);
    }

    @Test
    void aClientWhoseShareIsAllHearsOfAll() {
        Places ofOne = place(1, 100, 1, 100);
        assertThat(ofOne.enter(ADA, 1, 1)).isEqualTo(ADMITTED);
        assertThat(ofOne.enter(ADA, 1, 1)).isEqualTo(BUSY);
    }

    /** Those that are tried count beside the others, to which they are nothing. */
    @Test
    void thoseThatAreTried() {
        assertThat(places.enterTried(ADA, 1, 1)).isEqualTo(ADMITTED);
        assertThat(places.enter(ADA, 1, 1)).isEqualTo(ADMITTED);
        assertThat(places.enterTried(ADA, 1, 1)).isEqualTo(CLIENT_BUSY);
        assertThat(places.enter(ADA, 1, 1)).isEqualTo(ADMITTED);
        assertThat(places.enterTried(BOB, 6, 1)).isEqualTo(BUSY);
        assertThat(places.enterTried(BOB, 5, 1)).isEqualTo(ADMITTED);
        assertThat(shown).hasValue(2);
        places.leaveTried(BOB, 5, 1);
        assertThat(places.enterTried(BOB, 2, 2)).isEqualTo(ADMITTED);
    }
}
