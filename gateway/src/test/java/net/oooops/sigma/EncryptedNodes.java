package net.oooops.sigma;

import net.oooops.sigma.testkit.UpstreamOptions;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** {@code -Dsigma.test.node-tls=true}: every node of a test that says nothing else encrypts, and gateways speak to it so. */
public final class EncryptedNodes implements BeforeAllCallback {
    static final boolean WANTED = Boolean.getBoolean("sigma.test.node-tls");

    @Override
    public void beforeAll(ExtensionContext context) {
        if (WANTED) {
            UpstreamOptions.wrapAll(Encryption.SHARED::serve);
        }
    }
}
