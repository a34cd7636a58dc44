package net.oooops.sigma.route;

import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.FieldName;
import org.jspecify.annotations.Nullable;

/**
 * What a match may ask of a request. The flow's exchange answers from the head as it was read; nothing is copied.
 *
 * <p>Asked on the event loop of the exchange, between the end of the head and the first plugin.
 */
public interface RouteQuery {
    /** The array that holds the path. */
    byte[] bytes();

    /** Where the path begins: normalised, without query, as {@link PathNormalizer} leaves it; {@code *} for {@code OPTIONS *}. */
    int pathStart();

    /** The position after the path's last byte. */
    int pathEnd();

    /** The array that holds the host. */
    byte[] hostBytes();

    /** Where the host begins, as {@link HostName} finds it: without port and trailing dot, in any letter case. */
    int hostStart();

    /** The position after the host's last byte; equal to {@link #hostStart()} where the request names no host. */
    int hostEnd();

    /** Whether the method is this one, letter case included (RFC 9110 section 9.1). */
    boolean methodIs(Ascii method);

    /** Whether a body follows the head (RFC 9112 section 6): a Content-Length above 0, or chunked. */
    boolean hasBody();

    /** The field's value, all of its lines joined with {@code ", "}, or null; asked only where a route has conditions. */
    @Nullable String header(FieldName name);

    /** The query as received, without its {@code ?}, or null; asked only where a route has conditions on it. */
    @Nullable String query();
}
