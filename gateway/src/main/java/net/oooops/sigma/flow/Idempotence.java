package net.oooops.sigma.flow;

import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.http1.Http1RequestHead;

/** Which requests may be sent again once they were sent (RFC 9110 section 9.2.2). */
final class Idempotence {
    private static final Ascii[] METHODS = {
        Ascii.of("GET"), Ascii.of("HEAD"), Ascii.of("OPTIONS"), Ascii.of("PUT"), Ascii.of("DELETE"), Ascii.of("QUERY")
    };
    private static final FieldName IDEMPOTENCY_KEY = FieldName.of("Idempotency-Key");

    private Idempotence() {}

    static boolean isOf(Http1RequestHead request) {
        for (Ascii method : METHODS) {
            if (request.methodIs(method)) {
                return true;
            }
        }
        return request.has(IDEMPOTENCY_KEY);
    }
}
