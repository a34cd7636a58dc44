package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class NeedsTest {
    @Test
    void beginsWithHeadsOnly() {
        assertThat(Needs.REQUEST).isEqualTo(new Needs(true, false, false, BodyNeed.NONE, BodyNeed.NONE, false));
        assertThat(Needs.RESPONSE).isEqualTo(new Needs(false, true, false, BodyNeed.NONE, BodyNeed.NONE, false));
        assertThat(Needs.BOTH).isEqualTo(new Needs(true, true, false, BodyNeed.NONE, BodyNeed.NONE, false));
    }

    @Test
    void addsOneNeedAndKeepsTheOthers() {
        BodyNeed whole = BodyNeed.whole(9);
        Needs needs =
                Needs.REQUEST.withBlocking().withEnd().withRequestBody(whole).withResponseBody(BodyNeed.CHUNKS);

        assertThat(needs).isEqualTo(new Needs(true, false, true, whole, BodyNeed.CHUNKS, true));
    }

    @Test
    void aWholeBodyHasABound() {
        assertThat(BodyNeed.whole(1).kind()).isEqualTo(BodyNeed.Kind.WHOLE);
        assertThat(BodyNeed.whole(1).bytesMax()).isEqualTo(1);
        assertThat(new BodyBound(0, null).bytesMax()).isZero();
        assertThatThrownBy(() -> new BodyBound(-1, null)).hasMessageContaining("bytesMax: -1");
        assertThatThrownBy(() -> BodyNeed.whole(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bytesMax: 0 (expected: >= 1");
        assertThatThrownBy(() -> new BodyNeed(BodyNeed.Kind.CHUNKS, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
