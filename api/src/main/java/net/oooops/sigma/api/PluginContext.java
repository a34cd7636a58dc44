package net.oooops.sigma.api;

/**
 * What the gateway gives a factory for the plugin that it makes. What is asked for here is made once, when the configuration is read; what comes
 * of it may be used on any thread, costs no lookup and allocates nothing.
 *
 * <p>What is counted outlives the plugin: one that takes its place at a reload, and all others of the same name, count on. All of it is shown by
 * {@code /metrics} under {@code sigma_plugin_} and the plugin's name.
 *
 * <p>Called on the thread that reads the configuration, in {@link PluginFactory#create}.
 */
public interface PluginContext {
    /**
     * A reason for which the plugin answers in the place of what was asked for: it is counted, and stands in the access log.
     *
     * @param text a word or several in kebab-case, such as {@code unknown-key}; one of few, never what a client sent
     * @throws IllegalArgumentException where it isn't in kebab-case, or the plugin has {@value #NAMES_MAX} of them
     */
    Reason reason(String text);

    /**
     * A number that only grows.
     *
     * @param name in snake_case, such as {@code cache_hits}; {@code _total} is added where it is shown
     * @param description a sentence
     * @throws IllegalArgumentException where the name isn't in snake_case, is that of another kind, or the plugin has {@value #NAMES_MAX} of them
     */
    Counter counter(String name, String description);

    /** A number that grows and shrinks; otherwise as {@link #counter}. */
    Gauge gauge(String name, String description);

    /** How long something took, in buckets from 0.5 ms to a minute; otherwise as {@link #counter}. The name should end with {@code _seconds}. */
    Histogram histogram(String name, String description);

    /**
     * A Redis of sigma.json. To be {@link Redis#close closed} with the plugin. Nothing is connected before the plugin is started, and where sigma.json is only
     * checked nothing is at all.
     *
     * @param id what it is called under {@code redis}; to be a setting called {@code redis-id}, wherever it stands in the plugin's settings: that it leads to one
     *     is checked then
     */
    Redis redis(String id);

    /**
     * A proxy-pass of sigma.json that the plugin asks when it has no exchange: as a {@linkplain #timer timer} has none. It ends with the plugin.
     *
     * @param proxyPassId to be a setting called {@code proxy-pass-id}, wherever it stands in the plugin's settings: that it leads to a proxy-pass of HTTP without
     *     plugins is checked then
     */
    Callee callee(String proxyPassId);

    /**
     * Has something done again and again, from when the gateway follows a configuration with the plugin until the plugin is closed. Where sigma.json is only
     * checked it never is. A plugin whose place another one takes at a reload goes on until its last exchange is over, and so does its timer.
     *
     * <p>It is done on a virtual thread of its own, which may wait: for files, or for the answer of a {@link #callee} or of {@link #redis}. What it shares with
     * exchanges is immutable, or safe for several threads. It is never done twice at once; when it takes longer than the period, the next time is later. What
     * it throws is counted ({@code sigma_plugin_timer_failures_total}) and logged once in a while, and the next time comes as ever. When the plugin is closed
     * the thread is interrupted, and given two seconds; {@link Plugin#close} follows.
     *
     * @param name a word or several in kebab-case, such as {@code fetch-keys}: for logs and metrics
     * @throws IllegalArgumentException where it isn't in kebab-case, is that of another timer of the plugin, or it has {@value #TIMERS_MAX} of them
     */
    Timer timer(String name, Schedule schedule, Task task);

    /**
     * What a text of the settings says in CEL, over what the conditions of plugins ask for, too.
     *
     * @throws SettingsException where it can't be compiled, is of another type than a text, or asks for the response
     */
    Expression expression(Settings text);

    /** How many reasons and numbers a plugin may have. */
    int NAMES_MAX = 100;

    /** How many timers a plugin may have at each place. */
    int TIMERS_MAX = 10;

    /** What a timer does. */
    @FunctionalInterface
    interface Task {
        /**
         * Does it once.
         *
         * @throws Exception where it fails; it is done again all the same
         */
        void run() throws Exception;
    }

    /** Something that is done again and again. Safe for use from any thread. */
    interface Timer {
        /**
         * Has it done now, or once more where it is being done at the moment, and not before it begins. Called several times before that, it is done once.
         * From then on its period counts anew.
         */
        void wake();
    }

    /** A number that only grows. */
    interface Counter {
        /** Adds one. */
        default void increment() {
            add(1);
        }

        /**
         * Adds so many.
         *
         * @throws IllegalArgumentException where {@code count} is less than 0
         */
        void add(long count);
    }

    /** A number that grows and shrinks. */
    interface Gauge {
        /** Adds so many; less than 0 takes away. */
        void add(long count);
    }

    /** How often something took how long. */
    interface Histogram {
        /** Counts one more that took so long. */
        void record(long nanos);
    }
}
