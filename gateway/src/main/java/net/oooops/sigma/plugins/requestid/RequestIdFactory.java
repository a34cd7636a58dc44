package net.oooops.sigma.plugins.requestid;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Cidr;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code request-id}. */
public final class RequestIdFactory implements PluginFactory {
    private static final String FIELD_DEFAULT = "X-Request-Id";

    private static final String SCHEMA = """
            {
              "title": "request-id",
              "description": "Gives every request an id, a UUID of version 7 (RFC 9562), in a field of the request and of its response, and to plugins that follow. It takes the place of what the client says, unless that comes from where it is trusted and is 1 to 128 letters, digits and `-_.:=+/@`.",
              "x-role": "sees-requests",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "field": {
                  "title": "field",
                  "description": "The field's name.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 100,
                  "default": "X-Request-Id"
                },
                "trust": {
                  "title": "trust",
                  "description": "Whose ids are kept: blocks of addresses of the connection's other end, such as a load balancer's; `*` alone for everybody's. Left out: nobody's.",
                  "anyOf": [
                    { "const": "*" },
                    { "type": "array", "maxItems": 100, "items": { "type": "string" } }
                  ],
                  "default": []
                },
                "response": {
                  "title": "response",
                  "description": "Whether responses have the field too, in the place of the node's own.",
                  "type": "boolean",
                  "default": true
                }
              },
              "examples": [{}, { "field": "X-Correlation-Id", "trust": ["10.0.0.0/8"], "response": false }]
            }
            """;

    @Override
    public String name() {
        return "request-id";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Settings field = settings.get("field");
        String name = field.string(FIELD_DEFAULT);
        if (!FieldName.isToken(name) || FieldName.of(name).isOfTheConnection()) {
            throw field.unexpected("the name of a field that a plugin may write");
        }
        boolean echoed = settings.get("response").bool(true);
        RequestId.warm();
        return new RequestId(FieldName.of(name), trusted(settings.get("trust")), echoed);
    }

    private static List<Cidr> trusted(Settings trust) {
        if (trust.isPresent() && !trust.isList()) {
            if (!trust.string().equals("*")) {
                throw trust.unexpected("\"*\" or a list of blocks of addresses");
            }
            return List.of(Cidr.parse("0.0.0.0/0"), Cidr.parse("::/0"));
        }
        List<Cidr> blocks = new ArrayList<>();
        trust.elements().forEach(each -> blocks.add(each.block()));
        return List.copyOf(blocks);
    }
}
