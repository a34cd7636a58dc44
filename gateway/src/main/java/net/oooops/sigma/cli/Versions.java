package net.oooops.sigma.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The versions that this was built with. */
record Versions(String sigma, String netty, String vertx) {
    private static final String RESOURCE = "version.properties";

    static Versions read() {
        Properties properties = new Properties();
        try (InputStream in = Versions.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(
                        RESOURCE + ": not on the class path (expected: beside " + Versions.class + ")");
            }
            properties.load(in);
        } catch (IOException e) {
            throw new IllegalStateException(RESOURCE + ": " + e, e);
        }
        return new Versions(
                properties.getProperty("sigma", "?"),
                properties.getProperty("netty", "?"),
                properties.getProperty("vertx", "?"));
    }
}
