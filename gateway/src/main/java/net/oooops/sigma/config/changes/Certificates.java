package net.oooops.sigma.config.changes;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.config.AcmeConfig;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.NodeTlsConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.UpstreamConfig;
import org.jspecify.annotations.Nullable;

/** Certificates and what there is to compare of them. What renews itself, by ACME or as nobody has issued it, is the same as before. */
final class Certificates {
    private Certificates() {}

    /** All that a configuration shows, to clients and to nodes, by who shows it and for which host. */
    static Comparison of(SigmaConfig config) {
        Comparison all = Comparison.of("certificates");
        for (Listener listener : config.allListeners()) {
            TlsConfig tls = listener.tls();
            for (TlsConfig.Shown shown : tls == null ? List.<TlsConfig.Shown>of() : tls.certificates()) {
                all.add(listener.id() + " / " + host(shown), parts(shown, isAsked(tls, shown.files())));
            }
        }
        for (UpstreamConfig upstream : config.upstreams()) {
            NodeTlsConfig tls = upstream.tls();
            NodeTlsConfig.Shown shown = tls == null ? null : tls.shown();
            if (shown != null) {
                Map<String, @Nullable Object> parts = new LinkedHashMap<>();
                parts.put("files", shown.files());
                parts.put("content", shown.found());
                all.add("upstream " + upstream.id(), parts);
            }
        }
        return all;
    }

    /** Those of a server, the order included: the first one is shown to clients that ask for none. */
    static List<Map<String, @Nullable Object>> shown(TlsConfig tls) {
        return tls.certificates().stream()
                .map(shown -> parts(shown, isAsked(tls, shown.files())))
                .toList();
    }

    /** What is asked for by ACME, without what has come of it. */
    static AcmeConfig asked(AcmeConfig acme) {
        return new AcmeConfig(
                acme.hosts(),
                acme.email(),
                acme.binding(),
                acme.directory(),
                acme.folder(),
                acme.authorities(),
                acme.challenges(),
                Map.of());
    }

    private static Map<String, @Nullable Object> parts(TlsConfig.Shown shown, boolean asked) {
        Map<String, @Nullable Object> parts = new HashMap<>();
        parts.put("files", shown.files());
        parts.put("server-names", shown.written());
        if (!asked && !shown.files().isSelfSigned()) {
            parts.put("content", shown.found());
        }
        return parts;
    }

    private static boolean isAsked(@Nullable TlsConfig tls, CertificateFiles files) {
        AcmeConfig acme = tls == null ? null : tls.acme();
        return acme != null
                && acme.hosts().stream().anyMatch(host -> acme.files(host).equals(files));
    }

    private static String host(TlsConfig.Shown shown) {
        List<String> hosts = shown.hosts();
        Path file = shown.files().certificates().getFileName();
        return hosts.isEmpty() ? String.valueOf(file) : hosts.getFirst();
    }
}
