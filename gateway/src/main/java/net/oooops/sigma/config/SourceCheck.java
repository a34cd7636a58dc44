package net.oooops.sigma.config;

import java.util.List;
import java.util.Locale;
import net.oooops.sigma.config.UpstreamConfig.Protocol;

/** What is written of where an upstream's nodes come from goes together. That there is exactly one such key, the schema says. */
final class SourceCheck {
    /** Nodes stand in a file. */
    static final String FILE = "nodes-file";

    /** Nodes are the SRV records of a service. */
    static final String SRV = "dns-srv";

    private static final String NODES = "nodes";

    private final Json root;
    private final Problems problems;

    SourceCheck(Json root, Problems problems) {
        this.root = root;
        this.problems = problems;
    }

    void check() {
        for (Json upstream : root.itemsOf("upstream")) {
            Json discovery = upstream.get("discovery");
            for (String key : List.of(NODES, FILE, SRV)) {
                String word = key.equals(NODES) ? "static-config" : key;
                if (upstream.get(key) != null
                        && discovery != null
                        && !discovery.text().equals(word)
                        && !problems.has(discovery)) {
                    problems.value(discovery, Json.quoted(word) + ", as there is " + Json.quoted(key));
                }
            }
            Json srv = upstream.get(SRV);
            problems.text(srv, TextSyntax.SRV_NAME);
            if (srv != null && !problems.has(srv)) {
                transport(srv, ProtocolCheck.protocol(upstream) == Protocol.UDP);
            }
        }
    }

    /** Where the name says what the service runs on (RFC 2782), that is what its nodes speak. */
    private void transport(Json srv, boolean udp) {
        String[] labels = srv.text().toLowerCase(Locale.ROOT).split("\\.", -1);
        String said = labels.length > 1 ? labels[1] : "";
        if (said.equals(udp ? "_tcp" : "_udp")) {
            String expected = udp
                    ? "a service of _udp with \"protocol\": \"udp\""
                    : "a service of _tcp, or \"protocol\": \"udp\"";
            problems.value(srv, expected);
        }
    }
}
