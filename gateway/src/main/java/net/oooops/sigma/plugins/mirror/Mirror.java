package net.oooops.sigma.plugins.mirror;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext.Counter;
import net.oooops.sigma.api.RequestHead;

/**
 * Copies a part of the requests to the nodes of another proxy-pass, once each has been answered: so nothing that becomes of the copy is felt by who
 * sent the request.
 */
final class Mirror implements Plugin {
    /** Of {@link Settings#part}. */
    static final int ALL = 10_000;

    /** How long a copy may be under way, its answer included. */
    private static final Duration ANSWER_LIMIT = Duration.ofMinutes(1);

    private static final FieldName EXPECT = FieldName.of("Expect");
    private static final FieldName UPGRADE = FieldName.of("Upgrade");

    private final Settings settings;
    private final Counts counts;
    private final AtomicInteger held = new AtomicInteger();

    /**
     * What is copied.
     *
     * @param part so many of {@link #ALL} requests
     * @param bodyBytesMax requests with more aren't copied
     * @param heldMax so many copies are collected or under way at once
     */
    record Settings(String proxyPassId, int part, int bodyBytesMax, int heldMax) {}

    /**
     * What has become of requests that were to be copied.
     *
     * @param sent copied
     * @param failed copied, and not answered
     * @param tooMany not copied, as too many were under way
     * @param tooLarge not copied, as their bodies are too large
     * @param incomplete not copied, as they didn't come to their end
     */
    record Counts(Counter sent, Counter failed, Counter tooMany, Counter tooLarge, Counter incomplete) {}

    Mirror(Settings settings, Counts counts) {
        this.settings = settings;
        this.counts = counts;
    }

    @Override
    public Needs needs() {
        return Needs.REQUEST.withRequestBody(BodyNeed.CHUNKS).withEnd();
    }

    @Override
    public List<String> targets() {
        return List.of(settings.proxyPassId);
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        boolean chosen = settings.part == ALL || ThreadLocalRandom.current().nextInt(ALL) < settings.part;
        if (!chosen || request.has(UPGRADE) || request.method().equals("CONNECT")) {
            return Outcome.CONTINUE;
        }
        if (held.incrementAndGet() > settings.heldMax) {
            held.decrementAndGet();
            counts.tooMany.increment();
            return Outcome.CONTINUE;
        }
        exchange.attach(this, new Copy(request, settings.bodyBytesMax));
        return Outcome.CONTINUE;
    }

    @Override
    public void onRequestChunk(Exchange exchange, ByteBuffer chunk) {
        if (exchange.attachment(this) instanceof Copy copy) {
            copy.add(chunk);
        }
    }

    @Override
    public void onEnd(Exchange exchange) {
        if (!(exchange.attachment(this) instanceof Copy copy)) {
            return;
        }
        Fault fault = exchange.fault();
        boolean refused = fault != null && fault.side() == Fault.Side.DOWNSTREAM;
        if (copy.isTooLarge() || !exchange.isRequestComplete() || refused) {
            (copy.isTooLarge() ? counts.tooLarge : counts.incomplete).increment();
            held.decrementAndGet();
            return;
        }
        counts.sent.increment();
        exchange.call(settings.proxyPassId, copy.callout()).whenComplete((answer, error) -> {
            held.decrementAndGet();
            if (error != null) {
                counts.failed.increment();
            }
        });
    }

    /** A request as it is when this plugin sees it, and what has passed of its body since. */
    private static final class Copy {
        private final String method;
        private final String target;
        private final List<Field> fields = new ArrayList<>();
        private final int bytesMax;
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private boolean large;

        Copy(RequestHead request, int bytesMax) {
            String query = request.query();
            this.method = request.method();
            this.target = query == null ? request.path() : request.path() + "?" + query;
            this.bytesMax = bytesMax;
            for (String each : request.names()) {
                FieldName name = FieldName.of(each);
                if (!name.isOfTheConnection() && !name.equals(EXPECT)) {
                    request.values(name).forEach(value -> fields.add(Field.of(name, value)));
                }
            }
        }

        void add(ByteBuffer chunk) {
            int count = chunk.remaining();
            if (large || count > bytesMax - body.size()) {
                large = true;
                body.reset();
                return;
            }
            byte[] bytes = new byte[count];
            chunk.get(bytes);
            body.write(bytes, 0, count);
        }

        boolean isTooLarge() {
            return large;
        }

        Callout callout() {
            return Callout.of(method, target)
                    .with(fields)
                    .body(body.toByteArray())
                    .ignoringBody()
                    .detached(ANSWER_LIMIT);
        }
    }
}
