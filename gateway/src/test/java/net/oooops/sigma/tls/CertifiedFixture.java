package net.oooops.sigma.tls;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** An authority of the test's own, a folder for what it issues, and a client that trusts it. */
@SuppressWarnings("NullAway.Init")
public abstract class CertifiedFixture {
    @TempDir
    protected Path dir;

    protected Certificates certificates;
    protected SecureClient secure;

    @BeforeEach
    final void issue() {
        certificates = new Certificates(dir);
        secure = new SecureClient(certificates.authority(), null);
    }
}
