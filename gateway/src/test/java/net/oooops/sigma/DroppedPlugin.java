package net.oooops.sigma;

/** Sources of a plugin as others write it, which answers 200 with a text. */
public final class DroppedPlugin {
    private DroppedPlugin() {}

    /** A jar with it, its key {@code hello}. */
    public static JarOf answering(String text) {
        return named("hello", text);
    }

    /** The same under another key. */
    public static JarOf named(String key, String text) {
        return new JarOf().source(source(key, "\"" + text + "\"")).factories("com.example.Hello");
    }

    /** Its source, with the text as an expression of Java. */
    public static String source(String key, String text) {
        return """
                package com.example;
                import net.oooops.sigma.api.*;
                public class Hello implements PluginFactory {
                    public String name() { return "KEY"; }
                    public String schema() { return "{\\"type\\": \\"object\\"}"; }
                    public Plugin create(Settings settings, PluginContext context) {
                        return new Plugin() {
                            final Response response = Response.text(200, String.valueOf(TEXT));
                            public Needs needs() { return Needs.REQUEST; }
                            public Outcome onRequest(Exchange exchange) { return Outcome.respond(response); }
                        };
                    }
                }
                """.replace("KEY", key).replace("TEXT", text);
    }
}
