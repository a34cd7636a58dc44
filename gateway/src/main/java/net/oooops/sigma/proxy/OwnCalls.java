package net.oooops.sigma.proxy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.CalloutException;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Response;
import org.jspecify.annotations.Nullable;

/**
 * What plugins ask without an exchange, on one Worker: the same flow as behind a Listener, without one.
 *
 * <p>Belongs to one Worker.
 */
final class OwnCalls {
    private final HttpProxy proxy;
    /** In the place of a client. */
    private final Peer gateway =
            new Peer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new InetSocketAddress(0), null);

    private final Set<CalloutStream> underWay = new LinkedHashSet<>();

    OwnCalls(HttpRoad road, CalleePlans plans) {
        this.proxy = new HttpProxy(road, plans.ground());
    }

    /** Calls that begin from now on follow these. */
    void follow(CalleePlans plans) {
        proxy.follow(plans.ground());
    }

    /**
     * Sends it to where that plan leads; null: nowhere.
     *
     * @param answer to be completed, on the event loop; where it is completed before, the call ends
     */
    void begin(@Nullable RoutePlan to, Callout callout, CompletableFuture<Response> answer) {
        if (to == null) {
            answer.completeExceptionally(
                    new CalloutException(Fault.NO_HEALTHY_NODE, "the proxy-pass isn't there, or is switched off"));
            return;
        }
        CalloutStream stream = new CalloutStream(proxy.following, callout);
        underWay.add(stream);
        answer.whenComplete((response, failed) -> proxy.loop.eventLoop().execute(() -> end(stream)));
        proxy.callouts.begin(gateway, to, callout, stream).whenComplete((response, failed) -> {
            if (failed == null) {
                answer.complete(response);
            } else {
                answer.completeExceptionally(failed);
            }
        });
    }

    /** Of one whose answer was given at its head, what is left is read: it ends by itself, soon. */
    private void end(CalloutStream stream) {
        underWay.remove(stream);
        if (!stream.isGiven()) {
            stream.cancel();
        }
    }

    /** None goes on. */
    void close() {
        List.copyOf(underWay).forEach(CalloutStream::cancel);
    }
}
