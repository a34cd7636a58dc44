package net.oooops.sigma.certificate;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import net.oooops.sigma.tls.Certificates;
import org.bouncycastle.asn1.DERIA5String;
import org.bouncycastle.asn1.x509.AccessDescription;
import org.bouncycastle.asn1.x509.AuthorityInformationAccess;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.ocsp.BasicOCSPRespBuilder;
import org.bouncycastle.cert.ocsp.CertificateID;
import org.bouncycastle.cert.ocsp.CertificateStatus;
import org.bouncycastle.cert.ocsp.OCSPException;
import org.bouncycastle.cert.ocsp.OCSPRespBuilder;
import org.bouncycastle.cert.ocsp.RespID;
import org.bouncycastle.cert.ocsp.RevokedStatus;
import org.bouncycastle.cert.ocsp.UnknownStatus;
import org.bouncycastle.operator.DigestCalculatorProvider;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;
import org.jspecify.annotations.Nullable;

/** Signs what a responder says, true or not. */
public final class OcspSigner {
    private final X509Bundle issuer;
    private X509Bundle signer;
    private final List<X509Bundle> named = new ArrayList<>();
    private CertificateStatus status = CertificateStatus.GOOD;
    private Instant from = Instant.now();
    private @Nullable Instant until = from.plus(Duration.ofDays(7));

    /** For certificates of that issuer, signed by it, good for a week from now on. */
    public OcspSigner(X509Bundle issuer) {
        this.issuer = issuer;
        this.signer = issuer;
    }

    /** A certificate for a host that names a responder. */
    public static CertificateBuilder naming(String responder, String host) {
        GeneralName where = new GeneralName(GeneralName.uniformResourceIdentifier, new DERIA5String(responder));
        try {
            return Certificates.builder(host)
                    .addExtensionOctetString(
                            "1.3.6.1.5.5.7.1.1",
                            false,
                            new AuthorityInformationAccess(AccessDescription.id_ad_ocsp, where).getEncoded());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** With its key and its issuer. */
    public static KeyedCertificate keyed(X509Bundle issued) {
        return new KeyedCertificate(
                List.of(issued.getCertificatePathWithRoot()),
                issued.getKeyPair().getPrivate());
    }

    /** Another one signs, whose certificate comes with it where it is named. */
    public OcspSigner by(X509Bundle other, boolean isNamed) {
        signer = other;
        if (isNamed) {
            named.add(other);
        }
        return this;
    }

    /** Revoked since then. */
    public OcspSigner revoked(Instant since) {
        status = new RevokedStatus(Date.from(since), 1);
        return this;
    }

    /** Nobody knows it. */
    public OcspSigner unknown() {
        status = new UnknownStatus();
        return this;
    }

    /** It holds from then to then. */
    public OcspSigner held(Instant first, @Nullable Instant last) {
        from = first;
        until = last;
        return this;
    }

    /** What is said of a certificate. */
    public byte[] of(X509Bundle certificate) {
        try {
            DigestCalculatorProvider digests = new JcaDigestCalculatorProviderBuilder().build();
            BasicOCSPRespBuilder builder = new BasicOCSPRespBuilder(new RespID(
                    SubjectPublicKeyInfo.getInstance(
                            signer.getKeyPair().getPublic().getEncoded()),
                    digests.get(CertificateID.HASH_SHA1)));
            CertificateID id = new CertificateID(
                    digests.get(CertificateID.HASH_SHA1),
                    new JcaX509CertificateHolder(issuer.getCertificate()),
                    certificate.getCertificate().getSerialNumber());
            Instant last = until;
            builder.addResponse(id, status, Date.from(from), last == null ? null : Date.from(last));
            X509CertificateHolder[] chain = new X509CertificateHolder[named.size()];
            for (int i = 0; i < chain.length; i++) {
                chain[i] = new JcaX509CertificateHolder(named.get(i).getCertificate());
            }
            return new OCSPRespBuilder()
                    .build(
                            OCSPRespBuilder.SUCCESSFUL,
                            builder.build(
                                    new JcaContentSignerBuilder("SHA256withECDSA")
                                            .build(signer.getKeyPair().getPrivate()),
                                    chain,
                                    Date.from(from)))
                    .getEncoded();
        } catch (GeneralSecurityException | OperatorCreationException | OCSPException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What says that nothing is said. */
    public static byte[] refusal(int status) {
        try {
            return new OCSPRespBuilder().build(status, null).getEncoded();
        } catch (OCSPException | IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
