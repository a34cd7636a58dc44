package net.oooops.sigma.tls;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import net.oooops.sigma.certificate.CertificateFault;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.ClientFiles;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.certificate.OcspAnswer;
import net.oooops.sigma.certificate.SelfSigned;
import net.oooops.sigma.config.AcmeConfig;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.Clients;
import net.oooops.sigma.config.TlsConfig.Shown;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How one Listener ends TLS: its certificates, by the names that clients ask for. Shared by all Workers; any thread, but one at a time renews
 * what there is.
 *
 * <p>A certificate that is replaced is used for handshakes that begin after that; connections that are open aren't touched.
 */
public final class ServerTls {
    /** A certificate that was to be renewed, and wasn't, is warned of after that part of its time. */
    private static final double SAID_AFTER = 0.75;

    private static final Logger LOG = LoggerFactory.getLogger(ServerTls.class);

    private final TlsConfig config;
    private final @Nullable PendingChallenges challenges;
    private final List<Place> places = new ArrayList<>();
    private final Set<String> asked;
    private final Retired<ShownCertificate> retired = new Retired<>(ShownCertificate::release);
    private volatile Clients clients;
    private final AtomicReference<Shelf> shelf;

    /**
     * Where a certificate is.
     *
     * @param written the hosts that are written for it
     * @param asked whether it is asked for by ACME, and may not be there yet
     */
    private record Place(CertificateFiles files, List<String> written, boolean asked) {
        Shown shown(KeyedCertificate found) {
            return new Shown(files, found, written);
        }
    }

    /**
     * The certificates of one moment.
     *
     * @param all those of all places, null where one isn't there yet
     * @param closed whether none of them may be used any more
     */
    private record Shelf(List<@Nullable ShownCertificate> all, Map<String, ShownCertificate> byName, boolean closed) {
        static Shelf of(List<@Nullable ShownCertificate> all) {
            Map<String, ShownCertificate> byName = new HashMap<>();
            // What is written out goes before what certificates say themselves.
            for (boolean written : new boolean[] {true, false}) {
                for (ShownCertificate each : all) {
                    if (each != null && each.isWrittenOut() == written) {
                        each.hosts().names().forEach(name -> byName.putIfAbsent(name, each));
                    }
                }
            }
            return new Shelf(Collections.unmodifiableList(new ArrayList<>(all)), Map.copyOf(byName), false);
        }

        Shelf end() {
            return new Shelf(all, byName, true);
        }

        List<ShownCertificate> there() {
            List<ShownCertificate> there = new ArrayList<>();
            for (ShownCertificate each : all) {
                if (each != null) {
                    there.add(each);
                }
            }
            return there;
        }
    }

    /**
     * Makes all certificates ready that are there.
     *
     * @throws TlsException where one can't be used
     */
    public ServerTls(TlsConfig config) {
        this(config, null);
    }

    /**
     * The same.
     *
     * @param challenges what issuers of certificates are shown; null where none is ever asked
     */
    public ServerTls(TlsConfig config, @Nullable PendingChallenges challenges) {
        this.config = config;
        this.challenges = challenges;
        this.clients = config.clients();
        if (config.ocspStapling() && !TlsEngines.canStaple()) {
            LOG.warn(
                    "{}: no OCSP responses are shown with certificates: the JDK encrypts, which can't",
                    config.pointer());
        }
        List<@Nullable KeyedCertificate> found = new ArrayList<>();
        for (Shown each : config.certificates()) {
            places.add(new Place(each.files(), each.written(), false));
            found.add(each.found());
        }
        AcmeConfig acme = config.acme();
        this.asked = acme == null ? Set.of() : Set.copyOf(acme.hosts());
        if (acme != null) {
            for (String host : acme.hosts()) {
                places.add(new Place(acme.files(host), List.of(host), true));
                found.add(acme.found().get(host));
            }
        }
        this.shelf = new AtomicReference<>(Shelf.of(made(found)));
    }

    /** @param found of each place */
    private List<@Nullable ShownCertificate> made(List<@Nullable KeyedCertificate> found) {
        List<@Nullable ShownCertificate> made = new ArrayList<>();
        try {
            for (int i = 0; i < found.size(); i++) {
                KeyedCertificate each = found.get(i);
                made.add(
                        each == null
                                ? null
                                : ShownCertificate.of(
                                        config, clients, places.get(i).shown(each)));
            }
            return made;
        } catch (TlsException e) {
            for (ShownCertificate each : made) {
                if (each != null) {
                    each.release();
                }
            }
            throw e;
        }
    }

    /** Whether a connection whose handshake was by one of them does for the other one; where there is none, connections are plain. */
    public static boolean asksTheSame(@Nullable ServerTls one, @Nullable ServerTls other) {
        return TlsConfig.askTheSame(configOf(one), configOf(other));
    }

    private static @Nullable TlsConfig configOf(@Nullable ServerTls tls) {
        return tls == null ? null : tls.config;
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
        if (found != null || config.strictSni() || (host != null && asked.contains(host))) {
            return found;
        }
        for (ShownCertificate each : now.all()) {
            if (each != null) {
                return each;
            }
        }
        return null;
    }

    /** Why there is none for a host: whether its certificate is asked for, or all are, and isn't there yet. */
    boolean isAwaited(@Nullable String host) {
        return !asked.isEmpty() && ((host != null && asked.contains(host)) || !config.strictSni());
    }

    /** What issuers of certificates are shown; null where none is ever asked. */
    @Nullable PendingChallenges challenges() {
        return challenges;
    }

    /** What is renewed when its files change: the certificates, in the order of {@link TlsConfig#certificates}, and what clients' are measured by. */
    public List<Renewable> renewables() {
        List<Renewable> all = new ArrayList<>();
        for (int i = 0; i < places.size(); i++) {
            all.add(new OfCertificate(i));
        }
        ClientFiles files = config.clients().files();
        if (files != null) {
            all.add(new OfClients(files));
        }
        return all;
    }

    /** The certificates that are shown, in the order of {@link TlsConfig#certificates}, then those that were asked for, as far as they are there. */
    public List<KeyedCertificate> certificates() {
        return shelf.get().there().stream().map(ShownCertificate::certificate).toList();
    }

    /** Whether OCSP responses are shown with them, to those who ask for that. */
    public boolean staples() {
        return ShownCertificate.staples(config);
    }

    /**
     * Shows these responses from now on. One thread at a time.
     *
     * @param of a certificate's; null where it has none
     */
    public void staple(Function<X509Certificate, @Nullable OcspAnswer> of) {
        for (ShownCertificate each : shelf.get().there()) {
            each.staple(of.apply(each.certificate().certificate()));
        }
    }

    /** What is said of a certificate holds, whatever else becomes of how it is shown. */
    private static void handOn(List<ShownCertificate> before, List<ShownCertificate> now) {
        Map<X509Certificate, OcspAnswer> said = new HashMap<>();
        for (ShownCertificate each : before) {
            OcspAnswer staple = each.staple();
            if (staple != null) {
                said.put(each.certificate().certificate(), staple);
            }
        }
        for (ShownCertificate each : now) {
            OcspAnswer staple = said.get(each.certificate().certificate());
            if (staple != null) {
                each.staple(staple);
            }
        }
    }

    private @Nullable KeyedCertificate at(int index) {
        ShownCertificate there = shelf.get().all().get(index);
        return there == null ? null : there.certificate();
    }

    /**
     * Shows another certificate in the place of one.
     *
     * @throws TlsException where it can't be used; the one before stays
     */
    void replace(int index, KeyedCertificate found) {
        List<@Nullable ShownCertificate> all = new ArrayList<>(shelf.get().all());
        ShownCertificate made =
                ShownCertificate.of(config, clients, places.get(index).shown(found));
        ShownCertificate before = all.set(index, made);
        show(all, before == null ? List.of() : List.of(before));
    }

    /** Measures clients' certificates by others from now on. */
    private void replace(ClientFiles.Found found) {
        List<@Nullable KeyedCertificate> shown = new ArrayList<>();
        for (int i = 0; i < places.size(); i++) {
            shown.add(at(i));
        }
        Clients before = clients;
        clients = new Clients(before.auth(), before.files(), found);
        try {
            show(made(shown), shelf.get().there());
        } catch (TlsException e) {
            clients = before;
            throw e;
        }
    }

    private void show(List<@Nullable ShownCertificate> now, List<ShownCertificate> replaced) {
        Shelf next = Shelf.of(now);
        if (staples()) {
            handOn(replaced, next.there());
        }
        Shelf before = shelf.getAndUpdate(those -> those.closed() ? those : next);
        if (before.closed()) {
            next.there().stream().filter(each -> !before.all().contains(each)).forEach(ShownCertificate::release);
        } else {
            replaced.forEach(retired::add);
            if (shelf.get().closed()) {
                // It was closed meanwhile.
                retired.close();
            }
        }
    }

    /** No handshake begins any more: no Listener follows the configuration that it is of. Connections that are open stay. */
    public void close() {
        Shelf before = shelf.getAndUpdate(Shelf::end);
        if (!before.closed()) {
            before.there().forEach(ShownCertificate::release);
            retired.close();
        }
    }

    /** A certificate. */
    private final class OfCertificate implements Renewable {
        private final int index;

        private OfCertificate(int index) {
            this.index = index;
        }

        private Place place() {
            return places.get(index);
        }

        @Override
        public List<Path> files() {
            return place().files().all();
        }

        @Override
        public Path file() {
            return place().files().certificates();
        }

        @Override
        public String what() {
            return "certificate";
        }

        @Override
        public Instant notAfter() {
            KeyedCertificate there = at(index);
            return there == null ? Instant.MAX : there.notAfter();
        }

        @Override
        public Instant expiresSoon() {
            KeyedCertificate there = at(index);
            // Those that are asked for are renewed when a third of their time is left; some are good for days only.
            return there != null && place().asked() ? there.afterPart(SAID_AFTER) : Renewable.super.expiresSoon();
        }

        @Override
        public boolean isDue(Instant now) {
            KeyedCertificate there = at(index);
            return there != null && place().files().isSelfSigned() && SelfSigned.isDue(there, now);
        }

        @Override
        public boolean renew() {
            CertificateFiles files = place().files();
            boolean waits = files.isSelfSigned() ? !isDue(Instant.now()) : place().asked() && !Files.exists(file());
            if (waits) {
                return false;
            }
            KeyedCertificate found = TlsException.read(files);
            KeyedCertificate before = at(index);
            boolean other = before == null || !found.chain().equals(before.chain());
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
