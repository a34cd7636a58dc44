package net.oooops.sigma.tls;

import java.nio.file.Path;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.certificate.CertificateFault;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.ClientFiles;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.certificate.SelfSigned;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.Clients;
import net.oooops.sigma.config.TlsConfig.Shown;
import org.jspecify.annotations.Nullable;

/**
 * How one Listener ends TLS: its certificates, by the names that clients ask for. Shared by all Workers; any thread, but one at a time renews
 * what there is.
 *
 * <p>A certificate that is replaced is used for handshakes that begin after that; connections that are open aren't touched.
 */
public final class ServerTls {
    private final TlsConfig config;
    private final Retired<ShownCertificate> retired = new Retired<>(ShownCertificate::release);
    private volatile Clients clients;
    private final AtomicReference<Shelf> shelf;

    /**
     * The certificates of one moment.
     *
     * @param closed whether none of them may be used any more
     */
    private record Shelf(List<ShownCertificate> all, Map<String, ShownCertificate> byName, boolean closed) {
        static Shelf of(List<ShownCertificate> all) {
            Map<String, ShownCertificate> byName = new HashMap<>();
            // What is written out goes before what certificates say themselves.
            for (boolean written : new boolean[] {true, false}) {
                for (ShownCertificate each : all) {
                    if (each.isWrittenOut() == written) {
                        each.hosts().names().forEach(name -> byName.putIfAbsent(name, each));
                    }
                }
            }
            return new Shelf(List.copyOf(all), Map.copyOf(byName), false);
        }

        Shelf end() {
            return new Shelf(all, byName, true);
        }
    }

    /**
     * Makes all certificates ready.
     *
     * @throws TlsException where one can't be used
     */
    public ServerTls(TlsConfig config) {
        this.config = config;
        this.clients = config.clients();
        this.shelf = new AtomicReference<>(Shelf.of(made(config.certificates())));
    }

    private List<ShownCertificate> made(List<Shown> shown) {
        List<ShownCertificate> made = new ArrayList<>();
        try {
            for (Shown each : shown) {
                made.add(ShownCertificate.of(config, clients, each));
            }
            return made;
        } catch (TlsException e) {
            made.forEach(ShownCertificate::release);
            throw e;
        }
    }

    /** What it was made from. */
    public TlsConfig config() {
        return config;
    }

    /**
     * The certificate for the host that a client asks for.
     *
     * @param host in lower case; null where it asked for none
     * @return null where it gets none
     */
    @Nullable ShownCertificate of(@Nullable String host) {
        Shelf now = shelf.get();
        ShownCertificate found = host == null ? null : now.byName().get(host);
        if (found == null && host != null) {
            found = now.byName().get(HostSet.wildcardOf(host));
        }
        return found == null && !config.strictSni() ? now.all().getFirst() : found;
    }

    /** What is renewed when its files change: the certificates, in the order of {@link TlsConfig#certificates}, and what clients' are measured by. */
    public List<Renewable> renewables() {
        List<Renewable> all = new ArrayList<>();
        for (int i = 0; i < config.certificates().size(); i++) {
            all.add(new OfCertificate(i));
        }
        ClientFiles files = config.clients().files();
        if (files != null) {
            all.add(new OfClients(files));
        }
        return all;
    }

    /** The certificates that are shown, in the order of {@link TlsConfig#certificates}. */
    public List<KeyedCertificate> certificates() {
        return shelf.get().all().stream().map(ShownCertificate::certificate).toList();
    }

    /**
     * Shows another certificate in the place of one.
     *
     * @throws TlsException where it can't be used; the one before stays
     */
    void replace(int index, KeyedCertificate found) {
        Shown written = config.certificates().get(index);
        Shown next = new Shown(written.files(), found, written.written());
        List<ShownCertificate> all = new ArrayList<>(shelf.get().all());
        ShownCertificate before = all.set(index, made(List.of(next)).getFirst());
        show(all, List.of(before));
    }

    /** Measures clients' certificates by others from now on. */
    private void replace(ClientFiles.Found found) {
        List<Shown> shown = new ArrayList<>();
        for (int i = 0; i < config.certificates().size(); i++) {
            Shown written = config.certificates().get(i);
            shown.add(new Shown(written.files(), shelf.get().all().get(i).certificate(), written.written()));
        }
        Clients before = clients;
        clients = new Clients(before.auth(), before.files(), found);
        try {
            show(made(shown), shelf.get().all());
        } catch (TlsException e) {
            clients = before;
            throw e;
        }
    }

    private void show(List<ShownCertificate> now, List<ShownCertificate> replaced) {
        Shelf next = Shelf.of(now);
        Shelf before = shelf.getAndUpdate(those -> those.closed() ? those : next);
        if (before.closed()) {
            now.stream().filter(each -> !before.all().contains(each)).forEach(ShownCertificate::release);
        } else {
            replaced.forEach(retired::add);
        }
    }

    /** No handshake begins any more. Connections that are open stay. */
    public void close() {
        Shelf before = shelf.getAndUpdate(Shelf::end);
        if (!before.closed()) {
            before.all().forEach(ShownCertificate::release);
            retired.close();
        }
    }

    /** A certificate. */
    private final class OfCertificate implements Renewable {
        private final int index;

        private OfCertificate(int index) {
            this.index = index;
        }

        private Shown written() {
            return config.certificates().get(index);
        }

        @Override
        public List<Path> files() {
            return written().files().all();
        }

        @Override
        public Path file() {
            return written().files().certificates();
        }

        @Override
        public String what() {
            return "certificate";
        }

        @Override
        public Instant notAfter() {
            return certificates().get(index).notAfter();
        }

        @Override
        public boolean isDue(Instant now) {
            return written().files().isSelfSigned()
                    && SelfSigned.isDue(certificates().get(index), now);
        }

        @Override
        public boolean renew() {
            CertificateFiles files = written().files();
            if (files.isSelfSigned() && !isDue(Instant.now())) {
                return false;
            }
            KeyedCertificate found = TlsException.read(files);
            boolean other = !found.chain().equals(certificates().get(index).chain());
            if (other) {
                replace(index, found);
            }
            return other;
        }
    }

    /** What clients' certificates are measured by. */
    private final class OfClients implements Renewable {
        private final ClientFiles files;

        private OfClients(ClientFiles files) {
            this.files = files;
        }

        @Override
        public List<Path> files() {
            return files.all();
        }

        @Override
        public Path file() {
            return Objects.requireNonNullElse(files.revocations(), files.authorities());
        }

        @Override
        public String what() {
            return files.revocations() == null
                    ? "list of authorities"
                    : "list of authorities or of revoked certificates";
        }

        @Override
        public Instant notAfter() {
            return clients.found().revocations().stream()
                    .map(X509CRL::getNextUpdate)
                    .filter(Objects::nonNull)
                    .map(next -> next.toInstant())
                    .min(Instant::compareTo)
                    .orElse(Instant.MAX);
        }

        @Override
        public boolean renew() {
            Path at = files.authorities();
            ClientFiles.Found found;
            try {
                List<X509Certificate> authorities = ClientFiles.authorities(at);
                if (files.revocations() == null) {
                    found = new ClientFiles.Found(authorities, List.of());
                } else {
                    at = files.revocations();
                    found = new ClientFiles.Found(authorities, ClientFiles.revocations(at));
                }
            } catch (CertificateFault e) {
                throw new TlsException(at, e);
            }
            boolean other = !found.equals(clients.found());
            if (other) {
                replace(found);
            }
            return other;
        }
    }
}
