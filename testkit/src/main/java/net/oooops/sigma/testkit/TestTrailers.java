package net.oooops.sigma.testkit;

/** The trailers behind the body of a {@link TestExchange}'s response. For one thread at a time. */
public final class TestTrailers extends TestHead {
    /** Trailers written {@code Name: value}. */
    public TestTrailers(String... fields) {
        super(fields);
    }
}
