package net.oooops.sigma.plugin;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.api.Callee;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.CalloutException;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Response;

/** What one plugin has of a proxy-pass: nothing before it has begun, and nothing after its end. Any thread. */
final class OpenCallee implements Callee {
    private static final AtomicInteger MADE = new AtomicInteger();

    private final Callees callees;
    private final String proxyPassId;
    /** The same for all that it asks, so that a connection is used again. */
    private final int number = MADE.getAndIncrement();

    /** By their numbers. */
    private final ConcurrentMap<Long, CompletableFuture<Response>> underWay = new ConcurrentHashMap<>();

    private final AtomicLong asked = new AtomicLong();
    private volatile boolean begun;
    private volatile boolean ended;

    OpenCallee(Callees callees, String proxyPassId) {
        this.callees = callees;
        this.proxyPassId = proxyPassId;
    }

    void begin() {
        begun = true;
    }

    void end() {
        ended = true;
        underWay.values().forEach(answer -> answer.completeExceptionally(closed()));
    }

    private static CalloutException closed() {
        return new CalloutException(Fault.CLIENT_GONE, "its plugin hasn't begun, or is closed");
    }

    @Override
    public CompletionStage<Response> call(Callout callout) {
        Callees.Way way = callees.way();
        if (!begun || ended || way == null) {
            return CompletableFuture.failedFuture(closed());
        }
        CompletableFuture<Response> answer = new CompletableFuture<>();
        Long one = asked.incrementAndGet();
        underWay.put(one, answer);
        answer.whenComplete((response, failed) -> underWay.remove(one));
        way.ask(number, proxyPassId, callout, answer);
        if (ended) {
            // It has ended meanwhile, perhaps before it knew of this one.
            answer.completeExceptionally(closed());
        }
        return answer.minimalCompletionStage();
    }
}
