package net.oooops.sigma.http;

import net.oooops.sigma.api.Fault;

/**
 * Why a message is refused: one entry for each thing that RFC 9112 forbids, that two parsers could read differently, or that
 * exceeds a limit. Each is a counter; the fault says what the client gets (for responses: {@link Fault#UPSTREAM_PROTOCOL}).
 */
public enum Refusal {
    EMPTY_LINES("more empty lines before the request line than are skipped", Fault.BAD_REQUEST),
    BARE_CR("CR not followed by LF", Fault.BAD_REQUEST),
    BARE_LF("LF without CR", Fault.BAD_REQUEST),
    PLAIN_HTTP("plain HTTP where TLS is spoken", Fault.PLAIN_HTTP),
    METHOD("method is not a token", Fault.BAD_REQUEST),
    METHOD_TOO_LONG("method longer than any that is known", Fault.NOT_IMPLEMENTED),
    TARGET("request target has a byte that none may have", Fault.BAD_REQUEST),
    TARGET_FORM("request target is in no form that this method may have", Fault.BAD_REQUEST),
    VERSION_SYNTAX("HTTP version malformed", Fault.BAD_REQUEST),
    VERSION("HTTP version other than 1.x", Fault.VERSION_NOT_SUPPORTED),
    REQUEST_LINE_TOO_LONG("request line longer than limits.request-line", Fault.REQUEST_LINE_TOO_LONG),
    STATUS_LINE("status line malformed", Fault.UPSTREAM_PROTOCOL),
    FIELD_NAME("field name is not a token, or white space before its colon", Fault.BAD_REQUEST),
    FIELD_NO_COLON("field line without colon", Fault.BAD_REQUEST),
    FIELD_FOLDED("folded or indented field line", Fault.BAD_REQUEST),
    FIELD_VALUE("field value has a control character", Fault.BAD_REQUEST),
    FIELD_TOO_LONG("field longer than its limit", Fault.HEADER_TOO_LARGE),
    HEADER_TOO_LONG("header longer than its limit", Fault.HEADER_TOO_LARGE),
    HEADER_COUNT("more fields than limits.header-count", Fault.HEADER_TOO_LARGE),
    HOST_MISSING("no Host field", Fault.BAD_REQUEST),
    HOST_DUPLICATE("more than one Host field", Fault.BAD_REQUEST),
    HOST_INVALID("Host or authority malformed", Fault.BAD_REQUEST),
    PATH_INVALID("path malformed or leaves the root", Fault.BAD_REQUEST),
    CONTENT_LENGTH("Content-Length is not one plain number", Fault.BAD_REQUEST),
    CONTENT_LENGTH_DUPLICATE("more than one Content-Length", Fault.BAD_REQUEST),
    LENGTH_AND_CODING("both Content-Length and Transfer-Encoding", Fault.BAD_REQUEST),
    CODING("Transfer-Encoding other than chunked alone", Fault.BAD_REQUEST),
    CODING_IN_10("Transfer-Encoding in HTTP/1.0", Fault.BAD_REQUEST),
    CONNECTION_OPTIONS("more connection options than any sender has", Fault.BAD_REQUEST),
    BODY_IN_10("GET, HEAD or DELETE of HTTP/1.0 with a body", Fault.BODY_TOO_LARGE),
    EXPECTATION("expectation other than 100-continue", Fault.EXPECTATION_FAILED),
    CHUNK_SIZE("chunk size malformed or too large", Fault.BAD_REQUEST),
    CHUNK_EXTENSION("chunk extension malformed", Fault.BAD_REQUEST),
    CHUNK_EXTENSION_TOO_LONG("chunk extensions longer than their limit", Fault.BAD_REQUEST),
    CHUNK_END("chunk not followed by CRLF", Fault.BAD_REQUEST),
    TRAILER_FORBIDDEN("trailer field that none may be", Fault.BAD_REQUEST),
    TRAILERS_TOO_LONG("trailers longer than their limit", Fault.HEADER_TOO_LARGE),
    BODY_TOO_LARGE("body larger than its limit", Fault.BODY_TOO_LARGE),
    PSEUDO_FIELD("pseudo-header field unknown, wrong, missing, twice or behind other fields", Fault.BAD_REQUEST),
    FIELD_CASE("field name of HTTP/2 with upper case letters", Fault.BAD_REQUEST),
    CONNECTION_FIELD("field of the connection in HTTP/2", Fault.BAD_REQUEST),
    AUTHORITY_DIFFERS("Host other than :authority", Fault.BAD_REQUEST),
    BODY_LENGTH("body longer or shorter than Content-Length", Fault.BAD_REQUEST),
    HTTP2_NODE("the node speaks HTTP/2: its URL begins with h2c://, or with h2:// over TLS", Fault.UPSTREAM_PROTOCOL),
    TLS_NODE("the node speaks TLS: its URL begins with https://, or with h2:// for HTTP/2", Fault.UPSTREAM_PROTOCOL),
    SWITCHED_UNASKED("101 without being asked to switch", Fault.UPSTREAM_PROTOCOL),
    SWITCHED_OTHERWISE(
            "101 to another protocol than asked for, without \"Connection: upgrade\", or with a body's framing",
            Fault.UPSTREAM_PROTOCOL),
    WEBSOCKET_ACCEPT("101 with a Sec-WebSocket-Accept that isn't the one for the key", Fault.WEBSOCKET_ACCEPT),
    WEBSOCKET_KEY("no Sec-WebSocket-Key, or none of 16 bytes in Base64", Fault.BAD_REQUEST),
    CONNECT_BODY("CONNECT with a body", Fault.BAD_REQUEST),
    INTERIM_COUNT("more interim responses than their limit", Fault.UPSTREAM_PROTOCOL),
    FORWARDED("Forwarded of a trusted proxy malformed", Fault.BAD_REQUEST);

    private final String text;
    private final Fault fault;

    Refusal(String text, Fault fault) {
        this.text = text;
        this.fault = fault;
    }

    /** What is wrong, for the log. */
    public String text() {
        return text;
    }

    /** What a client gets whose request is refused for this. */
    public Fault fault() {
        return fault;
    }
}
