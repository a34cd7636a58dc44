package net.oooops.sigma.plugins.staticresources;

/** The JSON Schema of the settings. */
final class StaticResourcesSchema {
    static final String TEXT = """
            {
              "title": "static-resources",
              "description": "Answers GET and HEAD with the files of a folder: the request's path, as the plugins before have left it, names one below `root`. A route with this plugin needs no `proxy-pass-id`. Conditional requests and ranges are heeded; a directory without a slash at its end is redirected to, with one it is its `index`. Nothing is listed, and no pipe, device or socket is opened.",
              "x-role": "sees-requests",
              "x-answers": true,
              "type": "object",
              "additionalProperties": false,
              "required": ["root"],
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "root": {
                  "title": "root",
                  "description": "The folder. It has to be there when sigma.json is read. A relative one starts from the folder of the file that says so. It may be a link that is changed while Sigma runs.",
                  "type": "string",
                  "x-path": true,
                  "minLength": 1,
                  "maxLength": 4096,
                  "examples": ["/srv/www"]
                },
                "strip-prefix": {
                  "title": "strip-prefix",
                  "description": "What is cut from the beginning of the path before it is looked for. A path that doesn't begin with it isn't there.",
                  "type": "string",
                  "pattern": "^/[!-~]*[!-.0-~]$",
                  "x-expected": "the beginning of a path, without a slash at its end",
                  "maxLength": 1000,
                  "examples": ["/static"]
                },
                "index": {
                  "title": "index",
                  "description": "The names that are looked for in a directory, in this order. `[]`: directories aren't there.",
                  "type": "array",
                  "maxItems": 10,
                  "items": { "type": "string", "minLength": 1, "maxLength": 255 },
                  "default": ["index.html"]
                },
                "fallback": {
                  "title": "fallback",
                  "description": "A file below `root` that is the answer, with 200, where nothing is found and the client accepts `text/html` by that name, as browsers do for pages: for applications that find their way by the path themselves.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 1000,
                  "examples": ["index.html"]
                },
                "missing": {
                  "title": "missing",
                  "description": "What becomes of a request for what isn't there. `refuse`: 404, and 405 for methods other than GET and HEAD. `pass`: it goes on to the next plugin and the upstream, whatever its method.",
                  "type": "string",
                  "enum": ["refuse", "pass"],
                  "default": "refuse"
                },
                "content-types": {
                  "title": "content-types",
                  "description": "Media types by the suffix of the file's name, in the place of those that Sigma knows. What it doesn't know is `application/octet-stream`.",
                  "type": "object",
                  "additionalProperties": { "type": "string", "maxLength": 255 },
                  "default": {},
                  "examples": [{ ".glb": "model/gltf-binary" }]
                },
                "cache-control": {
                  "title": "cache-control",
                  "description": "The value of Cache-Control, or several by the end of the file's name: the longest end that fits counts, and `*` for all others.",
                  "anyOf": [
                    { "type": "string", "minLength": 1, "maxLength": 1000 },
                    { "type": "object", "additionalProperties": { "type": "string", "minLength": 1, "maxLength": 1000 } }
                  ],
                  "examples": ["max-age=60", { ".html": "no-cache", "*": "public, max-age=31536000, immutable" }]
                },
                "precompressed": {
                  "title": "precompressed",
                  "description": "The codings that are looked for beside each file, as `app.js.br`, `app.js.zst` and `app.js.gz`: the answer to clients that accept one. Where they like several as much, in this order.",
                  "type": "array",
                  "maxItems": 3,
                  "uniqueItems": true,
                  "items": { "type": "string", "enum": ["br", "zstd", "gzip"] },
                  "default": []
                },
                "dot-files": {
                  "title": "dot-files",
                  "description": "`refuse`: a path with a segment that begins with a dot isn't there, but for `/.well-known/`.",
                  "type": "string",
                  "enum": ["refuse", "allow"],
                  "default": "refuse"
                },
                "follow-links": {
                  "title": "follow-links",
                  "description": "Which symbolic links are followed: those that lead to something in `root` (`inside`), `none`, or all of them (`anywhere`).",
                  "type": "string",
                  "enum": ["inside", "none", "anywhere"],
                  "default": "inside"
                },
                "ranges": {
                  "title": "ranges",
                  "description": "How many ranges one request may ask for. With more, all of the file is sent.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000,
                  "default": 16
                },
                "threads": {
                  "title": "threads",
                  "description": "How many threads look at the folder and open files.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 64,
                  "default": 4
                },
                "cache": {
                  "title": "cache",
                  "description": "What is remembered of files.",
                  "type": "object",
                  "additionalProperties": false,
                  "properties": {
                    "validity": {
                      "title": "validity",
                      "description": "For how long what was found, or wasn't, is believed before it is looked at again.",
                      "type": "string",
                      "pattern": "^[1-9][0-9]{0,5}(ms|s|m|h)$",
                      "x-expected": "a duration such as \\"1s\\" or \\"1m\\"",
                      "default": "1s"
                    },
                    "entries": {
                      "title": "entries",
                      "description": "Of how many paths: files, and as many that aren't there. `0`: of none, and each request is looked up.",
                      "type": "integer",
                      "minimum": 0,
                      "maximum": 1000000,
                      "default": 1024
                    },
                    "small-file": {
                      "title": "small-file",
                      "description": "Up to how many bytes a file is kept in memory. Larger ones are kept open.",
                      "type": "integer",
                      "minimum": 0,
                      "maximum": 1048576,
                      "default": 65536
                    },
                    "bytes": {
                      "title": "bytes",
                      "description": "How many bytes of files are kept in memory in all, beside paths, for which there are 16 KiB and 256 bytes for each of `entries`. Beyond, those that nobody asked for lately make room.",
                      "type": "integer",
                      "minimum": 0,
                      "maximum": 2147483647,
                      "default": 33554432
                    },
                    "open-files": {
                      "title": "open-files",
                      "description": "How many files are kept open in all, beside those that are being sent. Beyond, those that nobody asked for lately make room. `0`: none, and each request for a large file opens it.",
                      "type": "integer",
                      "minimum": 0,
                      "maximum": 1000000,
                      "default": 256
                    }
                  },
                  "default": {}
                }
              },
              "examples": [
                { "root": "/usr/share" },
                { "root": "/usr/share", "strip-prefix": "/shared", "fallback": "index.html", "precompressed": ["br", "gzip"] }
              ]
            }
            """;

    private StaticResourcesSchema() {}
}
