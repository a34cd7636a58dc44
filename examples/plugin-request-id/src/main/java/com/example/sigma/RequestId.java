package com.example.sigma;

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;

/**
 * Gives requests an id, and their responses the same. One instance serves all exchanges of all event loops: what belongs to
 * one exchange is attached to it, not kept here.
 */
final class RequestId implements Plugin {
    /** A longer id of the client's is replaced: it goes into the logs of all who see it. */
    private static final int ID_CHARS_MAX = 128;

    private final FieldName name;

    RequestId(FieldName name) {
        this.name = name;
    }

    @Override
    public Needs needs() {
        return Needs.BOTH;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        String sent = exchange.request().value(name);
        Field id = Field.of(name, sent != null && isUsable(sent) ? sent : newId().toString());
        exchange.request().set(id);
        exchange.attach(this, id);
        return Outcome.CONTINUE;
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        if (exchange.attachment(this) instanceof Field id) {
            exchange.response().set(id);
        }
        return Outcome.CONTINUE;
    }

    private static boolean isUsable(String id) {
        return FieldName.isToken(id) && id.length() <= ID_CHARS_MAX;
    }

    /** A UUID of version 7: milliseconds, then random bits. An id names a request and is no secret, so they may be guessable. */
    private static UUID newId() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long timeAndVersion = System.currentTimeMillis() << 16 | 0x7000 | random.nextInt(0x1000);
        long variant = random.nextLong() >>> 2 | 1L << 63;
        return new UUID(timeAndVersion, variant);
    }
}
