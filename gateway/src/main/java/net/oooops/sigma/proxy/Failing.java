package net.oooops.sigma.proxy;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.runtime.LoopContext;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges that fail, at any stage of {@link HttpProxy}: the client gets Sigma's own answer, by the plugins that have seen the request, or
 * sees the one that had begun cut short. What becomes of it is decided once; what fails behind that changes nothing.
 *
 * <pre>
 *   fail ─┬─▶ no answer has begun: one of Sigma's own ─▶ (plugins, answer, end)
 *         ├─▶ one has, and can say itself that it isn't whole, as one of gRPC can: it says so ─▶ (end)
 *         └─▶ else, and where the client is gone: cut
 * </pre>
 *
 * <p>Belongs to one Worker.
 */
final class Failing {
    private final LoopContext loop;
    private final HttpProxy proxy;

    Failing(LoopContext loop, HttpProxy proxy) {
        this.loop = loop;
        this.proxy = proxy;
    }

    /** The request can't be understood: answered, and the connection closed. */
    void refuse(HttpExchange x, Refusal why) {
        if (x.stage == Stage.ENDED) {
            return;
        }
        loop.counters().refused(why);
        fail(x, why.fault(), why.text());
    }

    /** The same, for what came of the request behind its head. */
    void breach(HttpExchange x, Refusal why) {
        if (!hasFailed(x)) {
            refuse(x, why);
        }
    }

    /** What was awaited of its client hasn't come, or its connection ends. That may be told at a deadline. */
    void breach(HttpExchange x, Fault why) {
        if (why == Fault.REQUEST_TIMEOUT && hasFailed(x)) {
            return;
        }
        try {
            fail(x, why, "");
        } catch (Throwable e) {
            thrown(x, e);
        }
    }

    /** The client's connection is gone. Whoever tells so has others to tell, and hears nothing of what is thrown. */
    void clientGone(HttpExchange x) {
        Tunnel cut = x.tunnel;
        try {
            if (cut == null) {
                fail(x, Fault.CLIENT_GONE, "");
            } else {
                proxy.tunnels.clientGone(x, cut);
            }
        } catch (Throwable e) {
            loop.thrown(e);
            if (x.stage != Stage.ENDED) {
                proxy.exchanges.cut(x, true);
            }
        }
    }

    /** The connection to its node has nothing more for it: nobody but this would end it, whatever is thrown. */
    void nodeFailed(HttpExchange x, Fault why, @Nullable Refusal refusal) {
        Tunnel cut = x.tunnel;
        try {
            if (cut == null) {
                proxy.tries.failed(x, why, refusal);
            } else {
                proxy.tunnels.nodeGone(x, cut, why);
            }
        } catch (Throwable e) {
            thrown(x, e);
        }
    }

    /** Whether plugins have the answer to what it failed with: that stands, whatever else is wrong with its request. */
    private static boolean hasFailed(HttpExchange x) {
        return x.ending.hasFailed() && x.stage == Stage.RESPONSE_PLUGINS;
    }

    /** The exchange fails with that, unless it is over. */
    void fail(HttpExchange x, Fault why, String detail) {
        fail(x, why, detail, null);
    }

    /** The same; where a plugin refuses it for a reason, that is counted and logged in the place of the fault. */
    void fail(HttpExchange x, Fault why, String detail, @Nullable Reason of) {
        if (x.stage == Stage.ENDED) {
            return;
        }
        Fault fault = x.call == null ? why : x.call.lateOr(why, loop.clock().nanos());
        Reason reason = fault == why ? of : null;
        x.cursor.leave();
        x.request.body.stopCollecting();
        x.response.body.stopCollecting();
        boolean answering = x.stage == Stage.ANSWERING;
        if (answering && isTold(x, fault, detail, reason)) {
            return;
        }
        Trailers last = answering && x.call != null ? x.call.lastWord(fault) : null;
        note(x, fault, detail, reason);
        proxy.tries.leaveNode(x, false);
        proxy.transformCalls.close(x);
        x.dropBodies();
        if (x.startNanos == 0) {
            proxy.exchanges.began(x);
        }
        if (fault.isClientLost() || answering) {
            proxy.exchanges.cut(x, fault.isClientLost(), last);
        } else {
            x.stage = Stage.RESPONSE_PLUGINS;
            x.forgetResponse();
            proxy.localResponse.write(x, fault);
            proxy.plugins.response(x, x.cursor.responseIndex());
        }
    }

    /** Something was thrown in a task of the event loop: no connection hears of that, so that nothing else would end the exchange. */
    void thrown(HttpExchange x, Throwable cause) {
        loop.failures().thrown(cause);
        try {
            fail(x, Fault.INTERNAL, "");
            x.stream.flush();
        } catch (Throwable e) {
            loop.failures().thrown(e);
            if (x.stage != Stage.ENDED) {
                proxy.exchanges.cut(x, false);
            }
        }
    }

    private void note(HttpExchange x, Fault fault, String detail, @Nullable Reason reason) {
        x.ending.failed(fault, detail, reason);
        if (reason != null) {
            reason.count();
        } else if (x.callout == null) {
            loop.counters().failed(fault);
        }
    }

    /** Whether the answer that has begun says itself that it isn't whole, and ends with that. */
    private boolean isTold(HttpExchange x, Fault fault, String detail, @Nullable Reason reason) {
        Transforms transforms = x.response.transforms;
        boolean may = transforms != null
                && transforms.isPassing()
                && !fault.isClientLost()
                && fault != Fault.PLUGIN_FAILED
                && proxy.responseTransforming.cut(x, transforms, fault);
        if (!may) {
            // A transform may have failed at what was to go before.
            return x.stage == Stage.ENDED;
        }
        note(x, fault, detail, reason);
        proxy.tries.leaveNode(x, false);
        x.request.body.forgetKept();
        x.request.body.queue.clear(false);
        x.response.closeBody(fault);
        x.response.complete(null);
        ServerStream stream = x.stream;
        // Whoever is writing at the moment goes on first.
        loop.eventLoop().execute(() -> {
            if (x.stream == stream && x.stage == Stage.ANSWERING) {
                proxy.responses.goOn(x);
                stream.flush();
            }
        });
        return true;
    }

    /** A plugin has made success of the answer to a CONNECT. That would say that bytes pass from then on, and no node said so. */
    void denyTunnel(HttpExchange x) {
        note(x, Fault.PLUGIN_FAILED, "success in the place of a node's, to CONNECT", null);
        proxy.tries.leaveNode(x, false);
        // Of the answer that is given up, not of the one in its place.
        proxy.transformCalls.close(x);
        x.response.body.queue.clear(false);
        x.response.closeBody(Fault.PLUGIN_FAILED);
        x.forgetResponse();
        proxy.localResponse.write(x, Fault.PLUGIN_FAILED);
    }
}
