package net.oooops.sigma.plugin.jars;

/**
 * Has what a drop-in finds by the context class loader of its thread be its own, while it is made, begins or ends: libraries look there for their parts, and threads
 * that are started meanwhile inherit it. For other plugins nothing changes.
 *
 * <p>For one thread, in a try statement.
 */
public final class OwnContext implements AutoCloseable {
    private final ClassLoader before;

    private OwnContext(ClassLoader own) {
        before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(own instanceof DropInLoader ? own : before);
    }

    /**
     * Until it is closed.
     *
     * @param of a plugin, or its factory
     */
    public static OwnContext of(Object of) {
        return new OwnContext(of.getClass().getClassLoader());
    }

    static OwnContext within(DropInLoader loader) {
        return new OwnContext(loader);
    }

    @Override
    public void close() {
        Thread.currentThread().setContextClassLoader(before);
    }
}
