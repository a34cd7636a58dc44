package net.oooops.sigma.plugins.limits;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.api.RedisException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A limit that several processes share: what each has got of Redis, by key, and whether Redis answers.
 *
 * <p>While it doesn't, a key is asked for {@value #PROBES_PER_SECOND} times a second; nothing else is sent. Several plugins may have it, one after the other:
 * it is closed with the last. Any thread; nothing waits.
 */
final class SharedLimit {
    private static final Logger LOG = LoggerFactory.getLogger(SharedLimit.class);
    /** Not more often: it may come and go with each question. */
    private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int PROBES_PER_SECOND = 10;
    private static final long PROBE_NANOS = 1_000_000_000L / PROBES_PER_SECOND;

    /** For how long what a key has is to be unused before it is given back. */
    private static final long IDLE_SECONDS = 10;

    /** Of how many keys something is given back at once: others have to be able to ask, too. */
    private static final int GIVEN_BACK_MAX = 100;

    /** What those are called for which there is no room. */
    private static final String OTHERS = "others";

    private final LongSupplier clock;
    private final Terms terms;
    private final Counts counts;
    private final Redis redis;
    private final Rate[] rates;
    private final long bucketNanosMax;
    private final LeaseScript script;
    private final KeyTable<SharedKey> table;
    private final SharedKey others;
    private final AtomicInteger users = new AtomicInteger(1);
    private final AtomicLong probeNanos = new AtomicLong();
    private final Executor later;
    private final AtomicBoolean due = new AtomicBoolean();
    private volatile boolean lost;
    /** Whether it is lost since more was asked for at once than may be. */
    private volatile boolean crowded;

    private final AtomicLong toldNanos;
    private final AtomicBoolean told = new AtomicBoolean();

    /**
     * What sigma.json says of it.
     *
     * @param redisId which Redis
     * @param name what it is called there
     * @param leaseTokens how many are asked for at once, at most
     * @param creditTokens how many are given of a key before Redis has said so
     * @param keysMax how many keys are remembered
     */
    record Terms(
            String redisId,
            String name,
            List<Rate> rates,
            long cost,
            long leaseTokens,
            long creditTokens,
            int keysMax) {}

    /**
     * What is counted.
     *
     * @param onCredit requests let in on credit
     * @param failures questions that Redis didn't answer
     * @param others how often a key too many to be remembered was asked for
     */
    record Counts(PluginContext.Counter onCredit, PluginContext.Counter failures, PluginContext.Counter others) {}

    /** @param redis closed with this */
    SharedLimit(LongSupplier clock, Terms terms, Counts counts, Redis redis) {
        this(clock, terms, counts, redis, CompletableFuture.delayedExecutor(IDLE_SECONDS, TimeUnit.SECONDS));
    }

    /** @param later does things after a while, one after the other */
    SharedLimit(LongSupplier clock, Terms terms, Counts counts, Redis redis, Executor later) {
        this.later = later;
        this.clock = clock;
        this.terms = terms;
        this.counts = counts;
        this.redis = redis;
        this.rates = terms.rates().toArray(Rate[]::new);
        this.bucketNanosMax =
                terms.rates().stream().mapToLong(Rate::bucketNanos).max().orElse(0);
        this.script = new LeaseScript(terms.name(), rates, terms.cost());
        this.table = KeyTable.bounded(terms.keysMax());
        this.toldNanos = new AtomicLong(clock.getAsLong() - LOG_NANOS);
        this.others = new SharedKey(this, OTHERS, clock.getAsLong());
    }

    /** Whether others give and remember the same. */
    boolean isLike(SharedLimit other) {
        return terms.equals(other.terms);
    }

    /** One more has it. */
    SharedLimit share() {
        users.incrementAndGet();
        return this;
    }

    /** One has it no more. */
    void leave() {
        if (users.decrementAndGet() == 0) {
            giveBack();
            redis.close();
        }
    }

    Rate[] rates() {
        return rates;
    }

    long cost() {
        return terms.cost();
    }

    long leaseTokens() {
        return terms.leaseTokens();
    }

    long creditTokens() {
        return terms.creditTokens();
    }

    /** How long the largest bucket takes to be full. */
    long bucketNanosMax() {
        return bucketNanosMax;
    }

    PluginContext.Counter onCredit() {
        return counts.onCredit();
    }

    long nowNanos() {
        return clock.getAsLong();
    }

    /** What is had of that key; null where it isn't remembered. */
    @Nullable SharedKey find(ShortKey key) {
        return table.get(key);
    }

    /**
     * Remembers that key, where there is room; else it is counted with all others for which there is none.
     *
     * @param name what it is called in all processes
     */
    SharedKey add(ShortKey key, String name, long nowNanos) {
        SharedKey made = table.add(key, new SharedKey(this, name, nowNanos), nowNanos);
        if (made == null) {
            counts.others().increment();
            return others;
        }
        return made;
    }

    /** That one has marked itself. */
    void remove(ShortKey key, SharedKey forgotten) {
        table.remove(key, forgotten);
    }

    /** Whether Redis doesn't answer. */
    boolean isLost() {
        return lost;
    }

    /** Whether that is since too much was asked at once: who does that, with ever new keys, isn't to have a say in what a lost Redis means. */
    boolean isCrowded() {
        return crowded;
    }

    /** Whether it is time to ask it again: true for one who asks. */
    boolean isProbeDue(long nowNanos) {
        long probe = probeNanos.get();
        return probe - nowNanos <= 0 && probeNanos.compareAndSet(probe, nowNanos + PROBE_NANOS);
    }

    /** Asks Redis for that key; it is told what came of it. */
    void ask(SharedKey key, SharedKey.Question question) {
        script.ask(redis, key.name(), question.want(), question.debt()).whenComplete((numbers, failed) -> {
            LeaseScript.Answer answer = failed == null ? script.read(numbers, question.want()) : null;
            long now = clock.getAsLong();
            if (answer == null) {
                counts.failures().increment();
                probeNanos.set(now + PROBE_NANOS);
                crowded = failed instanceof RedisException why && why.kind() == RedisException.Kind.FULL;
                lost = true;
                key.unanswered();
                tellLost(failed, now);
            } else {
                key.answered(question, answer, now);
                lost = false;
                tellBack();
                if (answer.tokens() > 0) {
                    lookLater();
                }
            }
        });
    }

    /** A Redis that refuses, as its user may not do what is asked, has connections as any: nothing else says what it says. */
    private void tellLost(@Nullable Throwable why, long nowNanos) {
        if (users.get() == 0) {
            // It was left, and its Redis closed.
            return;
        }
        long last = toldNanos.get();
        if (!told.get() && nowNanos - last >= LOG_NANOS && toldNanos.compareAndSet(last, nowNanos)) {
            told.set(true);
            LOG.warn(
                    "rate-limit: the limit \"{}\" isn't shared, redis {} gives no tokens ({}); {} holds until it does,"
                            + " and this is said once",
                    terms.name(),
                    terms.redisId(),
                    why == null ? "an answer of another kind" : String.valueOf(why.getMessage()),
                    crowded ? "each gateway's own count" : "\"on-failure\"");
        }
    }

    private void tellBack() {
        if (told.get() && told.compareAndSet(true, false)) {
            LOG.info("rate-limit: the limit \"{}\" is shared again", terms.name());
        }
    }

    /** Gives back what that one has taken last. Nobody waits for it: what doesn't reach Redis expires. */
    void giveBack(SharedKey key, long tokens, List<Long> fullUnits) {
        script.giveBack(redis, key.name(), tokens, fullUnits);
    }

    /** Gives back what nobody will use any more. */
    private void giveBack() {
        long now = clock.getAsLong();
        int[] left = {GIVEN_BACK_MAX};
        table.forEach((key, each) -> {
            if (left[0] > 0 && each.giveBack(now)) {
                left[0]--;
            }
        });
    }

    private void lookLater() {
        if (!due.get() && due.compareAndSet(false, true)) {
            later.execute(this::look);
        }
    }

    /** Gives back what nobody has used since the last look, and looks again as long as there is anything. */
    private void look() {
        due.set(false);
        if (users.get() == 0) {
            return;
        }
        long now = clock.getAsLong();
        int[] left = {GIVEN_BACK_MAX};
        boolean[] more = {false};
        table.forEach((key, each) -> {
            if (!each.isHolding(now)) {
                return;
            }
            if (left[0] > 0 && each.isIdle() && each.giveBack(now)) {
                left[0]--;
            } else {
                more[0] = true;
            }
        });
        if (more[0]) {
            lookLater();
        }
    }

    /** How many keys are remembered. */
    int count() {
        return table.count();
    }
}
