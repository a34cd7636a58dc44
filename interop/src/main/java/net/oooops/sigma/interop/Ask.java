package net.oooops.sigma.interop;

import java.io.Serializable;

/** A request of SOFABolt that says how it wants to be answered. Hessian writes and reads its fields. */
public final class Ask implements Serializable {
    private static final long serialVersionUID = 1;

    private final String text;
    private final int afterMillis;
    private final boolean failing;

    private Ask(String text, int afterMillis, boolean failing) {
        this.text = text;
        this.afterMillis = afterMillis;
        this.failing = failing;
    }

    /** To be answered at once. */
    public static Ask of(String text) {
        return new Ask(text, 0, false);
    }

    /** To be answered after a while. */
    public static Ask after(int millis, String text) {
        return new Ask(text, millis, false);
    }

    /** To be answered with an exception whose message is the text. */
    public static Ask failing(String text) {
        return new Ask(text, 0, true);
    }

    /** What the answer has to contain. */
    public String text() {
        return text;
    }

    int afterMillis() {
        return afterMillis;
    }

    boolean isFailing() {
        return failing;
    }

    /** The answer of a node: its name, then the text. */
    public static String answer(String node, String text) {
        return node + "|" + text;
    }
}
