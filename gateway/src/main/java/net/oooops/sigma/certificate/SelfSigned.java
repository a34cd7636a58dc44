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
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Makes certificates that nobody has issued: to try HTTPS with, for {@code localhost}, {@code 127.0.0.1} and {@code ::1} alone, and to prove to
 * an issuer that a host is ours. They and their keys are in memory only. Loads Bouncy Castle.
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

    /** id-pe-acmeIdentifier (RFC 8737 section 6.1). */
    private static final ASN1ObjectIdentifier ACME_IDENTIFIER = new ASN1ObjectIdentifier("1.3.6.1.5.5.7.1.31");

    private SelfSigned() {}

    /** A new one, with a new key, good from now on. */
    public static KeyedCertificate forLocalhost(Instant now) {
        GeneralName[] hosts = {
            new GeneralName(GeneralName.dNSName, "localhost"),
            new GeneralName(GeneralName.iPAddress, "127.0.0.1"),
            new GeneralName(GeneralName.iPAddress, "::1")
        };
        return signed(now, new GeneralNames(hosts), List.of());
    }

    /**
     * One that proves to an issuer that a host is ours (RFC 8737 section 3), with a new key.
     *
     * @param digest SHA-256 of the key authorization
     */
    public static KeyedCertificate forValidation(Instant now, String host, byte[] digest) {
        try {
            Extension proof = Extension.create(ACME_IDENTIFIER, true, new DEROctetString(digest));
            return signed(now, new GeneralNames(new GeneralName(GeneralName.dNSName, host)), List.of(proof));
        } catch (IOException e) {
            throw new IllegalArgumentException("a digest that can't be written", e);
        }
    }

    private static KeyedCertificate signed(Instant now, GeneralNames hosts, List<Extension> more) {
        KeyPair keys = ellipticKeys();
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                NAME,
                new BigInteger(SERIAL_BITS, new SecureRandom()).setBit(SERIAL_BITS - 1),
                Date.from(now.minus(BEFORE)),
                Date.from(now.plus(VALIDITY)),
                NAME,
                keys.getPublic());
        try {
            builder.addExtension(Extension.subjectAlternativeName, false, hosts)
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                    .addExtension(
                            Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
            for (Extension each : more) {
                builder.addExtension(each);
            }
            X509CertificateHolder made =
                    builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate()));
            return new KeyedCertificate(
                    List.of(new JcaX509CertificateConverter().getCertificate(made)), keys.getPrivate());
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
