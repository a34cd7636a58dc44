package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FileBody;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.StreamBody;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.plugin.ConditionedPlugin;
import net.oooops.sigma.plugin.Phase;
import net.oooops.sigma.plugin.Shadowed;
import net.oooops.sigma.route.PathFault;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.PluginCalls;
import org.jspecify.annotations.Nullable;

/**
 * Walks an exchange through the plugins of its chain, and does what they decide. A plugin that suspends or blocks parks the
 * exchange; its outcome comes back to the event loop.
 *
 * <p>Belongs to one Worker.
 */
final class PluginRunner {

    private final LoopContext loop;
    private final HttpProxy proxy;
    private final PluginCalls calls;

    PluginRunner(LoopContext loop, HttpProxy proxy) {
        this.loop = loop;
        this.proxy = proxy;
        this.calls = loop.pluginCalls();
    }

    /** Shows the request to the plugins from number {@code from} on. */
    void request(HttpExchange x, int from) {
        Chain chain = x.plan.chain();
        Phase phase = chain.request();
        for (int i = from; i < phase.count(); i++) {
            if (phase.needsWholeRequest(i) && !x.cursor.hasCollected() && isCollected(x, phase, i)) {
                return;
            }
            x.cursor.reach(phase.position(i));
            if (phase.isBlocking(i)) {
                if (block(x, phase, i, false)) {
                    return;
                }
                continue;
            }
            Outcome outcome;
            calls.begin(chain, phase.position(i));
            try {
                outcome = phase.plugin(i).onRequest(x.cursor.view(x));
            } catch (Throwable e) {
                threw(x, phase.position(i), e);
                return;
            }
            calls.end();
            if (outcome != Outcome.CONTINUE && !goesOn(x, i, false, outcome)) {
                return;
            }
            if (x.request.head.target().isPathRewritten() && isRefused(x, i)) {
                return;
            }
        }
        x.cursor.reach(chain.length());
        boolean uncollected = chain.wholeRequestBodyBytesMax() > 0 && !x.cursor.hasCollected();
        if (uncollected && proxy.collect(x, phase.count())) {
            // For one that isn't called for requests.
            return;
        }
        RoutePlan target = x.target;
        if (target != null) {
            x.plan = target;
            if (x.call != null) {
                x.call.expectBody();
            }
        }
        proxy.balance(x);
    }

    /** Shows the response to those plugins from number {@code from} on that have seen the request. */
    void response(HttpExchange x, int from) {
        Chain chain = x.plan.chain();
        Phase phase = chain.response();
        for (int i = from; i < phase.count(); i++) {
            x.cursor.nextInResponse(i + 1);
            if (phase.position(i) > x.cursor.reached()) {
                continue;
            }
            if (phase.isBlocking(i)) {
                if (block(x, phase, i, true)) {
                    return;
                }
                continue;
            }
            Outcome outcome;
            calls.begin(chain, phase.position(i));
            try {
                outcome = phase.plugin(i).onResponse(x.cursor.view(x));
            } catch (Throwable e) {
                threw(x, phase.position(i), e);
                return;
            }
            calls.end();
            if (outcome != Outcome.CONTINUE && !goesOn(x, i, true, outcome)) {
                return;
            }
        }
        proxy.answer(x);
    }

    /** Shows the next bytes of the request's body, {@code count} of them at {@code from}; whether the exchange goes on. */
    boolean requestChunk(HttpExchange x, ByteBuf in, int from, int count) {
        Chain chain = x.plan.chain();
        Phase phase = chain.requestChunks();
        for (int i = 0; i < phase.count(); i++) {
            calls.begin(chain, phase.position(i));
            try {
                phase.plugin(i).onRequestChunk(x.cursor.view(x), view(in, from, count));
            } catch (Throwable e) {
                threw(x, phase.position(i), e);
                return false;
            }
            calls.end();
        }
        return true;
    }

    /** Shows the next bytes of the response's body, {@code count} of them at {@code from}; whether the exchange goes on. */
    boolean responseChunk(HttpExchange x, ByteBuf in, int from, int count) {
        Chain chain = x.plan.chain();
        Phase phase = chain.responseChunks();
        for (int i = 0; i < phase.count(); i++) {
            calls.begin(chain, phase.position(i));
            try {
                phase.plugin(i).onResponseChunk(x.cursor.view(x), view(in, from, count));
            } catch (Throwable e) {
                threw(x, phase.position(i), e);
                return false;
            }
            calls.end();
        }
        return true;
    }

    private static ByteBuffer view(ByteBuf in, int from, int count) {
        return in.nioBuffer(from, count).asReadOnlyBuffer();
    }

    /** Tells those that asked for it that the exchange ended. */
    void end(HttpExchange x) {
        Chain chain = x.plan.chain();
        Phase phase = chain.end();
        for (int i = 0; i < phase.count(); i++) {
            if (phase.position(i) <= x.cursor.reached()) {
                calls.begin(chain, phase.position(i));
                try {
                    phase.plugin(i).onEnd(x.cursor.view(x));
                } catch (Throwable e) {
                    loop.failures().plugin(chain.name(phase.position(i)), e);
                }
                calls.end();
            }
        }
    }

    /** Does what an outcome says; whether the walk goes on with the next plugin in the caller's loop. */
    private boolean goesOn(HttpExchange x, int index, boolean inResponse, @Nullable Outcome outcome) {
        switch (outcome) {
            case Outcome.Continue _ -> {
                return true;
            }
            case Outcome.Respond respond -> {
                String used = usedBody(respond.response());
                if (used != null) {
                    failed(x, position(x.plan.chain(), index, inResponse), new IllegalStateException(used));
                    return false;
                }
                Reason reason = respond.reason();
                if (reason != null) {
                    reason.count();
                    x.ending.answeredFor(reason);
                }
                if (!proxy.localResponse.replace(x, respond.response())) {
                    return false;
                }
                if (inResponse) {
                    return true;
                }
                x.stage = Stage.RESPONSE_PLUGINS;
                response(x, 0);
                return false;
            }
            case Outcome.Refuse refuse -> {
                proxy.failing.fail(
                        x,
                        refuse.fault(),
                        "refused by " + x.plan.chain().name(position(x.plan.chain(), index, inResponse)),
                        refuse.reason());
                return false;
            }
            case Outcome.Suspend suspend -> {
                suspend(x, index, inResponse, suspend.next());
                return false;
            }
            case Outcome.Then then -> {
                return step(x, index, inResponse, then.step());
            }
            case null -> {
                failed(
                        x,
                        position(x.plan.chain(), index, inResponse),
                        new NullPointerException(
                                "outcome: null (expected: Continue, Respond, Refuse, Suspend or Then)"));
                return false;
            }
        }
    }

    /** What is wrong with the body of that response, which is the gateway's from now on; null where nothing is. */
    private static @Nullable String usedBody(Response response) {
        FileBody file = response.file();
        StreamBody stream = response.stream();
        if (file != null && !file.isOpen()) {
            return "body from a closed file";
        }
        return stream == null || stream.take()
                ? null
                : "a stream that was answered with before (expected: one for each exchange)";
    }

    /** Has the plugin go on here, on the event loop; whether the walk goes on. */
    private boolean step(HttpExchange x, int index, boolean inResponse, Outcome.Step step) {
        Chain chain = x.plan.chain();
        int position = position(chain, index, inResponse);
        Outcome outcome;
        calls.begin(chain, position);
        try {
            outcome = step.apply(x.cursor.view(x));
        } catch (Throwable e) {
            threw(x, position, e);
            return false;
        }
        calls.end();
        return goesOn(x, index, inResponse, outcome);
    }

    private static int position(Chain chain, int index, boolean inResponse) {
        return (inResponse ? chain.response() : chain.request()).position(index);
    }

    /** Whether what that plugin made of the path, if it made anything, is refused. */
    private boolean isRefused(HttpExchange x, int index) {
        PathFault why = proxy.routing.validation().validateRewritten(x.request.head);
        if (why == null) {
            return false;
        }
        String name = x.plan.chain().name(position(x.plan.chain(), index, false));
        loop.failures().rewrite(name, why, x.request.head.path());
        proxy.failing.fail(x, Fault.REWRITE_REFUSED, name + ": " + why.text());
        return true;
    }

    /** A plugin makes the exchange a call of gRPC. */
    void toGrpc(HttpExchange x) {
        if (x.call == null) {
            x.call = GrpcCall.made(x, loop.wheel());
        }
        x.call.expectBody();
    }

    /** Whether the request's body is collected for that plugin first: those before it need none, and may refuse the request without it. */
    private boolean isCollected(HttpExchange x, Phase phase, int index) {
        if (phase.isShadow(index) && !x.request.isCollectedForShadow(x.plan.whole())) {
            return false;
        }
        // All before it have let the request pass, also those that see only its answer.
        x.cursor.reach(phase.position(index) - 1);
        return proxy.collect(x, index);
    }

    private void suspend(HttpExchange x, int index, boolean inResponse, CompletionStage<? extends Outcome> next) {
        int parking = park(x, index, inResponse);
        next.whenComplete((outcome, error) -> loop.eventLoop().execute(() -> resume(x, parking, outcome, error)));
    }

    /** Calls a plugin on a thread of its own; false where it has nothing to do with the exchange, which goes on. */
    private boolean block(HttpExchange x, Phase phase, int index, boolean inResponse) {
        if (phase.plugin(index) instanceof ConditionedPlugin conditioned && !conditioned.acts(x.cursor.view(x))) {
            return false;
        }
        if (loop.blocking().tryBegin(proxy.plan.listener().limits().blockingCallsMax())) {
            blocking(x, phase.plugin(index), index, inResponse);
            return true;
        }
        loop.counters().increment(Counter.BLOCKING_CALLS_REJECTED);
        if (phase.isShadow(index)) {
            shadowed(x, Shadowed.of(x.plan.chain().name(phase.position(index)), Shadowed.Kind.UNSEEN));
            return false;
        }
        proxy.failing.fail(x, Fault.OVERLOADED, "limits.blocking-calls");
        return true;
    }

    private void blocking(HttpExchange x, Plugin plugin, int index, boolean inResponse) {
        int parking = park(x, index, inResponse);
        PluginView shown = x.cursor.view(x);
        loop.counters().increment(Counter.BLOCKING_CALLS_IN_FLIGHT);
        loop.blocking().start(() -> {
            Outcome outcome = null;
            Throwable error = null;
            try {
                outcome = inResponse ? plugin.onResponse(shown) : plugin.onRequest(shown);
            } catch (Throwable e) {
                // Whatever it is: unanswered, the exchange would wait for its timeout.
                error = e;
            }
            loop.blocking().ended();
            Outcome decided = outcome;
            Throwable thrown = error;
            loop.eventLoop().execute(() -> {
                loop.counters().decrement(Counter.BLOCKING_CALLS_IN_FLIGHT);
                resume(x, parking, decided, thrown);
            });
        });
    }

    /** The plugin that it is parked for takes too long: it goes on without it where that is in shadow. */
    void late(HttpExchange x) {
        Chain chain = x.plan.chain();
        int index = x.cursor.parkedAt();
        boolean inResponse = x.cursor.isParkedInResponse();
        Phase phase = inResponse ? chain.response() : chain.request();
        if (!phase.isShadow(index)) {
            proxy.failing.fail(x, Fault.PLUGIN_FAILED, "no outcome in time");
            return;
        }
        x.cursor.leave();
        shadowed(x, Shadowed.of(chain.name(phase.position(index)), Shadowed.Kind.TIMEOUT));
        goOn(x, index, inResponse);
    }

    private void goOn(HttpExchange x, int index, boolean inResponse) {
        if (inResponse) {
            response(x, index + 1);
            // What was queued meanwhile: the node may send nothing more for long, and isn't read where this waits.
            x.stream.flush();
        } else {
            if (x.request.head.expectsContinue()) {
                x.stream.awaitBody(true);
            }
            request(x, index + 1);
        }
    }

    /** A plugin in shadow would have done that. */
    void shadowed(HttpExchange x, Shadowed what) {
        loop.shadowed(what);
        x.ending.note(what.text());
    }

    /** Whether the condition of that plugin holds can't be said. */
    void undecided(String plugin, Throwable why) {
        loop.failures().undecided(plugin, why);
    }

    EventLoop eventLoop() {
        return loop.eventLoop();
    }

    private int park(HttpExchange x, int index, boolean inResponse) {
        int parking = x.cursor.park(index, inResponse);
        if (!inResponse && x.request.head.expectsContinue()) {
            // Its client waits to be asked, which is up to the plugin.
            x.stream.awaitBody(false);
        }
        loop.wheel().arm(x, proxy.plan.listener().timeouts().pluginNanos());
        return parking;
    }

    private void resume(HttpExchange x, int parking, @Nullable Outcome outcome, @Nullable Throwable error) {
        if (!x.cursor.isParked(parking)) {
            if (outcome instanceof Outcome.Respond respond) {
                forget(respond.response());
            }
            return;
        }
        x.cursor.unpark();
        loop.wheel().disarm(x);
        try {
            resumed(x, outcome, error);
        } catch (Throwable e) {
            proxy.failing.thrown(x, e);
        }
    }

    private void resumed(HttpExchange x, @Nullable Outcome outcome, @Nullable Throwable error) {
        int index = x.cursor.parkedAt();
        boolean inResponse = x.cursor.isParkedInResponse();
        if (!inResponse && x.request.head.grpc.isMade()) {
            // Made one meanwhile, perhaps not on the event loop.
            toGrpc(x);
        }
        if (error != null) {
            failed(x, position(x.plan.chain(), index, inResponse), error);
        } else if (goesOn(x, index, inResponse, outcome)) {
            if (inResponse || !isRefused(x, index)) {
                goOn(x, index, inResponse);
            }
        }
    }

    /** It came too late: nobody takes the file, or the stream, that it may answer with. */
    private void forget(Response late) {
        FileBody file = late.file();
        if (file != null) {
            file.close();
        }
        StreamBody stream = late.stream();
        if (stream != null) {
            try {
                SourceRelay.leave(stream);
            } catch (Throwable e) {
                loop.failures().plugin(stream.source().getClass().getName(), e);
            }
        }
    }

    /** The call that the loop is in has ended so. */
    private void threw(HttpExchange x, int position, Throwable error) {
        calls.end();
        failed(x, position, error);
    }

    private void failed(HttpExchange x, int position, Throwable error) {
        String name = x.plan.chain().name(position);
        loop.failures().plugin(name, error);
        proxy.failing.fail(x, Fault.PLUGIN_FAILED, name);
    }
}
