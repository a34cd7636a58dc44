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

    /** Whether it may take long, as it reads files, of which one may never answer: of such only so many are answered at once that others still are. */
    default boolean readsFiles() {
        return false;
    }

    /** The same, of which it is known that it reads files. */
    static Steered readingFiles(Steered of) {
        return new Steered() {
            @Override
            public Answer answer(Asked asked) throws Refused {
                return of.answer(asked);
            }

            @Override
            public boolean readsFiles() {
                return true;
            }
        };
    }
}
