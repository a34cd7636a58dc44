package net.oooops.sigma.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Sees whether a client breaks a handshake off with an alert that isn't encrypted, as some do in TLS 1.3 that don't trust the certificate: those have no keys
 * yet to encrypt it with, and who decrypts finds a record that is too short. Stands in front of what decrypts, until the handshake is over.
 *
 * <p>Called on the connection's event loop only.
 */
final class PlainAlert extends ChannelInboundHandlerAdapter {
    private static final int ALERT = 21;
    private static final int HEADER_BYTES = 5;
    private static final int ALERT_BYTES = 2;
    private static final int NONE = -1;

    private int alert = NONE;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        alert = in((ByteBuf) message);
        ctx.fireChannelRead(message);
    }

    /** The alert among whole records, the first of which begins at the reader's index; {@link #NONE} where there is none. Isn't moved. */
    static int in(ByteBuf records) {
        int at = records.readerIndex();
        int end = records.writerIndex();
        while (end - at >= HEADER_BYTES) {
            int length = records.getUnsignedShort(at + HEADER_BYTES - 2);
            int next = at + HEADER_BYTES + length;
            if (records.getUnsignedByte(at) == ALERT && length == ALERT_BYTES && next <= end) {
                return records.getUnsignedByte(next - 1);
            }
            at = next;
        }
        return NONE;
    }

    /** Why the handshake failed: what the client said last, where it said that unencrypted; else as who decrypts has it. */
    @Nullable Throwable why(@Nullable Throwable otherwise) {
        if (alert == NONE || otherwise == null || !isUnexpected(otherwise)) {
            return otherwise;
        }
        return new SSLHandshakeException("the client broke it off, and says " + named(alert)
                + (isOfCertificates(alert) ? ": it doesn't trust the certificate" : ""));
    }

    /** Alerts that are expected have words already. BoringSSL sees the length first; the JDK, in a cause, that it isn't encrypted. */
    private static boolean isUnexpected(Throwable thrown) {
        String said = String.valueOf(thrown.getMessage());
        Throwable cause = thrown.getCause();
        return said.contains("BAD_PACKET_LENGTH")
                || said.contains("BAD_DECRYPT")
                || said.contains("bad record MAC")
                || said.contains("plaintext alert")
                || (cause != null && cause != thrown && isUnexpected(cause));
    }

    /** From bad_certificate to unknown_ca, but illegal_parameter. */
    private static boolean isOfCertificates(int alert) {
        return alert >= 42 && alert <= 48 && alert != 47;
    }

    /** By its name (RFC 8446 section 6.2). */
    private static String named(int alert) {
        return switch (alert) {
            case 0 -> "close_notify";
            case 10 -> "unexpected_message";
            case 40 -> "handshake_failure";
            case 42 -> "bad_certificate";
            case 43 -> "unsupported_certificate";
            case 44 -> "certificate_revoked";
            case 45 -> "certificate_expired";
            case 46 -> "certificate_unknown";
            case 47 -> "illegal_parameter";
            case 48 -> "unknown_ca";
            case 50 -> "decode_error";
            case 51 -> "decrypt_error";
            case 70 -> "protocol_version";
            case 80 -> "internal_error";
            case 90 -> "user_canceled";
            case 113 -> "bad_certificate_status_response";
            default -> "alert " + alert;
        };
    }
}
