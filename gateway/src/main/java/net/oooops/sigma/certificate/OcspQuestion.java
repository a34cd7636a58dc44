package net.oooops.sigma.certificate;

import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import net.oooops.sigma.certificate.CertificateFault.Part;
import org.bouncycastle.asn1.x509.AccessDescription;
import org.bouncycastle.asn1.x509.AuthorityInformationAccess;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.ocsp.BasicOCSPResp;
import org.bouncycastle.cert.ocsp.CertificateID;
import org.bouncycastle.cert.ocsp.CertificateStatus;
import org.bouncycastle.cert.ocsp.OCSPException;
import org.bouncycastle.cert.ocsp.OCSPReqBuilder;
import org.bouncycastle.cert.ocsp.OCSPResp;
import org.bouncycastle.cert.ocsp.RevokedStatus;
import org.bouncycastle.cert.ocsp.SingleResp;
import org.bouncycastle.operator.DigestCalculatorProvider;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;
import org.jspecify.annotations.Nullable;

/**
 * What a responder is asked about a certificate, and what makes its answer one that may be shown (RFC 6960): it is signed by whoever has issued the
 * certificate, or by one that it has named for that; it is about this certificate; and it holds now. Immutable, any thread.
 *
 * <p>Loads Bouncy Castle.
 */
public final class OcspQuestion {
    /** Who may sign answers for an issuer: id-kp-OCSPSigning. */
    private static final String OCSP_SIGNING = "1.3.6.1.5.5.7.3.9";

    private static final int DIGITAL_SIGNATURE = 0;

    /** Clocks of responders may be ahead. */
    private static final Duration AHEAD = Duration.ofMinutes(5);

    /**
     * So long an answer holds that doesn't say how long. RFC 6960 (section 3.2) wants it to be sufficiently recent; it may have been made some
     * hours ago for all who ask. NSS takes it for a day.
     */
    private static final Duration HOLDS_OTHERWISE = Duration.ofDays(1);

    /** No more certificates of an answer are tried, and no more of what it says is looked through. */
    private static final int PARTS_MAX = 16;

    private final X509Certificate certificate;
    private final X509Certificate issuer;
    private final URI responder;

    private OcspQuestion(X509Certificate certificate, X509Certificate issuer, URI responder) {
        this.certificate = certificate;
        this.issuer = issuer;
        this.responder = responder;
    }

    /**
     * About this certificate.
     *
     * @throws CertificateFault where nobody can be asked
     */
    public static OcspQuestion about(KeyedCertificate shown) throws CertificateFault {
        X509Certificate certificate = shown.certificate();
        URI responder = responderOf(certificate);
        if (responder == null) {
            throw new CertificateFault(
                    Part.CERTIFICATE,
                    "which names no OCSP responder",
                    "one that does; this one is shown without a response");
        }
        for (X509Certificate each : shown.chain()) {
            if (!each.equals(certificate) && isIssuedBy(certificate, each)) {
                return new OcspQuestion(certificate, each, responder);
            }
        }
        throw new CertificateFault(
                Part.CERTIFICATE,
                "which doesn't have the certificate of its issuer, whom OCSP responses are verified by",
                "the issuer's certificate behind it; this one is shown without a response");
    }

    private static boolean isIssuedBy(X509Certificate certificate, X509Certificate issuer) {
        try {
            certificate.verify(issuer.getPublicKey());
            return certificate.getIssuerX500Principal().equals(issuer.getSubjectX500Principal());
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static @Nullable URI responderOf(X509Certificate certificate) {
        try {
            AuthorityInformationAccess access = AuthorityInformationAccess.fromExtensions(
                    new JcaX509CertificateHolder(certificate).getExtensions());
            if (access == null) {
                return null;
            }
            for (AccessDescription each : access.getAccessDescriptions()) {
                boolean ofOcsp = each.getAccessMethod().equals(AccessDescription.id_ad_ocsp);
                URI found = ofOcsp ? uri(each.getAccessLocation()) : null;
                if (found != null) {
                    return found;
                }
            }
            return null;
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable URI uri(GeneralName location) {
        if (location.getTagNo() != GeneralName.uniformResourceIdentifier) {
            return null;
        }
        try {
            URI found = URI.create(location.getName().toString());
            boolean web = "http".equalsIgnoreCase(found.getScheme()) || "https".equalsIgnoreCase(found.getScheme());
            return web && found.getHost() != null ? found : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Which certificate it is about. */
    public X509Certificate certificate() {
        return certificate;
    }

    /** Whom to ask, by POST (RFC 6960 appendix A). */
    public URI responder() {
        return responder;
    }

    /** What to ask. */
    public byte[] request() {
        try {
            CertificateID id = new CertificateID(
                    digests().get(CertificateID.HASH_SHA1),
                    new JcaX509CertificateHolder(issuer),
                    certificate.getSerialNumber());
            return new OCSPReqBuilder().addRequest(id).build().getEncoded();
        } catch (OCSPException | OperatorCreationException | GeneralSecurityException | IOException e) {
            throw new IllegalStateException("a question that can't be written", e);
        }
    }

    private static DigestCalculatorProvider digests() throws OperatorCreationException {
        return new JcaDigestCalculatorProviderBuilder().build();
    }

    /**
     * Reads an answer.
     *
     * @throws OcspFault where it can't be believed, or says nothing
     */
    public OcspAnswer read(byte[] answer, Instant now) throws OcspFault {
        try {
            OCSPResp response = new OCSPResp(answer);
            if (response.getStatus() != OCSPResp.SUCCESSFUL) {
                throw new OcspFault("it answers with " + named(response.getStatus()));
            }
            if (!(response.getResponseObject() instanceof BasicOCSPResp basic)) {
                throw new OcspFault("its answer is of another kind than a basic one");
            }
            SingleResp single = ofThis(basic);
            requireSigned(basic, now);
            return held(answer, single, now);
        } catch (IOException | OCSPException | GeneralSecurityException | OperatorCreationException e) {
            throw new OcspFault("its answer can't be read as one of OCSP", e);
        } catch (RuntimeException e) {
            // Of Bouncy Castle's, for what is no ASN.1.
            throw new OcspFault("its answer can't be read as one of OCSP", e);
        }
    }

    private static String named(int status) {
        return switch (status) {
            case OCSPResp.MALFORMED_REQUEST -> "malformedRequest";
            case OCSPResp.INTERNAL_ERROR -> "internalError";
            case OCSPResp.TRY_LATER -> "tryLater";
            case OCSPResp.SIG_REQUIRED -> "sigRequired";
            case OCSPResp.UNAUTHORIZED -> "unauthorized";
            default -> "the status " + status;
        };
    }

    private SingleResp ofThis(BasicOCSPResp basic)
            throws OcspFault, OCSPException, OperatorCreationException, GeneralSecurityException {
        X509CertificateHolder issued = new JcaX509CertificateHolder(issuer);
        DigestCalculatorProvider digests = digests();
        SingleResp[] all = basic.getResponses();
        for (int i = 0; i < Math.min(all.length, PARTS_MAX); i++) {
            CertificateID id = all[i].getCertID();
            if (id.getSerialNumber().equals(certificate.getSerialNumber()) && id.matchesIssuer(issued, digests)) {
                return all[i];
            }
        }
        throw new OcspFault("its answer is about another certificate");
    }

    /** By the issuer, or by one whom it has given a certificate for that (RFC 6960 section 4.2.2.2). */
    private void requireSigned(BasicOCSPResp basic, Instant now)
            throws OcspFault, OCSPException, OperatorCreationException, GeneralSecurityException {
        if (isSignedBy(basic, issuer)) {
            return;
        }
        X509CertificateHolder[] named = basic.getCerts();
        for (int i = 0; i < Math.min(named.length, PARTS_MAX); i++) {
            X509Certificate each = new JcaX509CertificateConverter().getCertificate(named[i]);
            if (isDelegate(each, now) && isSignedBy(basic, each)) {
                return;
            }
        }
        throw new OcspFault("its answer is signed by nobody who may sign for the certificate's issuer");
    }

    private static boolean isSignedBy(BasicOCSPResp basic, X509Certificate signer) {
        try {
            return basic.isSignatureValid(new JcaContentVerifierProviderBuilder().build(signer.getPublicKey()));
        } catch (OCSPException | OperatorCreationException | RuntimeException e) {
            // By a key of another kind.
            return false;
        }
    }

    private boolean isDelegate(X509Certificate found, Instant now) throws CertificateParsingException {
        List<String> purposes = found.getExtendedKeyUsage();
        boolean[] uses = found.getKeyUsage();
        return purposes != null
                && purposes.contains(OCSP_SIGNING)
                && (uses == null || uses[DIGITAL_SIGNATURE])
                && !now.isBefore(found.getNotBefore().toInstant())
                && !now.isAfter(found.getNotAfter().toInstant())
                && isIssuedBy(found, issuer);
    }

    private static OcspAnswer held(byte[] answer, SingleResp single, Instant now) throws OcspFault {
        Instant from = single.getThisUpdate().toInstant();
        Date next = single.getNextUpdate();
        boolean open = next == null;
        Instant until = open ? from.plus(HOLDS_OTHERWISE) : next.toInstant();
        if (from.isAfter(now.plus(AHEAD))) {
            throw new OcspFault("its answer holds from " + from + " only");
        }
        if (!until.isAfter(now)) {
            throw new OcspFault(
                    open
                            ? "its answer is from " + from + ", and doesn't say how long it holds: a day is taken"
                            : "its answer held until " + until);
        }
        CertificateStatus status = single.getCertStatus();
        if (status == CertificateStatus.GOOD) {
            return new OcspAnswer(answer, from, until, open, null);
        }
        if (status instanceof RevokedStatus revoked) {
            return new OcspAnswer(
                    answer, from, until, open, revoked.getRevocationTime().toInstant());
        }
        throw new OcspFault("it doesn't know the certificate");
    }
}
