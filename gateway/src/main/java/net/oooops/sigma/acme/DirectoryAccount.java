package net.oooops.sigma.acme;

import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import net.oooops.sigma.ask.WholeBody;
import net.oooops.sigma.certificate.CertificateFault;
import net.oooops.sigma.certificate.MacKeyFile;
import net.oooops.sigma.config.AcmeConfig;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.AccountBuilder;
import org.shredzone.acme4j.Login;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.exception.AcmeServerException;

/** The account with the issuer of a directory, by acme4j: made where there is none. For the thread that asks. */
final class DirectoryAccount {
    /** There is no account of that key (RFC 8555 section 7.3.1). */
    private static final URI ACCOUNT_UNKNOWN = URI.create("urn:ietf:params:acme:error:accountDoesNotExist");

    /** Which all issuers take, whatever the length of their keys. */
    private static final String MAC_ALGORITHM = "HS256";

    private final AcmeConfig config;
    private final CertificateFolder folder;
    private final WholeBody.Bounds bounds;
    private @Nullable Login login;

    /** @param bounds of each of the issuer's answers */
    DirectoryAccount(AcmeConfig config, CertificateFolder folder, WholeBody.Bounds bounds) {
        this.config = config;
        this.folder = folder;
        this.bounds = bounds;
    }

    /** It may be unknown now: the issuer is asked again. */
    void forget() {
        login = null;
    }

    /** Asks the issuer where it isn't known. */
    Login login() throws NotIssuedException, AcmeException, GeneralSecurityException, IOException {
        Login known = login;
        if (known != null) {
            return known;
        }
        Session session = new Session(config.directory(), new BoundedProvider(bounds, trusting()));
        session.networkSettings().setTimeout(bounds.within());
        // Little could become much.
        session.networkSettings().setCompressionEnabled(false);
        KeyPair keys = folder.accountKey();
        AcmeConfig.Binding binding = config.binding();
        Login fresh = binding == null ? asked(keys).createLogin(session) : bound(session, keys, binding);
        login = fresh;
        return fresh;
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

    private AccountBuilder asked(KeyPair keys) {
        AccountBuilder asked = new AccountBuilder().agreeToTermsOfService().useKeyPair(keys);
        String email = config.email();
        return email == null ? asked : asked.addEmail(email);
    }

    /** A key is good for one account with some issuers, and for some days only: who has an account doesn't show it. */
    private Login bound(Session session, KeyPair keys, AcmeConfig.Binding binding)
            throws NotIssuedException, AcmeException {
        try {
            return new AccountBuilder().onlyExisting().useKeyPair(keys).createLogin(session);
        } catch (AcmeServerException e) {
            if (!ACCOUNT_UNKNOWN.equals(e.getType())) {
                throw e;
            }
        }
        try {
            return asked(keys)
                    .withKeyIdentifier(binding.keyId(), MacKeyFile.read(binding.keyFile()))
                    .withMacAlgorithm(MAC_ALGORITHM)
                    .createLogin(session);
        } catch (CertificateFault e) {
            throw new NotIssuedException(
                    "the account's key with the issuer, " + binding.keyFile() + ", " + e.found(), e);
        }
    }
}
