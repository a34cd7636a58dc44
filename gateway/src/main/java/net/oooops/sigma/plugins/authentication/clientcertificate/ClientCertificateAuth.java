package net.oooops.sigma.plugins.authentication.clientcertificate;

import net.oooops.sigma.api.ClientCertificate;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Tls;

/** Finds who a request is from by the certificate that its connection was begun with. Immutable but for what is kept of certificates. */
final class ClientCertificateAuth implements Plugin {
    /**
     * What passes.
     *
     * @param optional whether a request without a certificate does
     * @param unlessKnown whether one does whose consumer a plugin before has found
     */
    record Passing(boolean optional, boolean unlessKnown) {}

    private final Passing passing;
    private final KnownCertificates known;
    private final Outcome none;
    private final Outcome unknown;

    /**
     * @param none the answer where there is no certificate
     * @param unknown where it is nobody's
     */
    ClientCertificateAuth(Passing passing, KnownCertificates known, Outcome none, Outcome unknown) {
        this.passing = passing;
        this.known = known;
        this.none = none;
        this.unknown = unknown;
    }

    @Override
    public Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        if (passing.unlessKnown && exchange.consumer() != null) {
            return Outcome.CONTINUE;
        }
        Tls tls = exchange.tls();
        ClientCertificate certificate = tls == null ? null : tls.clientCertificate();
        if (certificate == null) {
            return passing.optional ? Outcome.CONTINUE : none;
        }
        Consumer consumer = known.of(certificate);
        if (consumer == null) {
            return unknown;
        }
        exchange.consumer(consumer);
        return Outcome.CONTINUE;
    }
}
