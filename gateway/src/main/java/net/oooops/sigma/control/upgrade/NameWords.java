package net.oooops.sigma.control.upgrade;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.names.LastAnswers;
import org.jspecify.annotations.Nullable;

/**
 * What name servers have said last, as one gateway tells it another one: {@code {"hosts": {"a.example": ["10.0.0.1"]}, "services":
 * {"_http._tcp.example": [{"host": "a.example", "port": 80, "weight": 1, "backup": false}]}}}.
 */
final class NameWords {
    private static final String HOST = "host";
    private static final String PORT = "port";
    private static final String WEIGHT = "weight";
    private static final String BACKUP = "backup";

    private static final int PORT_MAX = 65535;

    private NameWords() {}

    static Map<String, Object> of(LastAnswers.All all) {
        Map<String, Object> hosts = new LinkedHashMap<>();
        all.addresses()
                .forEach((host, addresses) -> hosts.put(
                        host,
                        addresses.stream().map(InetAddress::getHostAddress).toList()));
        Map<String, Object> services = new LinkedHashMap<>();
        all.nodes()
                .forEach((service, nodes) -> services.put(
                        service, nodes.stream().map(NameWords::word).toList()));
        Map<String, Object> message = new LinkedHashMap<>();
        message.put(Said.HOSTS, hosts);
        message.put(Said.SRV, services);
        return message;
    }

    private static Map<String, Object> word(NodeConfig node) {
        Map<String, Object> word = new LinkedHashMap<>();
        word.put(HOST, node.host());
        word.put(PORT, node.port());
        word.put(WEIGHT, node.weight());
        word.put(BACKUP, node.backup());
        return word;
    }

    /** What isn't understood was said by another version, and is left out. */
    static LastAnswers.All read(Map<String, @Nullable Object> message) {
        Map<String, List<InetAddress>> addresses = lists(message.get(Said.HOSTS), NameWords::address);
        // No address is no answer; no node is one: there is no such service.
        addresses.values().removeIf(List::isEmpty);
        return new LastAnswers.All(addresses, lists(message.get(Said.SRV), NameWords::node));
    }

    private static <T> Map<String, List<T>> lists(@Nullable Object said, Function<Object, @Nullable T> one) {
        Map<String, List<T>> all = new LinkedHashMap<>();
        if (said instanceof Map<?, ?> words) {
            words.forEach((name, of) -> {
                if (name instanceof String text && of instanceof List<?> list) {
                    List<T> read = understood(list, one);
                    if (list.isEmpty() || !read.isEmpty()) {
                        all.put(text, read);
                    }
                }
            });
        }
        return all;
    }

    private static <T> List<T> understood(List<?> words, Function<Object, @Nullable T> one) {
        List<T> all = new ArrayList<>();
        for (Object each : words) {
            T read = each == null ? null : one.apply(each);
            if (read != null) {
                all.add(read);
            }
        }
        return all;
    }

    private static @Nullable InetAddress address(Object word) {
        IpAddress read = word instanceof String text ? IpAddress.parse(text) : null;
        return read == null ? null : read.inetAddress();
    }

    private static @Nullable NodeConfig node(Object word) {
        return word instanceof Map<?, ?> fields
                        && fields.get(HOST) instanceof String host
                        && NodeConfig.isHost(host)
                        && fields.get(PORT) instanceof Integer port
                        && fields.get(WEIGHT) instanceof Integer weight
                        && fields.get(BACKUP) instanceof Boolean backup
                        && isWithin(port, PORT_MAX)
                        && isWithin(weight, NodeConfig.WEIGHT_MAX)
                ? new NodeConfig(host, port, weight, backup, "")
                : null;
    }

    private static boolean isWithin(int number, int max) {
        return number >= 1 && number <= max;
    }
}
