package net.oooops.sigma.plugin;

/**
 * What an {@link net.oooops.sigma.api.Exchange} is told of plugins with a condition or in shadow, beside what plugins themselves may tell it. Called on
 * the exchange's event loop, or from whichever thread a plugin decides on while the exchange is parked for it.
 */
public interface PluginNotes {
    /** Whether the condition of that plugin holds can't be said, so it acts. */
    void undecided(String plugin, Throwable why);

    /** A plugin in shadow would have done that. */
    void shadowed(Shadowed what);

    /** Whether the whole body of the request is here for plugins to see, if there is one. */
    boolean hasWholeRequestBody();

    /** The same of the response's. */
    boolean hasWholeResponseBody();
}
