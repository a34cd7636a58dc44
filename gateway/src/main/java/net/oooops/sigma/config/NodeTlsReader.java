package net.oooops.sigma.config;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.oooops.sigma.config.NodeTlsConfig.Shown;
import net.oooops.sigma.config.NodeTlsConfig.Trust;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/** Reads {@code ssl} of upstreams. */
final class NodeTlsReader {
    private final Problems problems;
    private final Problems warnings;
    private final CertificateReader files;

    NodeTlsReader(Problems problems, Problems warnings, CertificateReader files) {
        this.problems = problems;
        this.warnings = warnings;
        this.files = files;
    }

    /** By the upstream's id, of those whose nodes are spoken to over TLS, as far as there is no problem with it. */
    Map<String, NodeTlsConfig> read(Json root) {
        Map<String, NodeTlsConfig> all = new HashMap<>();
        for (Json upstream : root.itemsOf("upstream")) {
            NodeScheme scheme = ProtocolCheck.scheme(upstream);
            Json ssl = upstream.get("ssl");
            if (ssl != null && (ssl.kind() != Json.Kind.OBJECT || problems.has(ssl))) {
                continue;
            }
            if (ssl != null && !scheme.isSecure()) {
                String with = "no such key with " + scheme.prefix() + " nodes";
                NodeScheme secure = scheme.secure();
                String over = secure == null ? "" : "; nodes of " + secure.prefix() + " are spoken to over TLS";
                problems.key(ssl, "\"ssl\"", with + over, null);
            } else if (scheme.isSecure()) {
                List<String> ofHttp = ofHttp(upstream);
                NodeTlsConfig tls = ssl == null
                        ? NodeTlsConfig.unsaid(ofHttp == null ? List.of() : ofHttp, upstream.pointer())
                        : tls(ssl, scheme, ofHttp);
                if (ssl == null || !problems.isWithin(ssl)) {
                    all.put(upstream.text("id", ""), tls);
                }
            }
        }
        return all;
    }

    /** What nodes of HTTP are offered, as the version of it says; null of others: what these speak only sigma.json knows. */
    private static @Nullable List<String> ofHttp(Json upstream) {
        if (ProtocolCheck.protocol(upstream) != Protocol.HTTP) {
            return null;
        }
        return switch (ProtocolCheck.httpVersion(upstream)) {
            case HTTP_1_1 -> List.of("http/1.1");
            case HTTP_2 -> List.of("h2");
            case AGREED -> List.of("h2", "http/1.1");
        };
    }

    private NodeTlsConfig tls(Json ssl, NodeScheme scheme, @Nullable List<String> ofHttp) {
        Json alpn = ssl.get("alpn");
        if (alpn != null && ofHttp != null) {
            String expected = "no such key with " + scheme.prefix()
                    + " nodes; \"protocol\" of the upstream says which version of HTTP is spoken";
            problems.key(alpn, "\"alpn\"", expected, null);
        }
        problems.text(ssl.get("server-name"), TextSyntax.HOST_NAME);
        TlsReader.ciphersFit(ssl, problems);
        Json name = ssl.get("server-name");
        return new NodeTlsConfig(
                trust(ssl),
                name == null ? null : name.text().toLowerCase(Locale.ROOT),
                shown(ssl),
                TlsReader.minVersion(ssl),
                TlsReader.ciphers(ssl),
                ofHttp == null ? TlsReader.alpn(ssl) : ofHttp,
                ssl.pointer());
    }

    /** How something is spoken to that is no node, and agrees on no protocol by TLS. */
    NodeTlsConfig ofOthers(Json ssl) {
        problems.text(ssl.get("server-name"), TextSyntax.HOST_NAME);
        Json name = ssl.get("server-name");
        return new NodeTlsConfig(
                trust(ssl),
                name == null ? null : name.text().toLowerCase(Locale.ROOT),
                shown(ssl),
                TlsReader.minVersion(ssl),
                TlsConfig.CIPHERS_DEFAULT,
                List.of(),
                ssl.pointer());
    }

    private Trust trust(Json ssl) {
        boolean insecure = ssl.flag("insecure", false);
        List<String> pins = ssl.itemsOf("pins").stream()
                .map(pin -> pin.text().substring(pin.text().indexOf('/') + 1))
                .toList();
        Json authorities = ssl.get("ca");
        Json said = ssl.get("insecure");
        if (insecure && said != null && authorities != null) {
            problems.key(authorities, "\"ca\"", "none with \"insecure\": true, which verifies nothing", null);
        }
        if (insecure && said != null && pins.isEmpty()) {
            warnings.value(said, "false: whoever is on the way to the nodes can read and change everything");
        }
        return new Trust(
                files.path(authorities),
                authorities == null ? List.of() : files.authorities(authorities),
                pins,
                insecure);
    }

    private @Nullable Shown shown(Json ssl) {
        if (ssl.get("certPath") == null) {
            for (String key : List.of("type", "keyPath", "password-file")) {
                Json beside = ssl.get(key);
                if (beside != null) {
                    problems.key(beside, Json.quoted(key), "\"certPath\" beside it", null);
                }
            }
            return null;
        }
        CertificateReader.Read read = files.certificate(ssl);
        return read == null ? null : new Shown(read.files(), read.found());
    }
}
