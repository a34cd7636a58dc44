package net.oooops.sigma.plugins.mirror;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.ConnectionOptions;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext.Counter;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Response;

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
     * @param incomplete not copied, as no node has got all of them
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
        if (!chosen || request.has(UPGRADE) || !request.path().startsWith("/")) {
            // Neither those that ask for another protocol, nor CONNECT and OPTIONS *, which have no path.
            return Outcome.CONTINUE;
        }
        if (held.incrementAndGet() > settings.heldMax) {
            held.decrementAndGet();
            counts.tooMany.increment();
            return Outcome.CONTINUE;
        }
        exchange.attach(this, new CopiedBody(settings.bodyBytesMax));
        return Outcome.CONTINUE;
    }

    @Override
    public void onRequestChunk(Exchange exchange, ByteBuffer chunk) {
        if (exchange.attachment(this) instanceof CopiedBody body) {
            body.add(chunk);
        }
    }

    @Override
    public void onEnd(Exchange exchange) {
        if (!(exchange.attachment(this) instanceof CopiedBody body)) {
            return;
        }
        if (body.isTooLarge() || !exchange.isRequestPassed()) {
            (body.isTooLarge() ? counts.tooLarge : counts.incomplete).increment();
            held.decrementAndGet();
            return;
        }
        if (exchange.isShadow()) {
            exchange.shadowed("copy");
            held.decrementAndGet();
            return;
        }
        CompletionStage<Response> answer;
        try {
            answer = exchange.call(settings.proxyPassId, copy(exchange.request(), body));
        } catch (RuntimeException e) {
            held.decrementAndGet();
            throw e;
        }
        counts.sent.increment();
        answer.whenComplete((_, error) -> {
            held.decrementAndGet();
            if (error != null) {
                counts.failed.increment();
            }
        });
    }

    /** The request as its node got it. */
    private static Callout copy(RequestHead request, CopiedBody body) {
        String query = request.query();
        Set<FieldName> named = ConnectionOptions.of(request);
        List<Field> fields = new ArrayList<>();
        for (String each : request.names()) {
            FieldName name = FieldName.of(each);
            if (!name.isOfTheConnection() && !name.equals(EXPECT) && !named.contains(name)) {
                request.values(name).forEach(value -> fields.add(Field.of(name, value)));
            }
        }
        return Callout.of(request.method(), query == null ? request.path() : request.path() + "?" + query)
                .with(fields)
                .body(body.bytes())
                .ignoringBody()
                .detached(ANSWER_LIMIT);
    }

    /** What has passed of a body, as far as it is copied. */
    private static final class CopiedBody {
        private final int bytesMax;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(0);
        private boolean large;

        CopiedBody(int bytesMax) {
            this.bytesMax = bytesMax;
        }

        void add(ByteBuffer chunk) {
            int count = chunk.remaining();
            if (large || count > bytesMax - bytes.size()) {
                large = true;
                bytes.reset();
                return;
            }
            byte[] copied = new byte[count];
            chunk.get(copied);
            bytes.write(copied, 0, count);
        }

        boolean isTooLarge() {
            return large;
        }

        byte[] bytes() {
            return bytes.toByteArray();
        }
    }
}
