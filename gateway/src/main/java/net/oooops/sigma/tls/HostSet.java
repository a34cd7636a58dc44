package net.oooops.sigma.tls;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Names of hosts, some with {@code *} in the place of their first label (RFC 9525 section 6.3). Immutable, any thread. */
public final class HostSet {
    private final Set<String> names;

    HostSet(List<String> names) {
        this.names = names.stream().collect(Collectors.toUnmodifiableSet());
    }

    /** Whether a host is one of them, in whatever case it is written. */
    public boolean has(String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        return names.contains(lower) || names.contains(wildcardOf(lower));
    }

    /** The name with {@code *} that covers a host. */
    static String wildcardOf(String host) {
        int dot = host.indexOf('.');
        return dot < 0 ? host : "*" + host.substring(dot);
    }

    /** All of them. */
    Set<String> names() {
        return names;
    }
}
