package net.oooops.sigma.udp;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Which client has which session, by its address and port. Open addressing with linear probing; looking up allocates nothing with
 * IPv4. Where a client comes to stand can't be foreseen without the table's seed: addresses chosen to collide don't.
 *
 * <p>Bounded by whoever adds. Called on one event loop only.
 *
 * @param <S> a session
 */
final class ClientTable<S> {
    private static final int FIRST = 64;

    private final long seed = ThreadLocalRandom.current().nextLong();
    private @Nullable InetSocketAddress[] clients = new InetSocketAddress[FIRST];
    private @Nullable Object[] sessions = new Object[FIRST];
    private int count;

    /** The client's session, or null. */
    @SuppressWarnings("unchecked") // only add() stores, and it stores S
    public @Nullable S find(InetSocketAddress client) {
        return (S) sessions[place(client)];
    }

    /** The client has this session now; it had none. */
    public void add(InetSocketAddress client, S session) {
        if (++count * 2 > clients.length) {
            grow();
        }
        put(client, session);
    }

    private void put(InetSocketAddress client, @Nullable Object session) {
        int at = place(client);
        clients[at] = client;
        sessions[at] = session;
    }

    /** The client's session is over. Nothing happens where it has none. */
    public void remove(InetSocketAddress client) {
        int hole = place(client);
        if (clients[hole] == null) {
            return;
        }
        count--;
        int mask = clients.length - 1;
        int at = hole;
        while (true) {
            at = (at + 1) & mask;
            InetSocketAddress other = clients[at];
            if (other == null) {
                break;
            }
            // It may move up where the hole is not before the place that it would have alone.
            if (((at - home(other)) & mask) >= ((at - hole) & mask)) {
                clients[hole] = other;
                sessions[hole] = sessions[at];
                hole = at;
            }
        }
        clients[hole] = null;
        sessions[hole] = null;
    }

    /** How many clients have one. */
    public int size() {
        return count;
    }

    private void grow() {
        @Nullable InetSocketAddress[] oldClients = clients;
        @Nullable Object[] oldSessions = sessions;
        clients = new InetSocketAddress[oldClients.length * 2];
        sessions = new Object[oldClients.length * 2];
        for (int i = 0; i < oldClients.length; i++) {
            InetSocketAddress client = oldClients[i];
            if (client != null) {
                put(client, Objects.requireNonNull(oldSessions[i]));
            }
        }
    }

    /** Where the client is, or would be. */
    private int place(InetSocketAddress client) {
        int mask = clients.length - 1;
        int at = home(client);
        while (true) {
            InetSocketAddress there = clients[at];
            if (there == null || there.equals(client)) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    private int home(InetSocketAddress client) {
        InetAddress address = client.getAddress();
        long hash = seed ^ client.getPort();
        if (address instanceof Inet6Address) {
            // Its own hash is a sum, which many addresses of one network have.
            byte[] octets = address.getAddress();
            hash = mix(mix(hash ^ eight(octets, 0)) ^ eight(octets, 8));
        } else {
            // This one is the address itself.
            hash = mix(hash ^ ((long) address.hashCode() << 16));
        }
        return (int) hash & (clients.length - 1);
    }

    private static long eight(byte[] octets, int from) {
        long value = 0;
        for (int i = from; i < from + 8; i++) {
            value = value << 8 | (octets[i] & 0xFF);
        }
        return value;
    }

    /** The finalizer of SplitMix64: each bit of {@code value} moves half of the result's. */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }
}
