package net.oooops.sigma.control.socket;

/** One thing that a running gateway may be asked, or told. */
@FunctionalInterface
public interface Steered {
    /**
     * Answers. Called on a thread that may wait, for several who ask at once.
     *
     * @throws Refused where it can't, or won't
     */
    Answer answer(Asked asked) throws Refused;
}
