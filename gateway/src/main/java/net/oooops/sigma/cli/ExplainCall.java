package net.oooops.sigma.cli;

import java.util.List;
import net.oooops.sigma.bolt.BoltListenerPlan;
import net.oooops.sigma.bolt.BoltRoutePlan;
import net.oooops.sigma.config.BoltListenerConfig;
import net.oooops.sigma.config.BoltRouteConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UpstreamConfig;

/** What {@code sigma explain} prints of a call of Bolt. */
final class ExplainCall {
    private final SigmaConfig config;
    private final ExplainText text;

    ExplainCall(SigmaConfig config, ExplainText text) {
        this.config = config;
        this.text = text;
    }

    /** Whether it is taken. */
    boolean explain(BoltListenerPlan plan, AskedCall asked) {
        BoltListenerConfig listener = plan.listener();
        text.line(
                "listener",
                listener.id() + " on " + Wording.authority(listener.host(), listener.port()) + " (bolt: route)");
        text.line(
                "plugins",
                plan.chain().isEmpty()
                        ? "none"
                        : String.join(", ", ExplainText.names(plan.chain())) + " (they see connections, not calls)");
        List<String> reasons = plan.routes().explain(asked);
        int winner = reasons.indexOf("");
        if (winner < 0) {
            text.line("answer", "NO_PROCESSOR: no route takes it");
        } else {
            found(
                    listener.routes().get(winner),
                    plan.routes().rules().get(winner).target());
        }
        candidates(listener.routes(), reasons, winner);
        return winner >= 0;
    }

    private void found(BoltRouteConfig route, BoltRoutePlan plan) {
        text.line("router", route.routerId());
        text.line("route", route.id());
        text.line("proxy-pass", route.proxyPassId() + " (answer within " + Wording.duration(plan.timeoutNanos()) + ")");
        for (UpstreamConfig upstream : config.upstreams()) {
            if (upstream.id().equals(plan.upstream().id())) {
                text.upstream(upstream);
            }
        }
    }

    private void candidates(List<BoltRouteConfig> routes, List<String> reasons, int winner) {
        int shown = winner < 0 ? routes.size() : winner;
        for (int i = 0; i < shown; i++) {
            text.line(i == 0 ? "candidates" : "", routes.get(i).id() + ": " + reasons.get(i));
        }
    }
}
