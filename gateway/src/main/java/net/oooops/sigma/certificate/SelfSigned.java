package net.oooops.sigma.certificate;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Makes a certificate that nobody has issued, to try HTTPS with: for {@code localhost}, {@code 127.0.0.1} and {@code ::1} alone. It and its key are in
 * memory only. The one class that loads Bouncy Castle where no certificates are asked for by ACME.
 *
 * <p>Any thread.
 */
public final class SelfSigned {
    /** How long one is good. */
    public static final Duration VALIDITY = Duration.ofDays(30);

    /** Clocks of clients may be late. */
    private static final Duration BEFORE = Duration.ofHours(1);

    private static final X500Name NAME = new X500Name("CN=Sigma self-signed");
    private static final int SERIAL_BITS = 127;

    private SelfSigned() {}

    /** A new one, with a new key, good from now on. */
    public static KeyedCertificate forLocalhost(Instant now) {
        KeyPair keys = ellipticKeys();
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                NAME,
                new BigInteger(SERIAL_BITS, new SecureRandom()).setBit(SERIAL_BITS - 1),
                Date.from(now.minus(BEFORE)),
                Date.from(now.plus(VALIDITY)),
                NAME,
                keys.getPublic());
        GeneralName[] hosts = {
            new GeneralName(GeneralName.dNSName, "localhost"),
            new GeneralName(GeneralName.iPAddress, "127.0.0.1"),
            new GeneralName(GeneralName.iPAddress, "::1")
        };
        try {
            builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(hosts))
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                    .addExtension(
                            Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
            return new KeyedCertificate(
                    List.of(new JcaX509CertificateConverter()
                            .getCertificate(builder.build(
                                    new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())))),
                    keys.getPrivate());
        } catch (IOException | OperatorCreationException | GeneralSecurityException e) {
            throw new IllegalStateException("a JDK that can't sign with ECDSA", e);
        }
    }

    /** Whether another one should take the place of one by now: two thirds of its time are over. */
    public static boolean isDue(KeyedCertificate made, Instant now) {
        return now.isAfter(made.notAfter().minus(VALIDITY.dividedBy(3)));
    }

    /** Keys on the curve that all clients know. */
    public static KeyPair ellipticKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a JDK without P-256", e);
        }
    }
}
