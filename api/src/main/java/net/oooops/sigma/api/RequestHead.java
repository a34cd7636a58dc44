package net.oooops.sigma.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The head of a request: method, target and fields. Contract and threads as for {@link Head}. A field that a plugin removes or sets here is left out of what
 * the client sends behind the body, too (trailers).
 *
 * <p>A path that a plugin gives is held to the rules for one that a client sends, when the plugin has decided: it is normalised, and
 * where a client's would be refused, or where it holds a dot segment, the request fails with {@link Fault#REWRITE_REFUSED} and
 * reaches no node.
 *
 * <p>A method that a plugin gives is the one that nodes get, and what follows from a method on the way there follows from it: whether the request may
 * be tried again, and whether the node's answer has a body. What the client gets is framed by its own: none to HEAD gets a body, and a GET that went as
 * HEAD gets an empty one. The Route stays what it is, and logs have the client's.
 */
public interface RequestHead extends Head {
    /** The method as it will be forwarded, letter case included (RFC 9110 section 9.1): the client's, unless a plugin gave another one. */
    String method();

    /**
     * Replaces the method, in {@link Plugin#onRequest}. A body stays what it is.
     *
     * @throws IllegalArgumentException where it is no token of 32 characters at most, CONNECT, TRACE, or for the target {@code *} anything but OPTIONS
     * @throws IllegalStateException where the request is a CONNECT, or at another time
     */
    void method(String method);

    /** The method as received: by this the client's answer is framed, and logged. */
    String receivedMethod();

    /** {@code http} or {@code https}: how the client reached this gateway. */
    String scheme();

    /** Host and, where the client gave one, port (RFC 9110 section 4.2); empty where an HTTP/1.0 client sent none. */
    String authority();

    /**
     * The path as it will be forwarded, without the query: normalised (dot segments removed, unreserved characters decoded,
     * repeated slashes merged), beginning with {@code /}, or {@code *} for {@code OPTIONS *}. Empty for CONNECT, where none that a plugin
     * gives has an effect.
     */
    String path();

    /**
     * The path by which the Route was found, whatever plugins and {@code sub-router} have made of it since: as the client wrote it, but normalised as for
     * {@link #path()}. What clients are told of paths has this one.
     */
    String receivedPath();

    /** The query as it will be forwarded, without its {@code ?}, or null where there is none. */
    @Nullable String query();

    /** The query as the client wrote it, whatever plugins have made of it since: what clients are told of queries has this one. Allocates. */
    @Nullable String receivedQuery();

    /** Whether a body follows the head: one in chunks, or of a length other than 0. Allocates nothing. */
    boolean hasBody();

    /**
     * How many bytes its body has: as the client said, or as it was collected; 0 where there is none. -1 where that isn't known: of a body in chunks,
     * of one over HTTP/2 without Content-Length, and of one that a plugin before has pass a {@link BodyTransform}, which makes another of it,
     * whatever Content-Length says of the one that was sent. Allocates nothing.
     */
    long contentLength();

    /**
     * The values of all cookies of that name, in their order, as they are written; empty where there is none. Of other cookies no text is made; without
     * one of that name it allocates nothing.
     */
    default List<String> cookies(CookieName name) {
        return name.values(this);
    }

    /** Whether the path begins with {@code prefix}, letter case included. Allocates nothing. */
    boolean pathStartsWith(Ascii prefix);

    /**
     * Replaces the first {@code prefixBytes} bytes of the path by {@code replacement}. A path that then doesn't begin with
     * {@code /} gets one in front. Allocates nothing in steady state.
     *
     * @throws IndexOutOfBoundsException where the path is shorter than that
     */
    void replacePathPrefix(int prefixBytes, Ascii replacement);

    /**
     * Replaces the path.
     *
     * @throws IllegalArgumentException where {@code path} doesn't begin with {@code /} or holds anything but percent-encoded
     *     bytes and what a client may write in a path: the characters of RFC 3986 section 3.3, and {@code [ ] | ^}
     */
    void path(String path);

    /**
     * Replaces the query; null removes it.
     *
     * @throws IllegalArgumentException where it holds anything but what a client may write in a query: the characters of RFC 3986 section 3.4, those
     *     that browsers leave as they are there, such as {@code { } | \}, and {@code %}, though no two hexadecimal digits follow it
     */
    void query(@Nullable String query);
}
