package net.oooops.sigma.tls;

/** What a server shows with its certificate. */
public final class Staples {
    private Staples() {}

    /** Whether it shows what a responder said of its first certificate. */
    public static boolean isShown(ServerTls tls) {
        ShownCertificate shown = tls.of(null);
        return shown != null && shown.staple() != null;
    }
}
