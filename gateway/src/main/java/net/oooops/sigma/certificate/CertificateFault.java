package net.oooops.sigma.certificate;

/** Files don't hold what they are to. */
public final class CertificateFault extends Exception {
    private static final long serialVersionUID = 1;

    /** Which file it is about. */
    public enum Part {
        /** The certificates, or the key store. */
        CERTIFICATE,
        KEY,
        PASSWORD
    }

    private final Part part;
    private final String expected;

    CertificateFault(Part part, String found, String expected) {
        super(found);
        this.part = part;
        this.expected = expected;
    }

    /** The file that is wrong. */
    public Part part() {
        return part;
    }

    /** What was found, to be read after the file's name: {@code which is not there}. */
    public String found() {
        return String.valueOf(getMessage());
    }

    /** What was expected instead. */
    public String expected() {
        return expected;
    }
}
