package net.oooops.sigma.acme;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import net.oooops.sigma.ask.Unanswered;
import net.oooops.sigma.ask.WholeBody;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.certificate.SelfSigned;
import net.oooops.sigma.config.AcmeConfig;
import net.oooops.sigma.tls.PendingChallenges;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.Authorization;
import org.shredzone.acme4j.Login;
import org.shredzone.acme4j.Order;
import org.shredzone.acme4j.OrderBuilder;
import org.shredzone.acme4j.Problem;
import org.shredzone.acme4j.RenewalInfo;
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

    /** There is to be one that is bound to another (RFC 8555 section 7.3.4). */
    private static final URI ACCOUNT_UNBOUND = URI.create("urn:ietf:params:acme:error:externalAccountRequired");

    /** Advice is asked for again after as long, where the issuer doesn't say. */
    private static final Duration ADVICE_AGAIN = Duration.ofHours(6);

    private final AcmeConfig config;
    private final PendingChallenges pending;
    private final DirectoryAccount account;
    /** The challenge that has worked last. */
    private AcmeConfig.Challenge first;

    DirectoryIssuer(AcmeConfig config, CertificateFolder folder, PendingChallenges pending) {
        this(config, folder, pending, ANSWERS);
    }

    /** @param bounds of each of its answers */
    DirectoryIssuer(AcmeConfig config, CertificateFolder folder, PendingChallenges pending, WholeBody.Bounds bounds) {
        this.config = config;
        this.pending = pending;
        this.account = new DirectoryAccount(config, folder, bounds);
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
                account.forget();
                requireUninterrupted(e);
                throw e instanceof AcmeException said
                        ? notIssued(said)
                        : new NotIssuedException(config.directory() + ": " + Unanswered.why(e), e);
            } catch (Error e) {
                account.forget();
                throw e;
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
            String mend = ACCOUNT_UNBOUND.equals(server.getType())
                    ? "; \"eab-key-id\" and \"eab-key-file\" say which account with it is meant"
                    : "";
            return new NotIssuedException(
                    config.directory() + " says: " + said + " (" + server.getType() + ")" + mend, e, notBefore);
        }
        boolean reached = !(e instanceof AcmeNetworkException) || e.getCause() instanceof Unanswered;
        String what = reached ? ": " : " can't be reached: ";
        return new NotIssuedException(config.directory() + what + Unanswered.why(e), e);
    }

    private KeyedCertificate order(String host, @Nullable KeyedCertificate before, AcmeConfig.Challenge challenge)
            throws Unproven, NotIssuedException, AcmeException, GeneralSecurityException, IOException,
                    InterruptedException {
        Login asking = account.login();
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
            Login asking = account.login();
            Optional<URL> offered = asking.getSession().resourceUrlOptional(Resource.RENEWAL_INFO);
            if (offered.isEmpty()) {
                return null;
            }
            RenewalInfo said = asking.bindRenewalInfo(certificate.certificate());
            Instant again = said.fetch().orElseGet(() -> Instant.now().plus(ADVICE_AGAIN));
            return new Advice(said.getSuggestedWindowStart(), said.getSuggestedWindowEnd(), again);
        } catch (NotIssuedException | AcmeException | GeneralSecurityException | IOException | RuntimeException e) {
            // It is renewed in time without.
            account.forget();
            requireUninterrupted(e);
            return null;
        }
    }
}
