package com.example.sigma;

import java.time.Duration;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;

/**
 * Blocks, and says so in its needs: its exchange is parked, the event loop goes on with others, and {@code onRequest} runs on
 * a virtual thread, where plain blocking code is right.
 */
record SlowLookup(Duration delay) implements Plugin {
    private static final FieldName CLIENT_NAME = FieldName.of("X-Client-Name");

    @Override
    public Needs needs() {
        return Needs.REQUEST.withBlocking();
    }

    @Override
    public Outcome onRequest(Exchange exchange) throws InterruptedException {
        String name = nameOf(exchange.clientAddress());
        exchange.request().set(Field.of(CLIENT_NAME, name));
        return Outcome.CONTINUE;
    }

    /** Stands for a query that waits for its answer. */
    private String nameOf(String address) throws InterruptedException {
        Thread.sleep(delay);
        return "client-" + Integer.toHexString(address.hashCode());
    }
}
