package net.oooops.sigma.acme;

import java.io.IOException;
import java.net.URL;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import net.oooops.sigma.ask.Unanswered;
import net.oooops.sigma.ask.WholeBody;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.certificate.SelfSigned;
import net.oooops.sigma.config.AcmeConfig;
import net.oooops.sigma.tls.PendingChallenges;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.AccountBuilder;
import org.shredzone.acme4j.Authorization;
import org.shredzone.acme4j.Login;
import org.shredzone.acme4j.Order;
import org.shredzone.acme4j.OrderBuilder;
import org.shredzone.acme4j.Problem;
import org.shredzone.acme4j.RenewalInfo;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.Status;
import org.shredzone.acme4j.challenge.Challenge;
import org.shredzone.acme4j.challenge.Http01Challenge;
import org.shredzone.acme4j.challenge.TlsAlpn01Challenge;
import org.shredzone.acme4j.connector.Resource;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.exception.AcmeNetworkException;
import org.shredzone.acme4j.exception.AcmeRateLimitedException;
import org.shredzone.acme4j.exception.AcmeServerException;

/** Asks the issuer of a directory, by acme4j. For the thread that asks. */
final class DirectoryIssuer implements Issuer {
    /** So long an answer's head is waited for, and then its body; certificates with those that lead to their root have some kilobytes. */
    static final WholeBody.Bounds ANSWERS = new WholeBody.Bounds(1 << 20, Duration.ofSeconds(30));

    /** So long the issuer may take to look whether a host is ours, and to issue. */
    private static final Duration STEP_LIMIT = Duration.ofMinutes(2);

    /** Advice is asked for again after as long, where the issuer doesn't say. */
    private static final Duration ADVICE_AGAIN = Duration.ofHours(6);

    private final AcmeConfig config;
    private final CertificateFolder folder;
    private final PendingChallenges pending;
    private final WholeBody.Bounds bounds;
    private @Nullable Login login;
    /** The challenge that has worked last. */
    private AcmeConfig.Challenge first;

    DirectoryIssuer(AcmeConfig config, CertificateFolder folder, PendingChallenges pending) {
        this(config, folder, pending, ANSWERS);
    }

    /** @param bounds of each of its answers */
    DirectoryIssuer(AcmeConfig config, CertificateFolder folder, PendingChallenges pending, WholeBody.Bounds bounds) {
        this.bounds = bounds;
        this.config = config;
        this.folder = folder;
        this.pending = pending;
        this.first = config.challenges().getFirst();
    }

    /** The issuer looked, and didn't find that a host is ours. */
    private static final class Unproven extends Exception {
        private static final long serialVersionUID = 1;

        private Unproven(String why) {
            super(why);
        }
    }

    @Override
    public KeyedCertificate issue(String host, @Nullable KeyedCertificate before)
            throws NotIssuedException, InterruptedException {
        StringBuilder why = new StringBuilder();
        for (AcmeConfig.Challenge challenge : inOrder()) {
            try {
                KeyedCertificate issued = order(host, before, challenge);
                first = challenge;
                return issued;
            } catch (Unproven e) {
                why.append(why.isEmpty() ? "" : "; ")
                        .append(challenge.text())
                        .append(": ")
                        .append(e.getMessage());
            } catch (AcmeException | IOException | GeneralSecurityException | RuntimeException e) {
                // The account may be unknown now.
                login = null;
                requireUninterrupted(e);
                throw e instanceof AcmeException said
                        ? notIssued(said)
                        : new NotIssuedException(config.directory() + ": " + Unanswered.why(e), e);
            }
        }
        throw new NotIssuedException(why.toString(), null);
    }

    /** What waits in acme4j fails with something else where it is interrupted. */
    private static void requireUninterrupted(Throwable thrown) throws InterruptedException {
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            if (each instanceof InterruptedException || Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private List<AcmeConfig.Challenge> inOrder() {
        List<AcmeConfig.Challenge> all = config.challenges();
        return all.getFirst() == first ? all : all.reversed();
    }

    private NotIssuedException notIssued(AcmeException e) {
        Instant notBefore = e instanceof AcmeRateLimitedException limited
                ? limited.getRetryAfter().orElse(null)
                : null;
        if (e instanceof AcmeServerException server) {
            String said = server.getProblem().getDetail().orElse(String.valueOf(e.getMessage()));
            return new NotIssuedException(
                    config.directory() + " says: " + said + " (" + server.getType() + ")", e, notBefore);
        }
        boolean reached = !(e instanceof AcmeNetworkException) || e.getCause() instanceof Unanswered;
        String what = reached ? ": " : " can't be reached: ";
        return new NotIssuedException(config.directory() + what + Unanswered.why(e), e);
    }

    /** Who is written, in the place of those whom the JDK trusts; null where nobody is. */
    private @Nullable SSLContext trusting() throws GeneralSecurityException, IOException {
        if (config.authorities().isEmpty()) {
            return null;
        }
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        for (X509Certificate each : config.authorities()) {
            store.setCertificateEntry("authority-" + store.size(), each);
        }
        TrustManagerFactory trusted = TrustManagerFactory.getInstance("PKIX");
        trusted.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trusted.getTrustManagers(), null);
        return context;
    }

    private Login login() throws NotIssuedException, AcmeException, GeneralSecurityException, IOException {
        Login known = login;
        if (known != null) {
            return known;
        }
        Session session = new Session(config.directory(), new BoundedProvider(bounds, trusting()));
        session.networkSettings().setTimeout(bounds.within());
        // Little could become much.
        session.networkSettings().setCompressionEnabled(false);
        AccountBuilder account = new AccountBuilder().agreeToTermsOfService().useKeyPair(folder.accountKey());
        String email = config.email();
        if (email != null) {
            account.addEmail(email);
        }
        Login fresh = account.createLogin(session);
        login = fresh;
        return fresh;
    }

    private KeyedCertificate order(String host, @Nullable KeyedCertificate before, AcmeConfig.Challenge challenge)
            throws Unproven, NotIssuedException, AcmeException, GeneralSecurityException, IOException,
                    InterruptedException {
        Login asking = login();
        Order order = begin(asking, host, before);
        for (Authorization authorization : order.getAuthorizations()) {
            if (authorization.getStatus() != Status.VALID) {
                prove(authorization, host, challenge);
            }
        }
        order.waitUntilReady(STEP_LIMIT);
        KeyPair keys = SelfSigned.ellipticKeys();
        order.execute(keys);
        if (order.waitForCompletion(STEP_LIMIT) != Status.VALID) {
            throw new NotIssuedException("the order is " + order.getStatus() + said(order.getError()), null);
        }
        return new KeyedCertificate(order.getCertificate().getCertificateChain(), keys.getPrivate());
    }

    private static Order begin(Login asking, String host, @Nullable KeyedCertificate before) throws AcmeException {
        boolean says =
                asking.getSession().resourceUrlOptional(Resource.RENEWAL_INFO).isPresent();
        OrderBuilder builder = asking.newOrder().domain(host);
        if (before == null || !says) {
            return builder.create();
        }
        try {
            return asking.newOrder().domain(host).replaces(before.certificate()).create();
        } catch (AcmeRateLimitedException e) {
            throw e;
        } catch (AcmeServerException | IllegalArgumentException e) {
            // Another issuer's, or replaced already.
            return builder.create();
        }
    }

    private void prove(Authorization authorization, String host, AcmeConfig.Challenge challenge)
            throws Unproven, AcmeException, InterruptedException {
        Challenge asked = authorization
                .findChallenge(challenge.text())
                .orElseThrow(() -> new Unproven("the issuer doesn't offer it"));
        try (PendingChallenges.Pending _ = show(asked, host)) {
            asked.trigger();
            if (authorization.waitForCompletion(STEP_LIMIT) != Status.VALID) {
                asked.fetch();
                throw new Unproven(
                        "the issuer looked, and found it " + authorization.getStatus() + said(asked.getError()));
            }
        }
    }

    private PendingChallenges.Pending show(Challenge asked, String host) throws Unproven {
        return switch (asked) {
            case Http01Challenge http -> pending.page(http.getToken(), host, http.getAuthorization());
            case TlsAlpn01Challenge alpn ->
                pending.certificate(host, SelfSigned.forValidation(Instant.now(), host, alpn.getAcmeValidation()));
            default -> throw new Unproven("a challenge of type " + asked.getType());
        };
    }

    private static String said(Optional<Problem> problem) {
        return problem.map(of -> ": " + of.getDetail().orElse(String.valueOf(of.getType())))
                .orElse("");
    }

    @Override
    public @Nullable Advice advice(KeyedCertificate certificate) throws InterruptedException {
        try {
            Login asking = login();
            Optional<URL> offered = asking.getSession().resourceUrlOptional(Resource.RENEWAL_INFO);
            if (offered.isEmpty()) {
                return null;
            }
            RenewalInfo said = asking.bindRenewalInfo(certificate.certificate());
            Instant again = said.fetch().orElseGet(() -> Instant.now().plus(ADVICE_AGAIN));
            return new Advice(said.getSuggestedWindowStart(), said.getSuggestedWindowEnd(), again);
        } catch (NotIssuedException | AcmeException | GeneralSecurityException | IOException | RuntimeException e) {
            // It is renewed in time without.
            login = null;
            requireUninterrupted(e);
            return null;
        }
    }
}
