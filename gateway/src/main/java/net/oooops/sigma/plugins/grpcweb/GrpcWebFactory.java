package net.oooops.sigma.plugins.grpcweb;

import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code grpc-web}. */
public final class GrpcWebFactory implements PluginFactory {
    private static final String SCHEMA = """
            {
              "title": "grpc-web",
              "description": "Lets clients of gRPC-Web, as browsers are, call nodes of gRPC (`h2c://`, `h2://`), over HTTP/1.1 or HTTP/2. A POST with `Content-Type: application/grpc-web`, or `application/grpc-web-text` in base64, with `+proto` and the like or without, becomes a call of gRPC, and its answer one of gRPC-Web, with the trailers as the last frame of its body. Messages pass as they come. Other requests pass untouched. For scripts of other origins `cors` is needed besides, before this plugin.",
              "x-role": "sees-requests",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                }
              },
              "examples": [{}]
            }
            """;

    @Override
    public String name() {
        return "grpc-web";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        return new GrpcWeb(context.reason("garbled"));
    }
}
