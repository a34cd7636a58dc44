package net.oooops.sigma.admin;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * The versions that this was built with. Read on any thread.
 *
 * @param sigma of Sigma itself
 * @param netty of Netty
 * @param vertx of Vert.x
 */
public record Versions(String sigma, String netty, String vertx) {
    /** Beside the command that prints it. */
    private static final String RESOURCE = "/net/oooops/sigma/cli/version.properties";

    /** That of the JDK it runs on now, without what tells builds of one version apart. */
    public static String jdk() {
        return Runtime.version().toString().replaceAll("[+-].*", "");
    }

    /**
     * What the build has written down.
     *
     * @throws IllegalStateException where that isn't on the class path
     */
    public static Versions read() {
        Properties properties = new Properties();
        try (InputStream in = Versions.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(RESOURCE + ": not on the class path (expected: there)");
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
