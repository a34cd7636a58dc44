package net.oooops.sigma.proxy;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import net.oooops.sigma.http.MessageHead;

/**
 * This gateway's name in Via fields (RFC 9110 section 7.6.3): a pseudonym that no other running gateway has, so that a
 * request which comes back is told from one that passed another Sigma.
 *
 * <p>Immutable, safe for use from any thread.
 */
public final class Identity {
    private final byte[] pseudonym;
    private final byte[] viaLine;
    private final byte[] viaLineOf10;
    private final byte[] viaLineOf2;

    private Identity(String pseudonym) {
        this.pseudonym = pseudonym.getBytes(StandardCharsets.US_ASCII);
        this.viaLine = ("Via: 1.1 " + pseudonym + "\r\n").getBytes(StandardCharsets.US_ASCII);
        this.viaLineOf2 = ("Via: 2.0 " + pseudonym + "\r\n").getBytes(StandardCharsets.US_ASCII);
        this.viaLineOf10 = ("Via: 1.0 " + pseudonym + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** A new one: {@code sigma-} and eight random hexadecimal digits. */
    public static Identity random() {
        return new Identity("sigma-%08x".formatted(ThreadLocalRandom.current().nextInt()));
    }

    byte[] pseudonym() {
        return pseudonym;
    }

    /** The Via line of a message, which names the version that it came in. */
    byte[] viaLine(MessageHead head) {
        if (head.isHttp2()) {
            return viaLineOf2;
        }
        return head.minorVersion() == 0 ? viaLineOf10 : viaLine;
    }
}
