package net.oooops.sigma.ocsp;

import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.certificate.OcspQuestion;

/** Whoever answers. */
interface Responder {
    /**
     * Asks, and doesn't wait. For one thread.
     *
     * @return what it answers, unread, or why it doesn't ({@link java.io.IOException}); comes to an end in any case
     */
    CompletableFuture<byte[]> ask(OcspQuestion question);
}
