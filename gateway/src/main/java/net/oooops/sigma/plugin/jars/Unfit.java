package net.oooops.sigma.plugin.jars;

import java.util.ServiceConfigurationError;

/** Why a drop-in can't be used, and what to do about it. */
final class Unfit extends Exception {
    private static final long serialVersionUID = 1;

    /** What to do about a jar of another version's. */
    static final String REBUILT = "a jar that was built with the sigma-api of this version";

    private static final String GATEWAY = "net.oooops.sigma.";

    private final String expected;

    /**
     * @param found what is wrong
     * @param expected what there should be
     */
    Unfit(String found, String expected) {
        super(found);
        this.expected = expected;
    }

    String expected() {
        return expected;
    }

    /** Of what its classes threw. */
    static Unfit of(Throwable thrown) {
        if (thrown instanceof ServiceConfigurationError) {
            return thrown.getCause() == null ? notAFactory(thrown) : of(thrown.getCause());
        }
        if (thrown instanceof ExceptionInInitializerError && thrown.getCause() != null) {
            return of(thrown.getCause());
        }
        String said = String.valueOf(thrown.getMessage());
        if (thrown instanceof UnsupportedClassVersionError) {
            return new Unfit(said, "a jar for Java " + Runtime.version().feature() + " at most, which runs here");
        }
        if (thrown instanceof NoClassDefFoundError || thrown instanceof ClassNotFoundException) {
            return missing(said.replace('/', '.'));
        }
        if (thrown instanceof LinkageError && said.replace('/', '.').contains(DropInLoader.API)) {
            return new Unfit(thrown.toString(), REBUILT);
        }
        return new Unfit("its factory fails with " + thrown, "one that can be loaded");
    }

    private static Unfit notAFactory(Throwable thrown) {
        return new Unfit(
                String.valueOf(thrown.getMessage()),
                "public classes with a public constructor without parameters, that implement PluginFactory");
    }

    private static Unfit missing(String type) {
        if (type.startsWith(DropInLoader.API)) {
            return new Unfit("there is no class " + type, REBUILT);
        }
        if (type.startsWith(GATEWAY) || type.startsWith("io.netty.") || type.startsWith("io.vertx.")) {
            return new Unfit(
                    "it asks for " + type + ", which is no part of sigma-api",
                    "libraries of its own, in a folder with the jar, and of Sigma its api alone");
        }
        return new Unfit(
                "there is no class " + type,
                "the library that has it, in a folder with the jar: PLUGINS/NAME/*.jar, or all in one jar");
    }
}
