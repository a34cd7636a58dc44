package net.oooops.sigma.api;

/** The head of a response: status and fields. Contract and threads as for {@link Head}. */
public interface ResponseHead extends Head {
    /** The status code, 200 to 599. */
    int status();

    /** How many bytes its body has, as it came or was made; -1 where that isn't known. Allocates nothing. */
    long contentLength();

    /**
     * Replaces the status code; the reason phrase follows it.
     *
     * @throws IllegalArgumentException where it isn't 200 to 599, or where the old or the new one is 204 or 304, whose
     *     messages end with the head (RFC 9110 section 6.4.1)
     */
    void status(int status);
}
