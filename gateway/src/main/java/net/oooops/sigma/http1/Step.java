package net.oooops.sigma.http1;

import net.oooops.sigma.http.FieldSection;
import net.oooops.sigma.http.Refusal;

/** How far a parser came with the bytes it has. */
enum Step {
    /** More bytes are needed. */
    MORE,
    /** What it reads is complete. */
    DONE,
    /** It must be refused; the parser's target says why. */
    REFUSED;

    /** Has the parser's target say why. */
    static Step refused(FieldSection target, Refusal why) {
        target.refuse(why);
        return REFUSED;
    }
}
