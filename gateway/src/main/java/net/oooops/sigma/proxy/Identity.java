package net.oooops.sigma.proxy;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;

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

    private Identity(String pseudonym) {
        this.pseudonym = pseudonym.getBytes(StandardCharsets.US_ASCII);
        this.viaLine = ("Via: 1.1 " + pseudonym + "\r\n").getBytes(StandardCharsets.US_ASCII);
        this.viaLineOf10 = ("Via: 1.0 " + pseudonym + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** A new one: {@code sigma-} and eight random hexadecimal digits. */
    public static Identity random() {
        return new Identity("sigma-%08x".formatted(ThreadLocalRandom.current().nextInt()));
    }

    byte[] pseudonym() {
        return pseudonym;
    }

    /** The Via line of a message that came in HTTP/1.{@code minorVersion}. */
    byte[] viaLine(int minorVersion) {
        return minorVersion == 0 ? viaLineOf10 : viaLine;
    }
}
