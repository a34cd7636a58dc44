package net.oooops.sigma.certificate;

/** What a responder answered can't be used. The message says why, to be read behind its name: {@code it is signed by somebody else}. */
public final class OcspFault extends Exception {
    private static final long serialVersionUID = 1;

    OcspFault(String why) {
        super(why);
    }

    OcspFault(String why, Throwable cause) {
        super(why, cause);
    }
}
