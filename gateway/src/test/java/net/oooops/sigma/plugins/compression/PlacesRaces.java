package net.oooops.sigma.plugins.compression;

import static net.oooops.sigma.races.AtOnce.require;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.races.AtOnce;
import net.oooops.sigma.races.Race;

/** Bodies come and go at several places on several Workers. */
final class PlacesRaces {
    private static final IpAddress ADA = address("192.0.2.1");
    private static final IpAddress BOB = address("192.0.2.2");

    private final Places.OfAll all = new Places.OfAll();
    private final Places first = place(3, 2);
    private final Places second = place(3, 2);
    private final AtomicInteger under = new AtomicInteger();
    private final AtomicInteger ofAda = new AtomicInteger();
    private final AtomicInteger shown = new AtomicInteger();

    private PlacesRaces() {}

    private static IpAddress address(String text) {
        return Objects.requireNonNull(IpAddress.parse(text));
    }

    private Places place(int bodies, int perClient) {
        Places.Load load = new Places.Load(new Places.Most(bodies, bodies), new Places.Most(perClient, perClient));
        return new Places(all, load, count -> shown.addAndGet((int) count));
    }

    private void pass(Places place, IpAddress from) {
        if (place.enter(from, 1, 1) != Places.Admission.ADMITTED) {
            return;
        }
        boolean isAda = from.equals(ADA);
        require(under.incrementAndGet() <= 3, "three at most: " + under);
        require(!isAda || ofAda.incrementAndGet() <= 2, "two of a client at most: " + ofAda);
        if (isAda) {
            ofAda.decrementAndGet();
        }
        under.decrementAndGet();
        place.leave(from, 1);
    }

    /** There are never more than may be, of all or of a client, and nothing is left of them. */
    @Race
    static void noMoreThanMayBe() throws InterruptedException {
        PlacesRaces model = new PlacesRaces();
        AtOnce.run(
                () -> model.pass(model.first, ADA),
                () -> model.pass(model.second, ADA),
                () -> model.pass(model.first, ADA),
                () -> {
                    model.pass(model.second, BOB);
                    model.pass(model.second, BOB);
                });
        require(model.shown.get() == 0, "none is left: " + model.shown);
        require(model.first.enter(ADA, 2, 2) == Places.Admission.ADMITTED, "a client has all of its share again");
        require(model.second.enter(BOB, 1, 1) == Places.Admission.ADMITTED, "and all together have");
        require(model.second.enter(BOB, 1, 1) == Places.Admission.BUSY, "but no more");
    }

    /** Who is refused takes nothing from others: of those who fit together each is let in. */
    @Race
    static void whoIsRefusedTakesNothing() throws InterruptedException {
        PlacesRaces model = new PlacesRaces();
        AtomicInteger taken = new AtomicInteger();
        require(model.first.enter(ADA, 2, 2) == Places.Admission.ADMITTED, "there is room");
        AtOnce.run(
                () -> require(
                        model.first.enter(ADA, 1, 1) == Places.Admission.CLIENT_BUSY, "a client that has its share"),
                () -> taken.addAndGet(model.second.enter(address("192.0.2.3"), 2, 2) == Places.Admission.BUSY ? 0 : 1),
                () -> taken.addAndGet(model.second.enter(BOB, 1, 1) == Places.Admission.ADMITTED ? 1 : 0));
        require(taken.get() == 1, "one fits: " + taken);
    }
}
