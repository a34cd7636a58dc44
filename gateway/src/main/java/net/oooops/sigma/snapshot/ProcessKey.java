package net.oooops.sigma.snapshot;

import java.security.SecureRandom;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** A random key that lasts as long as the process, made when it is first needed: for cookies that nobody configured a key for. */
final class ProcessKey {
    private static final int BYTES = 32;
    private static final SecretKey KEY = random();

    private ProcessKey() {}

    static SecretKey get() {
        return KEY;
    }

    private static SecretKey random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return new SecretKeySpec(bytes, "HmacSHA256");
    }
}
