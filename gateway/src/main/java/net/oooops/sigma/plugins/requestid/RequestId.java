package net.oooops.sigma.plugins.requestid;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import net.oooops.sigma.api.Cidr;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import org.jspecify.annotations.Nullable;

/**
 * Gives requests an id: a UUID of version 7 (RFC 9562), or the one that they come with, from whom that is believed.
 *
 * @param name of the field
 * @param trusted whose ids are kept
 * @param echoed whether responses get it too
 */
record RequestId(FieldName name, List<Cidr> trusted, boolean echoed) implements Plugin {
    /** A longer id is replaced: it goes into the logs of all who see it. */
    static final int ID_CHARS_MAX = 128;

    /** Makes an id for nobody: what the first one takes, classes and the seed of what is random, isn't taken from an event loop. */
    static void warm() {
        newId();
    }

    @Override
    public Needs needs() {
        return echoed ? Needs.BOTH : Needs.REQUEST;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        String kept = kept(exchange);
        String id = kept == null ? newId() : kept;
        Field field = Field.of(name, id);
        exchange.request().removeAlike(name);
        exchange.request().add(field);
        exchange.value(Key.REQUEST_ID, id);
        if (echoed) {
            exchange.attach(this, field);
        }
        return Outcome.CONTINUE;
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        if (exchange.attachment(this) instanceof Field field) {
            exchange.response().set(field);
        }
        return Outcome.CONTINUE;
    }

    private @Nullable String kept(Exchange exchange) {
        if (trusted.isEmpty() || !exchange.request().has(name)) {
            return null;
        }
        List<String> sent = exchange.request().values(name);
        return sent.size() == 1 && isUsable(sent.getFirst()) && isTrusted(exchange.peerAddress())
                ? sent.getFirst()
                : null;
    }

    private boolean isTrusted(String peer) {
        IpAddress address = IpAddress.parse(peer);
        for (Cidr block : trusted) {
            if (address != null && block.contains(address)) {
                return true;
            }
        }
        return false;
    }

    /** Letters, digits and what UUIDs, traces and base64 have beside them: nothing that a log or a shell would take for its own. */
    private static boolean isUsable(String id) {
        for (int i = 0; i < id.length(); i++) {
            char c = id.charAt(i);
            boolean alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
            if (!alphanumeric && "-_.:=+/@".indexOf(c) < 0) {
                return false;
            }
        }
        return !id.isEmpty() && id.length() <= ID_CHARS_MAX;
    }

    /** Milliseconds, then random bits. An id names a request and is no secret, so they may be guessable. */
    private static String newId() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long timeAndVersion = System.currentTimeMillis() << 16 | 0x7000 | random.nextInt(0x1000);
        long variant = random.nextLong() >>> 2 | 1L << 63;
        return new UUID(timeAndVersion, variant).toString();
    }
}
