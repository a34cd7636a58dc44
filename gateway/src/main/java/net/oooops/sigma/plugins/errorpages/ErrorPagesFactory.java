package net.oooops.sigma.plugins.errorpages;

import java.nio.charset.StandardCharsets;
import java.util.List;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/** Makes {@code error-pages}. The texts of files that settings name are read with sigma.json, and stand in {@code body} here. */
public final class ErrorPagesFactory implements PluginFactory {
    private static final int CLASS_SIZE = 100;

    private static final String SCHEMA = """
            {
              "title": "error-pages",
              "description": "Bodies of your own for answers with a status from 400 to 599, where this stands: for Sigma's own answers and those of plugins, and with `intercept` for those of nodes. Where several stand on a way, the innermost that has a page for the answer gives it; `plugins.error-pages` is for what none has a page for, and for requests that can't be understood. Calls of gRPC are left alone.",
              "x-role": "sees-responses",
              "x-answers": true,
              "type": "object",
              "required": ["pages"],
              "additionalProperties": false,
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "pages": {
                  "title": "pages",
                  "description": "The pages by status, such as `404`, or by class, `4xx` or `5xx`. The status itself goes before its class.",
                  "type": "object",
                  "minProperties": 1,
                  "maxProperties": 50,
                  "additionalProperties": false,
                  "x-expected-key": "a status from 400 to 599, 4xx or 5xx",
                  "patternProperties": {
                    "^[45]([0-9][0-9]|xx)$": {
                      "description": "A page. Its text is either written here (`body`) or read from a file (`file`).",
                      "type": "object",
                      "required": ["content-type"],
                      "oneOf": [{ "required": ["body"] }, { "required": ["file"] }],
                      "additionalProperties": false,
                      "properties": {
                        "content-type": {
                          "description": "The Content-Type of the text.",
                          "type": "string",
                          "minLength": 3,
                          "maxLength": 255,
                          "examples": ["text/html; charset=utf-8"]
                        },
                        "body": { "description": "The text.", "type": "string", "maxLength": 1048576 },
                        "file": {
                          "description": "A file with the text, in UTF-8, at most 1 MiB; relative to the folder of the file that says so. It is read with sigma.json.",
                          "type": "string",
                          "minLength": 1,
                          "maxLength": 4096,
                          "examples": ["pages/404.html"]
                        },
                        "status": {
                          "description": "The status that the answer gets; left out, it keeps its own. Caches are told not to keep an answer with another status.",
                          "type": "integer",
                          "minimum": 200,
                          "maximum": 599
                        }
                      }
                    }
                  },
                  "examples": [{ "404": { "content-type": "text/html; charset=utf-8", "file": "pages/404.html" } }]
                },
                "intercept": {
                  "title": "intercept",
                  "description": "Whether answers of nodes get pages, too. What a node still sends of the answer that was replaced isn't waited for, so its connection (with HTTP/2, its stream) is given up.",
                  "type": "boolean",
                  "default": false
                }
              },
              "examples": [
                {
                  "pages": {
                    "404": { "content-type": "text/html; charset=utf-8", "body": "<h1>Nothing here</h1>" },
                    "5xx": { "content-type": "text/plain; charset=utf-8", "body": "Come back later.\\n", "status": 503 }
                  },
                  "intercept": true
                }
              ]
            }
            """;

    @Override
    public String name() {
        return "error-pages";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        @Nullable Page[] pages = new @Nullable Page[ErrorPages.STATUS_END - ErrorPages.STATUS_MIN];
        Settings written = settings.get("pages");
        for (String key : written.keys()) {
            if (key.endsWith("xx")) {
                Page page = page(written.get(key));
                int first = (key.charAt(0) - '0') * CLASS_SIZE - ErrorPages.STATUS_MIN;
                for (int i = first; i < first + CLASS_SIZE; i++) {
                    pages[i] = page;
                }
            }
        }
        for (String key : written.keys()) {
            if (!key.endsWith("xx")) {
                pages[Integer.parseInt(key) - ErrorPages.STATUS_MIN] = page(written.get(key));
            }
        }
        return new ErrorPages(pages, settings.get("intercept").bool(false));
    }

    private static Page page(Settings written) {
        if (written.get("file").isPresent()) {
            throw written.get("file").unexpected("its text in \"body\": files are read where sigma.json is");
        }
        Settings type = written.get("content-type");
        if (!Field.isValue(type.string())) {
            throw type.unexpected("a media type, such as text/html; charset=utf-8");
        }
        long status = written.get("status").integer(0);
        if (status == 204 || status == 205 || status == 304) {
            throw written.get("status").unexpected("a status whose answers have a body");
        }
        byte[] body = written.get("body").string().getBytes(StandardCharsets.UTF_8);
        return new Page(
                Field.of("Content-Type", type.string()),
                Response.withBody(ErrorPages.STATUS_MIN, List.of(), body),
                (int) status);
    }
}
