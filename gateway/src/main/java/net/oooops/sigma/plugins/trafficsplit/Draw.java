package net.oooops.sigma.plugins.trafficsplit;

import java.util.concurrent.ThreadLocalRandom;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * Draws a number for a request: by chance, or the same one for all that have something in common. Any thread.
 *
 * @param by what they have in common
 * @param field the field that it goes by, with {@link By#HEADER}
 * @param seed so that those who get one thing first aren't the same who get all things first
 */
record Draw(By by, @Nullable FieldName field, long seed) {
    /** Draws are 0 to one less: hundredths of a percent. */
    static final int RANGE = 10_000;

    private static final long PRIME = 0x100000001B3L;

    /** What requests have in common that are sent the same way. */
    enum By {
        RANDOM,
        ADDRESS,
        CONSUMER,
        HEADER
    }

    /** The seed of that text. */
    static long seed(String text) {
        return hash(0xCBF29CE484222325L, text);
    }

    /** Who has nothing to go by gets one by chance. */
    int of(Exchange exchange) {
        return switch (by) {
            case RANDOM -> chance();
            case ADDRESS -> of(exchange.clientIp());
            case CONSUMER -> {
                Consumer consumer = exchange.consumer();
                yield consumer == null ? chance() : of(consumer.id());
            }
            case HEADER -> {
                String value = field == null ? null : exchange.request().value(field);
                yield value == null ? chance() : of(value);
            }
        };
    }

    private static int chance() {
        return ThreadLocalRandom.current().nextInt(RANGE);
    }

    private int of(IpAddress address) {
        return range(seed * PRIME ^ address.high() * PRIME ^ address.low());
    }

    private int of(String text) {
        return range(hash(seed, text));
    }

    /** FNV-1a. */
    private static long hash(long begin, String text) {
        long sum = begin;
        for (int i = 0; i < text.length(); i++) {
            sum = (sum ^ text.charAt(i)) * PRIME;
        }
        return sum;
    }

    /** Mixed by the finalizer of SplitMix64, as what is hashed often differs in one digit only. */
    private static int range(long hash) {
        long mixed = (hash ^ hash >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        mixed ^= mixed >>> 31;
        return (int) Long.remainderUnsigned(mixed, RANGE);
    }
}
