package net.oooops.sigma.plugins.authentication;

import static net.oooops.sigma.plugins.authentication.BoundedWork.Admission.ADMITTED;
import static net.oooops.sigma.plugins.authentication.BoundedWork.Admission.BUSY;
import static net.oooops.sigma.plugins.authentication.BoundedWork.Admission.CLIENT_BUSY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.testkit.TestContext;
import org.junit.jupiter.api.Test;

class BoundedWorkTest {
    private static final IpAddress ADA = address("192.0.2.1");
    private static final IpAddress BOB = address("192.0.2.2");

    private static IpAddress address(String text) {
        return Objects.requireNonNull(IpAddress.parse(text));
    }

    private static void fill(BoundedWork work, IpAddress client, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(work.enter(client)).isEqualTo(ADMITTED);
        }
    }

    @Test
    void aClientTakesItsShareAndNoMore() {
        BoundedWork work = BoundedWork.ofAllPlaces();
        fill(work, ADA, 200);
        assertThat(work.enter(ADA)).isEqualTo(CLIENT_BUSY);
        assertThat(work.enter(address("::ffff:192.0.2.1"))).isEqualTo(CLIENT_BUSY);
        assertThat(work.enter(BOB)).isEqualTo(ADMITTED);
        work.leave(ADA);
        assertThat(work.enter(ADA)).isEqualTo(ADMITTED);
        assertThat(work.enter(ADA)).isEqualTo(CLIENT_BUSY);
    }

    @Test
    void allTogetherTakeSoMuch() {
        BoundedWork work = BoundedWork.ofAllPlaces();
        for (int i = 0; i < 5; i++) {
            fill(work, address("2001:db8:0:" + i + "::1"), 200);
        }
        assertThat(work.enter(ADA)).isEqualTo(BUSY);
        assertThat(work.enter(address("2001:db8:0:1:ffff::1")))
                .as("of a network that has its share")
                .isEqualTo(CLIENT_BUSY);
        work.leave(address("2001:db8:0:1::9"));
        assertThat(work.enter(ADA)).isEqualTo(ADMITTED);
        assertThat(work.enter(ADA)).isEqualTo(BUSY);
    }

    @Test
    void aPlaceHasItsOwnBoundsWithinThoseOfAll() {
        BoundedWork all = BoundedWork.ofAllPlaces();
        BoundedWork place = all.within(3, 2);
        fill(place, ADA, 2);
        assertThat(place.enter(ADA)).isEqualTo(CLIENT_BUSY);
        fill(place, BOB, 1);
        assertThat(place.enter(BOB)).isEqualTo(BUSY);

        fill(all, ADA, 198);
        assertThat(all.enter(ADA)).isEqualTo(CLIENT_BUSY);
        BoundedWork other = all.within(1_000, 200);
        assertThat(other.enter(ADA)).as("what it has elsewhere counts").isEqualTo(CLIENT_BUSY);
        place.leave(ADA);
        assertThat(other.enter(ADA)).isEqualTo(ADMITTED);
    }

    @Test
    void whoWasNeverRightTakesHalf() {
        BoundedWork all = BoundedWork.ofAllPlacesWithTrust();
        BoundedWork place = all.within(7, 7);
        all.within(1, 1).trust(address("2001:db8::1"));
        fill(place, ADA, 2);
        assertThat(place.enter(ADA)).as("who has something waiting").isEqualTo(BUSY);
        fill(place, address("192.0.2.3"), 1);
        fill(place, address("192.0.2.4"), 1);
        assertThat(place.enter(BOB)).isEqualTo(BUSY);
        fill(place, address("2001:db8::2"), 3);
        assertThat(place.enter(address("2001:db8::2"))).as("all are taken").isEqualTo(BUSY);
        place.leave(address("2001:db8::2"));
        place.trust(BOB);
        fill(place, BOB, 1);
    }

    /** As after a start, when nobody has been right yet. */
    @Test
    void aFewWhoSendMuchKeepNobodyOutWhoHasNothingWaiting() {
        BoundedWork place = BoundedWork.ofAllPlacesWithTrust().within(64, 4);
        for (int i = 0; i < 16; i++) {
            IpAddress attacker = address("2001:db8:0:" + i + "::1");
            for (int each = 0; each < 5; each++) {
                place.enter(attacker);
            }
        }
        fill(place, ADA, 1);
        assertThat(place.enter(ADA)).as("a second one").isEqualTo(BUSY);
        place.trust(ADA);
        fill(place, ADA, 3);
    }

    @Test
    void whatIsDoneLeavesHoweverItEnds() {
        BoundedWork work = BoundedWork.ofAllPlaces().within(1, 1);
        Executor here = Runnable::run;
        Executor full = each -> {
            throw new RejectedExecutionException("full");
        };
        fill(work, ADA, 1);
        work.execute(ADA, here, () -> assertThat(work.enter(BOB)).isEqualTo(BUSY));
        fill(work, ADA, 1);
        assertThatThrownBy(() -> work.execute(ADA, full, () -> {})).hasMessage("full");
        fill(work, ADA, 1);
        assertThatThrownBy(() -> work.execute(ADA, here, () -> {
                    throw new StackOverflowError("for a test");
                }))
                .isInstanceOf(StackOverflowError.class);
        assertThat(work.enter(ADA)).isEqualTo(ADMITTED);
    }

    @Test
    void whoIsTurnedAwayIsTold() {
        Overload overload = Overload.of(new TestContext());
        assertThat(overload.refusal(ADMITTED)).isNull();
        assertThat(overload.refusal(BUSY)).isInstanceOfSatisfying(Outcome.Respond.class, each -> {
            assertThat(each.response().status()).isEqualTo(503);
            assertThat(String.valueOf(each.reason())).isEqualTo("test: busy");
        });
        assertThat(overload.refusal(CLIENT_BUSY)).isInstanceOfSatisfying(Outcome.Respond.class, each -> {
            assertThat(each.response().status()).isEqualTo(429);
            assertThat(String.valueOf(each.reason())).isEqualTo("test: client-busy");
        });
    }
}
