package net.oooops.sigma.proxy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.ListenerConfig.Http2;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.route.RouteTable;
import org.jspecify.annotations.Nullable;

/**
 * Where plugins may ask without an exchange, by the id of the proxy-pass. What nobody asks for isn't made: there may be thousands, and few plugins ask.
 *
 * <p>Safe for use from any thread.
 */
public final class CalleePlans {
    /** In the place of a Listener: no client comes by it. */
    public static final ListenerConfig LISTENER =
            new ListenerConfig("", "", "", "", 0, 0, List.of(), Limits.DEFAULT, Timeouts.DEFAULT, Http2.NEVER, null);

    private final HttpListenerPlan ground;
    private final Function<String, @Nullable RoutePlan> making;
    private final ConcurrentMap<String, RoutePlan> made = new ConcurrentHashMap<>();

    /**
     * Those that may be made.
     *
     * @param nowhere what exchanges have before they have one of them
     * @param making makes one; null where that proxy-pass leads nowhere
     */
    public CalleePlans(RoutePlan nowhere, Function<String, @Nullable RoutePlan> making) {
        this.ground = new HttpListenerPlan(LISTENER, RouteTable.of(List.of()), nowhere, null, Map.of());
        this.making = making;
    }

    /** What stands in the place of a Listener's plan. */
    HttpListenerPlan ground() {
        return ground;
    }

    /** That one; null where it leads nowhere. */
    @Nullable RoutePlan find(String proxyPassId) {
        RoutePlan known = made.get(proxyPassId);
        RoutePlan plan = known == null ? making.apply(proxyPassId) : known;
        if (plan != null && known == null) {
            made.put(proxyPassId, plan);
        }
        return plan;
    }
}
