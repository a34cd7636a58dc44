package net.oooops.sigma.http1;

/** How far a parser came with the bytes it has. */
public enum Step {
    /** More bytes are needed. */
    MORE,
    /** What it reads is complete. */
    DONE,
    /** It must be refused; the parser's target says why. */
    REFUSED
}
