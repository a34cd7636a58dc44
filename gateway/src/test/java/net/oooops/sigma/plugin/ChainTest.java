package net.oooops.sigma.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import org.junit.jupiter.api.Test;

class ChainTest {
    /** Each instance is another plugin, whatever it needs. */
    private static final class Probe implements Plugin {
        private final Needs needs;

        Probe(Needs needs) {
            this.needs = needs;
        }

        @Override
        public Needs needs() {
            return needs;
        }
    }

    private static final Needs NOTHING = new Needs(false, false, false, BodyNeed.NONE, BodyNeed.NONE, false);

    private static Chain chain(Needs... needs) {
        List<Chain.Link> links = new ArrayList<>();
        for (Needs need : needs) {
            links.add(new Chain.Link("p" + links.size(), new Probe(need)));
        }
        return Chain.of(links);
    }

    private static List<String> names(Chain chain, Phase phase) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < phase.count(); i++) {
            names.add(chain.name(phase.position(i)));
            assertThat(chain.positionOf(phase.plugin(i))).isEqualTo(phase.position(i));
        }
        return names;
    }

    @Test
    void aChainOfNothingIsEmpty() {
        Chain chain = Chain.of(List.of());

        assertThat(chain).isSameAs(Chain.EMPTY);
        assertThat(chain.isEmpty()).isTrue();
        assertThat(chain.length()).isZero();
        assertThat(chain.request().count()).isZero();
        assertThat(chain.response().count()).isZero();
        assertThat(chain.wholeRequestBodyBytesMax()).isZero();
    }

    @Test
    void requestsPassUpwardsAndResponsesDownwardsThoseThatAsked() {
        Chain chain = chain(Needs.BOTH, Needs.RESPONSE, Needs.REQUEST, NOTHING, Needs.BOTH.withEnd());

        assertThat(chain.isEmpty()).isFalse();
        assertThat(chain.names()).containsExactly("p0", "p1", "p2", "p3", "p4");
        assertThat(names(chain, chain.request())).containsExactly("p0", "p2", "p4");
        assertThat(names(chain, chain.response())).containsExactly("p4", "p1", "p0");
        assertThat(names(chain, chain.end())).containsExactly("p4");
    }

    @Test
    void chunksGoToThoseThatAskedInTheOrderOfTheirDirection() {
        Needs ofRequest = NOTHING.withRequestBody(BodyNeed.CHUNKS);
        Needs ofResponse = NOTHING.withResponseBody(BodyNeed.CHUNKS);
        Chain chain = chain(ofRequest, ofResponse, ofRequest, ofResponse, NOTHING.withRequestBody(BodyNeed.whole(1)));

        assertThat(names(chain, chain.requestChunks())).containsExactly("p0", "p2");
        assertThat(names(chain, chain.responseChunks())).containsExactly("p3", "p1");
    }

    @Test
    void theSmallestWholeBodyCounts() {
        Chain chain = chain(
                Needs.REQUEST.withRequestBody(BodyNeed.whole(500)),
                Needs.BOTH.withRequestBody(BodyNeed.whole(300)).withResponseBody(BodyNeed.whole(7)),
                Needs.REQUEST.withRequestBody(BodyNeed.CHUNKS));

        assertThat(chain.wholeRequestBodyBytesMax()).isEqualTo(300);
        assertThat(chain.wholeResponseBodyBytesMax()).isEqualTo(7);
    }

    @Test
    void blockingIsKnownByPhaseAndIndex() {
        Chain chain = chain(Needs.BOTH, Needs.REQUEST, Needs.BOTH.withBlocking());

        assertThat(chain.request().isBlocking(0)).isFalse();
        assertThat(chain.request().isBlocking(2)).isTrue();
        assertThat(chain.response().isBlocking(0)).isTrue();
        assertThat(chain.response().isBlocking(1)).isFalse();
    }

    @Test
    void whoNeedsTheWholeRequestIsKnownByIndex() {
        Chain chain = chain(
                Needs.REQUEST,
                Needs.RESPONSE,
                Needs.REQUEST.withRequestBody(BodyNeed.whole(1)),
                Needs.REQUEST.withRequestBody(BodyNeed.CHUNKS));

        assertThat(chain.request().needsWholeRequest(0)).isFalse();
        assertThat(chain.request().needsWholeRequest(1)).isTrue();
        assertThat(chain.request().needsWholeRequest(2)).isFalse();
    }

    @Test
    void anInstanceStandsInAChainOnce() {
        Plugin plugin = new Probe(Needs.BOTH);
        List<Chain.Link> twice = List.of(new Chain.Link("cors", plugin), new Chain.Link("cors", plugin));

        assertThatThrownBy(() -> Chain.of(twice))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("plugin cors twice");
        assertThat(chain(Needs.BOTH).positionOf(plugin)).isEqualTo(-1);
    }
}
