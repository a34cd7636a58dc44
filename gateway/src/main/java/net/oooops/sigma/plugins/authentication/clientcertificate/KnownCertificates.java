package net.oooops.sigma.plugins.authentication.clientcertificate;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.security.auth.x500.X500Principal;
import net.oooops.sigma.api.ClientCertificate;
import net.oooops.sigma.api.ClientCertificate.Name;
import net.oooops.sigma.api.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whose certificates are: who is written with the fingerprint, else with the subject, else with the first of its names that anybody is written with;
 * else, where any does, whom the certificate itself names. Safe for use from any thread.
 */
final class KnownCertificates {
    /** How many are kept that certificates name themselves; one beyond is made for each request. */
    private static final int KEPT_MAX = 10_000;

    private final Map<String, Consumer> byFingerprint;
    private final Map<X500Principal, Consumer> bySubject;
    private final Map<Name, Consumer> byName;
    private final boolean any;
    private final ConcurrentHashMap<String, Consumer> named = new ConcurrentHashMap<>();

    /** @param any whether those do that nobody is written with */
    KnownCertificates(
            Map<String, Consumer> byFingerprint,
            Map<X500Principal, Consumer> bySubject,
            Map<Name, Consumer> byName,
            boolean any) {
        this.byFingerprint = Map.copyOf(byFingerprint);
        this.bySubject = Map.copyOf(bySubject);
        this.byName = Map.copyOf(byName);
        this.any = any;
    }

    /** Whose it is; null where nobody knows. */
    @Nullable Consumer of(ClientCertificate certificate) {
        Consumer found = byFingerprint.isEmpty() ? null : byFingerprint.get(certificate.fingerprint());
        if (found == null) {
            found = bySubject.get(certificate.subject());
        }
        if (found == null && !byName.isEmpty()) {
            found = byName(certificate.names());
        }
        return found == null && any ? named(certificate) : found;
    }

    private @Nullable Consumer byName(List<Name> names) {
        for (int i = 0; i < names.size(); i++) {
            Consumer found = byName.get(names.get(i));
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private @Nullable Consumer named(ClientCertificate certificate) {
        Consumer kept = named.get(certificate.fingerprint());
        if (kept != null) {
            return kept;
        }
        String id = CommonName.of(certificate.subject());
        if (id == null && !certificate.names().isEmpty()) {
            id = certificate.names().getFirst().text();
        }
        if (id == null || !Consumer.isId(id)) {
            return null;
        }
        Consumer consumer = Consumer.of(id);
        if (named.mappingCount() < KEPT_MAX) {
            named.put(certificate.fingerprint(), consumer);
        }
        return consumer;
    }
}
