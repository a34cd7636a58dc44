package net.oooops.sigma.observe;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Metadata;
import org.jspecify.annotations.Nullable;

/**
 * What a line of the access log asks of an exchange that ended. Everything that a client sent is copied as bytes, as received
 * and unescaped; the texts are ids from sigma.json, made at configuration time. Nothing of it allocates.
 *
 * <p>The {@code copy} methods write at most {@code bytesMax} bytes to {@code target} from {@code at} on, cutting what is longer,
 * and return the position after the last byte written, or {@link #ABSENT}. There is always room for {@code bytesMax} bytes.
 *
 * <p>Called on the event loop that owns the exchange, only during {@link AccessLog.Appender#append}.
 */
public interface AccessRecord {
    /** What a {@code copy} method returns where there is nothing to copy. An empty value is not absent. */
    int ABSENT = -1;

    /** When the exchange ended, milliseconds since 1970-01-01T00:00Z: now, as it is shown then. */
    default long wallMillis() {
        return System.currentTimeMillis();
    }

    /** From the first byte of the request to the last one of the answer, nanoseconds. */
    long durationNanos();

    /** The address of the client's socket: 4 or 16 bytes in network order, or none where it has no IP address. */
    byte[] peerAddress();

    /** The client's address, in the same form: that of the socket, or what trusted proxies say it is. */
    default byte[] clientAddress() {
        return peerAddress();
    }

    /** Whether it is of HTTP. */
    default boolean isOfHttp() {
        return false;
    }

    /** Copies the request line as received, without its line end (RFC 9112 section 3); absent where none was received. */
    int copyRequestLine(byte[] target, int at, int bytesMax);

    /** Copies the authority that the request was for, port included where it was sent (RFC 9110 section 7.2). */
    int copyHost(byte[] target, int at, int bytesMax);

    /** Copies the value of the first field of the request as received with this name. */
    int copyField(FieldName name, byte[] target, int at, int bytesMax);

    /** The status that the client got, or that only the log shows ({@link Fault#status}); 0 where there was none. */
    int status();

    /** Bytes of the response's body that were sent, without head and chunk framing. */
    long bodyBytesSent();

    /** Why the exchange failed, null where it did not. */
    @Nullable Fault fault();

    /** Why a plugin has answered, where it says: its name and a reason; null where it didn't. */
    default @Nullable String pluginReason() {
        return null;
    }

    /** What more there is to say of a failure; null where nothing is. */
    default @Nullable String detail() {
        return null;
    }

    /** The id of the consumer that the request is from, null where nobody has found out. */
    default @Nullable String consumerId() {
        return null;
    }

    /** The id that a plugin gave the request, null where none did. */
    default @Nullable String requestId() {
        return null;
    }

    /** What else is to be said of it, such as {@code shadow: ip-restriction: 403 address}; null where nothing is. */
    default @Nullable String note() {
        return null;
    }

    /** That is said, too: both in one text, cut where it becomes too long for a line. */
    static @Nullable String joined(@Nullable String said, @Nullable String more) {
        if (said == null || more == null) {
            return said == null ? more : said;
        }
        String joined = said + "; " + more;
        return joined.length() > LineFormat.ID_CHARS_MAX ? joined.substring(0, LineFormat.ID_CHARS_MAX) : joined;
    }

    /** The id of the Listener that the request came in by. */
    String listenerId();

    /** The version of TLS on the client's connection, null where that is plain. */
    default @Nullable String tlsVersion() {
        return null;
    }

    /** The host that the client has asked for in its handshake of TLS, null where it hasn't. */
    default @Nullable String tlsHost() {
        return null;
    }

    /** The id of the Route, null where none was found. */
    @Nullable String routeId();

    /** The id of the Router that has it, null where none was found, or where Routes stand at the Listener itself. */
    default @Nullable String routerId() {
        return null;
    }

    /** What sigma.json says of the Route beside, null where it says nothing. */
    default @Nullable Metadata metadata() {
        return null;
    }

    /** The id of the Upstream, null where none was chosen. */
    @Nullable String upstreamId();

    /** The Node of the last attempt as {@code host:port}, null where none was tried. */
    @Nullable String upstreamNode();

    /** From when the last node had the request until its answer began, nanoseconds; -1 where none has answered. */
    default long nodeNanos() {
        return -1;
    }

    /** How many nodes the request was given to. */
    int attempts();
}
