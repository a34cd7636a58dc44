package net.oooops.sigma.control;

/** One thing to do, which may fail. */
@FunctionalInterface
interface Step<E extends Exception> {
    void run() throws E;
}
