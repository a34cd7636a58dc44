package net.oooops.sigma.proxy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.CalloutException;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http1.WholeHead;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.LoopContext;
import org.jspecify.annotations.Nullable;

/**
 * Requests of plugins on their own account. Each is an exchange as any other, from {@link HttpProxy#balance} on: with a {@link CalloutStream} where others
 * have a client's connection, and a chain without plugins.
 *
 * <pre>
 *   plugin ─▶ begin ─▶ (HttpProxy: balance, send, respond, answer) ─▶ CalloutStream ─▶ plugin
 * </pre>
 *
 * <p>Belongs to one Worker.
 */
final class Callouts {
    private static final FieldName VIA = FieldName.of("Via");
    /** What trusted proxies say of the client: it is the same one's. */
    private static final List<FieldName> FORWARDED = List.of(
            FieldName.of("Forwarded"),
            FieldName.of("X-Forwarded-For"),
            FieldName.of("X-Forwarded-Host"),
            FieldName.of("X-Forwarded-Port"),
            FieldName.of("X-Forwarded-Proto"));

    /** The part of it that says nothing of the host that the client asked for. */
    private static final List<FieldName> FORWARDED_OF_ANY_HOST =
            List.of(FieldName.of("X-Forwarded-For"), FieldName.of("X-Forwarded-Proto"));

    /** What a plugin doesn't say itself. */
    private static final Set<FieldName> SAID_HERE =
            Stream.concat(Stream.of(VIA), FORWARDED.stream()).collect(Collectors.toUnmodifiableSet());

    /** Beyond those of any request: what a client may send, a plugin may tell of it, in other fields and more of them. */
    private static final Limits LIMITS = Limits.DEFAULT.withRequestHeads(4 << 20, 10_000);

    /** How long one may take that says nothing of it, and no exchange ends. */
    private static final Duration LIMIT_OF_NO_EXCHANGE = Duration.ofMinutes(1);

    private final HttpRoad road;
    private final LoopContext loop;
    private final HttpProxy proxy;

    Callouts(HttpRoad road, HttpProxy proxy) {
        this.road = road;
        this.loop = road.loop();
        this.proxy = proxy;
    }

    /** Sends it to where that plan leads; null: nowhere. Given on the event loop. */
    CompletionStage<Response> begin(HttpExchange asking, @Nullable RoutePlan to, Callout callout) {
        if (to == null) {
            return failed(Fault.NO_HEALTHY_NODE, "the proxy-pass is switched off, or no target of the plugin");
        }
        if (asking.stage == Stage.ENDED && !callout.isDetached()) {
            return failed(Fault.CLIENT_GONE, "the exchange is over, and the callout not detached");
        }
        CalloutStream stream = new CalloutStream(asking, callout);
        HttpExchange x = proxy.exchanges.take(stream, asking.peer);
        CalloutException refused = read(x, head(asking, callout, to.forwarding()));
        if (refused != null) {
            return CompletableFuture.failedFuture(refused);
        }
        x.request.head.secure(asking.request.head.isSecure());
        if (!callout.isDetached()) {
            stream.next = asking.callouts;
            asking.callouts = stream;
        }
        return go(x, stream, to, callout, callout.limit());
    }

    /**
     * The same, for no exchange.
     *
     * @param peer in the place of a client
     */
    CompletionStage<Response> begin(Peer peer, RoutePlan to, Callout callout, CalloutStream stream) {
        HttpExchange x = proxy.exchanges.take(stream, peer);
        CalloutException refused = read(x, head(callout));
        if (refused != null) {
            return CompletableFuture.failedFuture(refused);
        }
        Duration limit = callout.limit();
        return go(x, stream, to, callout, limit == null ? LIMIT_OF_NO_EXCHANGE : limit);
    }

    private @Nullable CalloutException read(HttpExchange x, byte[] head) {
        Refusal refusal = WholeHead.readRequest(head, x.request.head, LIMITS);
        if (refusal == null) {
            return null;
        }
        proxy.exchanges.unused(x);
        return new CalloutException(refusal.fault(), refusal.text());
    }

    private CompletionStage<Response> go(
            HttpExchange x, CalloutStream stream, RoutePlan to, Callout callout, @Nullable Duration limit) {
        CompletionStage<Response> answer = stream.answer();
        stream.begin(x);
        x.callout = stream;
        if (limit != null) {
            stream.endAfter(loop.eventLoop().schedule(stream::expire, limit.toNanos(), TimeUnit.NANOSECONDS));
        }
        loop.counters().increment(Counter.CALLOUTS);
        proxy.exchanges.began(x);
        x.plan = to;
        x.request.body.collected();
        x.request.complete();
        if (callout.bodyBytes() > 0) {
            byte[] body = new byte[callout.bodyBytes()];
            callout.copyBodyTo(body, 0);
            x.request.body.queue.replace(ByteBuffer.wrap(body));
            // Not from within a plugin's call: it may end other exchanges, that one among them.
            loop.eventLoop().execute(() -> hold(x, stream, body.length));
        }
        proxy.balance(x);
        return answer;
    }

    private void hold(HttpExchange x, CalloutStream stream, int bytes) {
        if (x.callout == stream && x.stage != Stage.ENDED) {
            road.bodyMemory().received(x, bytes);
        }
    }

    private static CompletionStage<Response> failed(Fault fault, String why) {
        return CompletableFuture.failedFuture(new CalloutException(fault, why));
    }

    /** Read by the same code as what clients send, so that nothing of a plugin's is believed either. */
    private static byte[] head(HttpExchange asking, Callout callout, Forwarding forwarding) {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        put(head, callout.method(), " ", callout.target(), " HTTP/1.1\r\nHost: ");
        String host = callout.host();
        put(head, host == null ? asking.request.head.authority() : host, "\r\n");
        // Who asks himself is found out.
        copy(asking.request.head, VIA, head);
        if (asking.peer.isTrustedBy(forwarding)) {
            for (FieldName name : host == null ? FORWARDED : FORWARDED_OF_ANY_HOST) {
                copy(asking.request.head, name, head);
            }
        }
        putOwn(head, callout);
        return head.toByteArray();
    }

    /** Where it says no host, the node's own address takes the place of none. */
    private static byte[] head(Callout callout) {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        String host = callout.host();
        put(head, callout.method(), " ", callout.target(), " HTTP/1.1\r\nHost: ", host == null ? "" : host, "\r\n");
        putOwn(head, callout);
        return head.toByteArray();
    }

    private static void putOwn(ByteArrayOutputStream head, Callout callout) {
        for (Field field : callout.fields()) {
            if (SAID_HERE.contains(field.name())) {
                continue;
            }
            put(head, field.name().toString(), ": ", field.value(), "\r\n");
        }
        if (callout.bodyBytes() > 0) {
            put(head, "Content-Length: ", Integer.toString(callout.bodyBytes()), "\r\n");
        }
        put(head, "\r\n");
    }

    private static void copy(HttpRequestHead from, FieldName name, ByteArrayOutputStream to) {
        for (String value : from.values(name)) {
            put(to, name.toString(), ": ", value, "\r\n");
        }
    }

    private static void put(ByteArrayOutputStream to, String... texts) {
        for (String text : texts) {
            to.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /** It is over; the exchange that asked may be, too. */
    void ended(HttpExchange asking, CalloutStream stream) {
        CalloutStream before = null;
        for (CalloutStream each = asking.callouts; each != null; each = each.next) {
            if (each == stream) {
                if (before == null) {
                    asking.callouts = each.next;
                } else {
                    before.next = each.next;
                }
                return;
            }
            before = each;
        }
    }

    /** One has no answer, which counts unless nobody waits for it any more. */
    void failed(boolean cancelled) {
        if (!cancelled) {
            loop.counters().increment(Counter.CALLOUTS_FAILED);
        }
    }

    /** The exchange is over, and what it has asked for with it. */
    void cancel(HttpExchange asking) {
        CalloutStream each = asking.callouts;
        asking.callouts = null;
        while (each != null) {
            CalloutStream next = each.next;
            each.cancel();
            each = next;
        }
    }
}
