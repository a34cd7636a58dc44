package net.oooops.sigma.examples;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a line of curl gets from an example.
 *
 * @param line the line
 * @param status of each answer
 * @param bodies of the answers
 * @param clientFields fields of the answers, by name, with their values; no values where there is to be no such field
 * @param nodeFields the same of the request as the node gets it
 */
record Promise(
        String line,
        int status,
        Bodies bodies,
        Map<String, List<String>> clientFields,
        Map<String, List<String>> nodeFields) {

    /**
     * Where bodies come from.
     *
     * @param own what the gateway's own answer has in its body, where no node is asked
     * @param ofNodes for each request in turn the port of the node that is to get it, its method and target: {@code 9001 GET /hello};
     *     none where no node is to be asked
     * @param othersToo whether nodes may be asked something beside
     */
    record Bodies(String own, List<String> ofNodes, boolean othersToo) {
        Bodies(String own, List<String> ofNodes) {
            this(own, ofNodes, false);
        }
    }

    /** An answer of a node, or of several in turn. */
    static Promise fromNodes(String line, String... nodeRequests) {
        return new Promise(line, 200, new Bodies("", List.of(nodeRequests)), Map.of(), Map.of());
    }

    /** An answer of the gateway's own. */
    static Promise own(String line, int status, String body) {
        return new Promise(line, status, new Bodies(body, List.of()), Map.of(), Map.of());
    }

    /** Plugins ask nodes on their own account, too. */
    Promise besideOthers() {
        Bodies withOthers = new Bodies(bodies.own, bodies.ofNodes, true);
        return new Promise(line, status, withOthers, clientFields, nodeFields);
    }

    /** With this field in the answers; without it where no values are given. */
    Promise client(String name, String... values) {
        return new Promise(line, status, bodies, with(clientFields, name, values), nodeFields);
    }

    /** With this field in what the node gets; without it where no values are given. */
    Promise node(String name, String... values) {
        return new Promise(line, status, bodies, clientFields, with(nodeFields, name, values));
    }

    private static Map<String, List<String>> with(Map<String, List<String>> fields, String name, String... values) {
        Map<String, List<String>> more = new LinkedHashMap<>(fields);
        more.put(name, List.of(values));
        return more;
    }
}
