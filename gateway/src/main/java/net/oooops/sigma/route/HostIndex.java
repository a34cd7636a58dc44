package net.oooops.sigma.route;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which group of routes a host belongs to: the group of exactly this host, else that of the longest domain above it that has a
 * wildcard, else that of any host. The host is read once, from its end, so that every domain above it is met on the way.
 *
 * <p>Immutable; a lookup allocates nothing.
 */
final class HostIndex {
    private static final String WILDCARD = "*.";

    private final Names exact;
    private final Names wildcard;
    private final int anyHost;

    private HostIndex(Names exact, Names wildcard, int anyHost) {
        this.exact = exact;
        this.wildcard = wildcard;
        this.anyHost = anyHost;
    }

    /**
     * The index over the hosts of groups 0, 1, 2 and so on, in their {@linkplain #canonical one spelling}; {@link
     * RouteGroup#ANY_HOST} is any host.
     */
    static HostIndex of(List<String> groups) {
        List<Name> exact = new ArrayList<>();
        List<Name> wildcard = new ArrayList<>();
        int anyHost = -1;
        for (int group = 0; group < groups.size(); group++) {
            String host = groups.get(group);
            if (host.equals(RouteGroup.ANY_HOST)) {
                anyHost = group;
            } else if (host.startsWith(WILDCARD)) {
                wildcard.add(new Name(host.substring(WILDCARD.length()), group));
            } else {
                exact.add(new Name(host, group));
            }
        }
        return new HostIndex(new Names(exact), new Names(wildcard), anyHost);
    }

    /**
     * The one spelling of a virtual host: lower case, without trailing dot.
     *
     * @throws IllegalArgumentException where it is neither a host nor a wildcard
     */
    static String canonical(String host) {
        boolean isWildcard = host.startsWith(WILDCARD);
        byte[] name = (isWildcard ? host.substring(WILDCARD.length()) : host).getBytes(US_ASCII);
        long parsed = HostName.parse(name, 0, name.length);
        boolean isHost = parsed != HostName.INVALID && HostName.port(parsed) == 0 && HostName.hostEnd(parsed) > 0;
        boolean colon = isHost && name[name.length - 1] == ':';
        if (!isHost || colon || (isWildcard && name[0] == '[')) {
            throw new IllegalArgumentException(
                    "virtual-host: " + host + " (expected: a host name, an IP address or *.DOMAIN, without port)");
        }
        String text = new String(name, 0, HostName.hostEnd(parsed), US_ASCII).toLowerCase(Locale.ROOT);
        return isWildcard ? WILDCARD + text : text;
    }

    /** The group for {@code source[start, end)}, or -1 where there is none. */
    int find(byte[] source, int start, int end) {
        if (exact.isEmpty() && wildcard.isEmpty()) {
            return anyHost;
        }
        int found = anyHost;
        int hash = 0;
        for (int i = end - 1; i >= start; i--) {
            int c = lowerCase(source[i]);
            if (c == '.' && i > start && !wildcard.isEmpty()) {
                int group = wildcard.find(hash, source, i + 1, end);
                found = group >= 0 ? group : found;
            }
            hash = 31 * hash + c;
        }
        int group = exact.find(hash, source, start, end);
        return group >= 0 ? group : found;
    }

    private static int lowerCase(byte b) {
        return b >= 'A' && b <= 'Z' ? b | 0x20 : b;
    }

    private static final class Name {
        private final byte[] lowerCase;
        private final int hash;
        private final int group;

        Name(String host, int group) {
            this.lowerCase = host.getBytes(US_ASCII);
            this.group = group;
            int fromTheEnd = 0;
            for (int i = lowerCase.length - 1; i >= 0; i--) {
                fromTheEnd = 31 * fromTheEnd + lowerCase[i];
            }
            this.hash = fromTheEnd;
        }

        boolean is(byte[] source, int start, int end) {
            if (end - start != lowerCase.length) {
                return false;
            }
            for (int i = 0; i < lowerCase.length; i++) {
                if (HostIndex.lowerCase(source[start + i]) != lowerCase[i]) {
                    return false;
                }
            }
            return true;
        }
    }

    /** An open-addressing hash table, at most half full. */
    private static final class Names {
        private final @Nullable Name[] slots;
        private final boolean empty;

        Names(List<Name> names) {
            empty = names.isEmpty();
            slots = new @Nullable Name[Integer.highestOneBit(Math.max(1, names.size())) * 4];
            for (Name name : names) {
                int at = slot(name.hash);
                while (slots[at] != null) {
                    at = after(at);
                }
                slots[at] = name;
            }
        }

        boolean isEmpty() {
            return empty;
        }

        int find(int hash, byte[] source, int start, int end) {
            for (int at = slot(hash); ; at = after(at)) {
                Name name = slots[at];
                if (name == null) {
                    return -1;
                }
                if (name.hash == hash && name.is(source, start, end)) {
                    return name.group;
                }
            }
        }

        private int slot(int hash) {
            return (hash ^ hash >>> 16) & slots.length - 1;
        }

        private int after(int slot) {
            return slot + 1 & slots.length - 1;
        }
    }
}
