package net.oooops.sigma.names;

import java.net.InetAddress;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import net.oooops.sigma.config.NodeConfig;
import org.jspecify.annotations.Nullable;

/**
 * What name servers have said last, whoever asked them: all event loops of a process share it, and it goes to the process that takes its
 * place. It is for those who have no answer of their own.
 *
 * <p>Any thread.
 */
public final class LastAnswers {
    /** So many are kept in any case; more only of names in use. */
    public static final int KEPT_MIN = 1000;

    private final Supplier<Set<String>> used;
    private final ConcurrentMap<String, List<InetAddress>> addresses = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, List<NodeConfig>> nodes = new ConcurrentHashMap<>();
    /** Where there are more, those of names that nobody uses any more go. */
    private volatile int keptMax = KEPT_MIN;

    /**
     * All that is known.
     *
     * @param addresses by the name of a host
     * @param nodes by the name of a service
     */
    public record All(Map<String, List<InetAddress>> addresses, Map<String, List<NodeConfig>> nodes) {
        public All {
            addresses = Map.copyOf(addresses);
            nodes = Map.copyOf(nodes);
        }
    }

    /** @param used names of hosts and services that nodes have now */
    public LastAnswers(Supplier<Set<String>> used) {
        this.used = used;
    }

    /** The addresses of a host: the same object until there is another answer. Empty where there was none. */
    List<InetAddress> addresses(String host) {
        return addresses.getOrDefault(host, List.of());
    }

    /**
     * A name server has said which addresses a host has.
     *
     * @param now at least one
     * @return the same
     */
    List<InetAddress> learnt(String host, List<InetAddress> now) {
        List<InetAddress> kept = List.copyOf(now);
        addresses.put(host, kept);
        bound();
        return kept;
    }

    /** The nodes of a service; null where there was no answer. */
    public @Nullable List<NodeConfig> nodes(String service) {
        return nodes.get(service);
    }

    /** A name server has said which nodes a service has. */
    public void learntNodes(String service, List<NodeConfig> now) {
        nodes.put(service, List.copyOf(now));
        bound();
    }

    private void bound() {
        if (addresses.size() + nodes.size() > keptMax) {
            keepUsed();
            // Looked at again when there are twice as many: not each time.
            keptMax = Math.max(KEPT_MIN, 2 * (addresses.size() + nodes.size()));
        }
    }

    /** Names that nobody uses any more are forgotten: whoever uses one later begins with what is true by then. */
    public void keepUsed() {
        Set<String> kept = used();
        addresses.keySet().retainAll(kept);
        nodes.keySet().retainAll(kept);
    }

    private Set<String> used() {
        Set<String> names = new HashSet<>(used.get());
        nodes.forEach((service, all) -> {
            if (names.contains(service)) {
                all.forEach(node -> names.add(node.host()));
            }
        });
        return names;
    }

    /** What is known of the names that are in use. */
    public All all() {
        Set<String> names = used();
        Map<String, List<InetAddress>> hosts = new LinkedHashMap<>(addresses);
        hosts.keySet().retainAll(names);
        Map<String, List<NodeConfig>> services = new LinkedHashMap<>(nodes);
        services.keySet().retainAll(names);
        return new All(hosts, services);
    }

    /** Another process knew that: it holds for names that this one has no answer for itself. */
    public void hear(All heard) {
        heard.addresses().forEach((host, all) -> addresses.putIfAbsent(host, List.copyOf(all)));
        heard.nodes().forEach((service, all) -> nodes.putIfAbsent(service, List.copyOf(all)));
    }
}
