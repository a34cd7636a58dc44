package net.oooops.sigma.testkit;

/** The peer sent what HTTP/1.1 does not allow, or what a gateway must never emit. */
final class Malformed extends AssertionError {
    private static final long serialVersionUID = 1L;

    Malformed(String problem) {
        super(problem);
    }
}
