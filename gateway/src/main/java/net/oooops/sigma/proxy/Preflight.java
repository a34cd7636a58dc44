package net.oooops.sigma.proxy;

import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.http.HttpRequestHead;

/**
 * CORS preflights (Fetch standard, section 3.3.2): an OPTIONS request that asks for another method. Where no Route allows
 * OPTIONS there, the Route of the method asked for is taken, so that its {@code cors} plugin can answer.
 */
public final class Preflight {
    private static final Ascii OPTIONS = Ascii.of("OPTIONS");
    private static final FieldName ORIGIN = FieldName.of("Origin");
    private static final FieldName REQUEST_METHOD = FieldName.of("Access-Control-Request-Method");

    private Preflight() {}

    /** Whether that request is a preflight. */
    public static boolean isOne(HttpRequestHead request) {
        return request.methodIs(OPTIONS) && request.has(ORIGIN) && request.has(REQUEST_METHOD);
    }

    /** Whether the method that the preflight asks for is {@code method}. */
    public static boolean requests(HttpRequestHead request, Ascii method) {
        String asked = request.value(REQUEST_METHOD);
        return asked != null && asked.length() == method.length() && asked.equals(method.toString());
    }
}
