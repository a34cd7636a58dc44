package net.oooops.sigma.http;

import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.ResponseHead;

/** The head of a response as received, or of one that Sigma gives itself. Contract and threads as for {@link ResponseHead}. */
public final class HttpResponseHead extends MessageHead implements ResponseHead {
    private static final FieldName DATE = FieldName.of("Date");
    private static final int SWITCHING = 101;
    private static final int UPGRADE_REQUIRED = 426;

    private int status;
    /** After the status line's CRLF is {@code fieldsStart}; the reason phrase ends before it. */
    int reasonStart;

    private boolean statusEdited;
    private boolean dateSeen;
    private boolean own;
    /** It answers a CONNECT with success. */
    private boolean opensTunnel;

    /** A head without a response. */
    public HttpResponseHead() {
        clear();
    }

    @Override
    public void clear() {
        super.clear();
        status = 0;
        reasonStart = 0;
        statusEdited = false;
        dateSeen = false;
        own = false;
        opensTunnel = false;
    }

    /** Makes this the head of a response of Sigma's own, without fields yet. */
    public void begin(int ownStatus, long bodyBytes) {
        clear();
        status = ownStatus;
        contentLength = bodyBytes;
        own = true;
        statusEdited = true;
    }

    /**
     * The line that the head begins with; what is behind it are fields.
     *
     * @param receivedStatus 100 to 599
     * @param afterStatus where the status ends: at the space before the reason phrase, if there is one
     * @param end behind the line
     */
    public void statusLine(int receivedStatus, int afterStatus, int end) {
        status = receivedStatus;
        reasonStart = afterStatus;
        beginFields(end);
    }

    @Override
    boolean acceptKnown(int known, int valueStart, int valueEnd) {
        dateSeen |= known == KnownField.DATE;
        return true;
    }

    /** Whether the response is Sigma's own, not a node's. */
    public boolean isOwn() {
        return own;
    }

    /**
     * Has the Upgrade field of a 101 or a 426 written on, where there is one: that one is for the client (RFC 9110 sections 15.2.2,
     * 15.5.22). Connection has to name it then.
     */
    public boolean keepUpgrade() {
        boolean keeps = (status == UPGRADE_REQUIRED || status == SWITCHING) && find(KnownField.UPGRADE) >= 0;
        if (keeps) {
            keep(KnownField.UPGRADE);
        }
        return keeps;
    }

    /** Makes it a 101, which is what success is in the form that HTTP/2 has for that (RFC 8441 section 5). Its fields frame nothing. */
    public void switches() {
        status = SWITCHING;
        statusEdited = true;
        dropFraming();
    }

    /**
     * It answers a CONNECT with success: what follows is a tunnel, and what its fields say of a body isn't meant (RFC 9110 section 9.3.6).
     *
     * @return whether the head is taken, for all else
     */
    public boolean opensTunnel() {
        opensTunnel = true;
        dropFraming();
        return finishFraming();
    }

    /** What it says of a body is of one that doesn't follow, and that its reader would wait for. */
    public void emptied() {
        dropFraming();
        empty();
    }

    /** Whether the status is one of success. */
    public boolean isSuccess() {
        return status >= 200 && status <= 299;
    }

    /** Whether a node opens a tunnel with it, as it was asked to: what follows is none of HTTP's. */
    public boolean isSwitch() {
        return (status == SWITCHING || opensTunnel) && !own;
    }

    /**
     * Whether a 101 says what it has to (RFC 9110 sections 7.8, 15.2.2): it is of HTTP/1.1, switches to the protocol that was asked for
     * and to nothing else, and announces no body.
     */
    public boolean switchesAsAsked(HttpRequestHead asked) {
        int field = find(KnownField.UPGRADE);
        boolean plain = minorVersion == 1 && upgradeOption && contentLength == NO_LENGTH && !chunked;
        return plain && field >= 0 && isOnly(field) && asked.protocol.is(bytes, valueStart(field), valueEnd(field));
    }

    private boolean isOnly(int upgrade) {
        for (int field = upgrade + 1; field < fieldCount; field++) {
            if (known(field) == KnownField.UPGRADE) {
                return false;
            }
        }
        return true;
    }

    /** Whether the response has a Date field. */
    public boolean hasDate() {
        return dateSeen || (own && has(DATE));
    }

    /** Whether the response is an interim one (RFC 9110 section 15.2). */
    public boolean isInterim() {
        return status < 200;
    }

    /** Whether a response of this status ends with its head whatever its fields say (RFC 9112 section 6.3). */
    public boolean isBodiless() {
        return status < 200 || status == 204 || status == 304 || opensTunnel;
    }

    /** The node keeps the connection open after this response. */
    public boolean keepsConnection() {
        return isPersistent();
    }

    /**
     * Seconds that the node says it keeps an idle connection open ({@code Keep-Alive: timeout=n}), or -1.
     */
    public long keepAliveSeconds() {
        int field = find(KnownField.KEEP_ALIVE);
        return field < 0 ? -1 : timeoutParameter(valueStart(field), valueEnd(field));
    }

    private long timeoutParameter(int start, int end) {
        byte[] name = TIMEOUT;
        for (int at = start; at + name.length < end; at++) {
            if (Octets.equalsIgnoreCase(bytes, at, at + name.length, name) && Octets.isDigit(bytes[at + name.length])) {
                return number(at + name.length, end);
            }
        }
        return -1;
    }

    private long number(int start, int end) {
        long value = 0;
        for (int at = start; at < end && Octets.isDigit(bytes[at]) && value < Integer.MAX_VALUE; at++) {
            value = value * 10 + (bytes[at] - '0');
        }
        return value;
    }

    private static final byte[] TIMEOUT = Octets.ascii("timeout=");

    @Override
    public int status() {
        return status;
    }

    @Override
    public void status(int newStatus) {
        boolean valid = newStatus >= 200 && newStatus <= 599;
        boolean bodiless = newStatus == 204 || newStatus == 304 || isBodiless();
        if (!valid || (bodiless && newStatus != status)) {
            throw new IllegalArgumentException("status: " + newStatus
                    + " (expected: 200 to 599, neither from nor to 204 or 304; it is " + status + ")");
        }
        statusEdited |= newStatus != status;
        status = newStatus;
    }

    /** Whether the received status line can't be written on as it is. */
    boolean isStatusEdited() {
        return statusEdited;
    }
}
