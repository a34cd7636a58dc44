package net.oooops.sigma.acme;

import java.time.Instant;
import net.oooops.sigma.certificate.KeyedCertificate;
import org.jspecify.annotations.Nullable;

/** Who gives certificates. For the thread that asks; all of it blocks. */
interface Issuer {
    /**
     * Asks for a certificate, with a key that is made for it.
     *
     * @param before the one that it is to take the place of; null where there is none
     * @throws NotIssuedException where there is none to be had now
     * @throws InterruptedException where the gateway ends
     */
    KeyedCertificate issue(String host, @Nullable KeyedCertificate before)
            throws NotIssuedException, InterruptedException;

    /**
     * When the issuer wants a certificate to be renewed (RFC 9773).
     *
     * @return null where it doesn't say
     * @throws InterruptedException where the gateway ends
     */
    @Nullable Advice advice(KeyedCertificate certificate) throws InterruptedException;

    /**
     * When to renew, as the issuer says: whatever it is.
     *
     * @param from at any time from then on
     * @param to until then
     * @param again when to ask for the next advice
     */
    record Advice(Instant from, Instant to, Instant again) {}
}
