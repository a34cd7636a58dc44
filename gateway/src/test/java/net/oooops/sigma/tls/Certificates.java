package net.oooops.sigma.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509CRL;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import net.oooops.sigma.certificate.CertificateFault;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.CertificateFiles.Form;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.config.AcmeConfig;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.Clients;
import net.oooops.sigma.config.TlsConfig.Shown;
import net.oooops.sigma.config.TlsConfig.Version;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.cert.X509v2CRLBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CRLConverter;
import org.bouncycastle.cert.jcajce.JcaX509v2CRLBuilder;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;

/** Certificates to test with, by an authority of their own. */
public final class Certificates {
    private final Path dir;
    private final X509Bundle authority;
    private int count;

    /** Their files go into that folder. */
    public Certificates(Path dir) {
        this.dir = dir;
        try {
            authority = new CertificateBuilder()
                    .subject("CN=authority")
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Who has issued them. */
    public X509Bundle authority() {
        return authority;
    }

    /** One for those hosts. */
    public X509Bundle issued(String... hosts) {
        return issued(builder(hosts), authority);
    }

    /** What is for those hosts, to say more of it. */
    public static CertificateBuilder builder(String... hosts) {
        CertificateBuilder builder = new CertificateBuilder().subject("CN=" + hosts[0]);
        for (String host : hosts) {
            builder.addSanDnsName(host);
        }
        return builder;
    }

    /** One that another has issued. */
    public static X509Bundle issued(CertificateBuilder builder, X509Bundle issuer) {
        try {
            return builder.buildIssuedBy(issuer);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** One that may issue others, and isn't the root. */
    public X509Bundle intermediate() {
        return issued(new CertificateBuilder().subject("CN=intermediate").setIsCertificateAuthority(true), authority);
    }

    /** An issuer's list of those that are revoked, good until then. */
    public static X509CRL revocations(X509Bundle issuer, Instant until, X509Bundle... revoked) {
        Instant then = until.minus(2, ChronoUnit.DAYS);
        try {
            X509v2CRLBuilder list = new JcaX509v2CRLBuilder(issuer.getCertificate(), Date.from(then));
            list.setNextUpdate(Date.from(until));
            for (X509Bundle each : revoked) {
                list.addCRLEntry(each.getCertificate().getSerialNumber(), Date.from(then), CRLReason.keyCompromise);
            }
            ContentSigner signer = new JcaContentSignerBuilder("SHA256withECDSA")
                    .build(issuer.getKeyPair().getPrivate());
            return new JcaX509CRLConverter().getCRL(list.build(signer));
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A block of PEM. */
    public static String pem(String label, byte[] der) {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + label + "-----\n" + lines + "\n-----END " + label + "-----\n";
    }

    /** Its files. */
    public CertificateFiles files(X509Bundle issued) {
        count++;
        CertificateFiles files =
                new CertificateFiles(Form.PEM, dir.resolve(count + ".pem"), dir.resolve(count + ".key"), null);
        write(files, issued);
        return files;
    }

    /** Others in the place of those in the files. */
    public static void write(CertificateFiles files, X509Bundle issued) {
        try {
            Files.writeString(files.certificates(), issued.getCertificatePathPEM());
            Files.writeString(files.all().get(1), issued.getPrivateKeyPEM());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** One that is shown for those hosts, or for those that it is for where none are given. */
    public Shown shown(X509Bundle issued, String... hosts) {
        CertificateFiles files = files(issued);
        try {
            KeyedCertificate found = files.read();
            return new Shown(files, found, List.of(hosts));
        } catch (CertificateFault e) {
            throw new IllegalStateException(e.found(), e);
        }
    }

    /** What shows these, and nothing else is said. */
    public static TlsConfig config(Shown... shown) {
        return config(false, null, shown);
    }

    /** What shows these with what OCSP says of them, and those that are asked for, if any. */
    public static TlsConfig stapled(@Nullable AcmeConfig acme, Shown... shown) {
        return config(true, acme, shown);
    }

    private static TlsConfig config(boolean ocsp, @Nullable AcmeConfig acme, Shown... shown) {
        return new TlsConfig(
                List.of(shown),
                Version.TLS_1_2,
                TlsConfig.CIPHERS_DEFAULT,
                List.of(),
                false,
                Clients.UNASKED,
                ocsp,
                acme,
                "/ssl");
    }
}
