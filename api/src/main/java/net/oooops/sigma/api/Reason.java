package net.oooops.sigma.api;

/**
 * Why a plugin answers in the place of what was asked for; made once by {@link PluginContext#reason}. The exchange that it is given for is
 * counted under it, and its line in the access log has the flag {@code PR} and the reason.
 *
 * <pre>
 *   Reason unknown = context.reason("unknown-key");
 *   Outcome refused = unknown.respond(Response.text(401, "Who are you?"));
 * </pre>
 *
 * <p>Safe for use from any thread.
 */
public final class Reason {
    private final String text;
    private final PluginContext.Counter counter;

    /**
     * One that the gateway makes.
     *
     * @param text the plugin's name and the reason, as the access log has it
     * @param counter counts the exchanges that it was given for
     */
    public Reason(String text, PluginContext.Counter counter) {
        this.text = text;
        this.counter = counter;
    }

    /** The outcome that answers with {@code response} for this reason; keep it where the response is always the same. */
    public Outcome respond(Response response) {
        return new Outcome.Respond(response, this);
    }

    /** The outcome that refuses with the gateway's own page for {@code fault}, for this reason; keep it where the fault is always the same. */
    public Outcome refuse(Fault fault) {
        return new Outcome.Refuse(fault, this);
    }

    /** The plugin's name and the reason, such as {@code key-auth: unknown-key}. */
    public String text() {
        return text;
    }

    /** The reason alone, such as {@code unknown-key}. */
    public String word() {
        return text.substring(text.lastIndexOf(' ') + 1);
    }

    /** Counts one more. The gateway does, where the outcome takes effect. */
    public void count() {
        counter.increment();
    }

    @Override
    public String toString() {
        return text;
    }
}
