package net.oooops.sigma.acme;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.KeyPair;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import net.oooops.sigma.ask.Unanswered;
import net.oooops.sigma.certificate.CertificateFault;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.certificate.PemFile;
import net.oooops.sigma.certificate.SecretFolder;
import net.oooops.sigma.certificate.SelfSigned;
import net.oooops.sigma.config.AcmeConfig;
import org.jspecify.annotations.Nullable;

/**
 * Where certificates are kept that were asked for, each with its key in one file, and the account's key; for their owner alone. Several processes may
 * have one: whoever has its lock asks.
 *
 * <p>For one thread; all of it blocks.
 */
final class CertificateFolder {
    private static final String LOCK = "lock";

    private final AcmeConfig config;

    CertificateFolder(AcmeConfig config) {
        this.config = config;
    }

    /** The right to ask, until it is closed. */
    interface Lock extends AutoCloseable {
        @Override
        void close();
    }

    /** A host's certificate; null where there is none, or none that can be read. */
    @Nullable KeyedCertificate read(String host) {
        if (!Files.exists(config.files(host).certificates())) {
            return null;
        }
        try {
            return config.files(host).read();
        } catch (CertificateFault e) {
            return null;
        }
    }

    /**
     * Takes the lock.
     *
     * @return null where another process has it
     * @throws NotIssuedException where the folder can't be used
     */
    @Nullable Lock lock() throws NotIssuedException {
        try {
            SecretFolder.make(config.folder());
            Path file = config.folder().resolve(LOCK);
            SecretFolder.create(file);
            FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
            FileLock lock = locked(channel);
            if (lock == null) {
                channel.close();
                return null;
            }
            return () -> close(channel);
        } catch (IOException e) {
            throw new NotIssuedException("the folder " + config.folder() + " can't be used: " + Unanswered.why(e), e);
        }
    }

    private static @Nullable FileLock locked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // Another gateway of this process.
            return null;
        }
    }

    private static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts a certificate in the place of the one before. */
    void write(String host, KeyedCertificate certificate) throws NotIssuedException {
        StringBuilder text =
                new StringBuilder(PemFile.block("PRIVATE KEY", certificate.key().getEncoded()));
        try {
            for (X509Certificate each : certificate.chain()) {
                text.append(PemFile.block("CERTIFICATE", each.getEncoded()));
            }
            SecretFolder.write(config.files(host).certificates(), text.toString());
        } catch (IOException | CertificateEncodingException e) {
            throw new NotIssuedException(
                    "the certificate can't be written into " + config.folder() + ": " + Unanswered.why(e), e);
        }
    }

    /** The account's key: made, and kept, where there is none yet. */
    KeyPair accountKey() throws NotIssuedException {
        Path file = config.folder().resolve(AcmeConfig.ACCOUNT_KEY);
        try {
            if (Files.exists(file)) {
                return PemFile.keys(CertificateFiles.bytes(file));
            }
            KeyPair made = SelfSigned.ellipticKeys();
            String text = PemFile.block("PRIVATE KEY", made.getPrivate().getEncoded())
                    + PemFile.block("PUBLIC KEY", made.getPublic().getEncoded());
            SecretFolder.write(file, text);
            return made;
        } catch (CertificateFault e) {
            throw new NotIssuedException("the account's key " + file + ", " + e.found(), e);
        } catch (IOException e) {
            throw new NotIssuedException(
                    "the account's key can't be kept in " + config.folder() + ": " + Unanswered.why(e), e);
        }
    }
}
