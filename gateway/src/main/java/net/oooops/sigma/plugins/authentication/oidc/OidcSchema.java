package net.oooops.sigma.plugins.authentication.oidc;

import net.oooops.sigma.plugins.authentication.Terms;

/** The schema of the settings of {@code oidc}. */
final class OidcSchema {
    static final String TEXT = """
            {
              "title": "oidc",
              "description": "Has users log in at a provider of OpenID Connect (code flow with PKCE), and lets their requests pass. Nodes are told who it is, in `X-Consumer-Id`. A user's session is in a cookie that Sigma alone can read, or in Redis: any number of gateways with the same `session-secret` know it. It belongs on a route, or a router, that `callback-url` leads to.",
              "x-role": "finds-consumer",
              "x-answers": true,
              "type": "object",
              "additionalProperties": false,
              "required": ["issuer", "proxy-pass-id", "client-id", "callback-url", "session-secret"],
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "issuer": {
                  "title": "issuer",
                  "description": "The provider's name, a URL of https or, on this machine, of http. Below it is `/.well-known/openid-configuration`, where it says where all else is. It is asked when the first user comes.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 1024
                },
                "proxy-pass-id": {
                  "title": "proxy-pass-id",
                  "description": "The proxy-pass that leads to the provider's server, for what Sigma asks it itself: what it says of itself, its keys, and tokens. Its timeouts and retries, and the pools, health and TLS of its upstream, hold for these requests, too. It has no plugins of its own. The server sees the host of `issuer`.",
                  "type": "string",
                  "minLength": 1
                },
                "other-origins": {
                  "title": "other-origins",
                  "description": "Proxy-passes for what the provider has on other servers than that of `issuer`, such as its keys. Sigma asks nobody whom no proxy-pass leads to.",
                  "type": "array",
                  "maxItems": 10,
                  "items": {
                    "title": "a server",
                    "description": "One server.",
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["origin", "proxy-pass-id"],
                    "properties": {
                      "origin": {
                        "title": "origin",
                        "description": "What its URLs begin with: scheme, host, and port where there is one.",
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 1024
                      },
                      "proxy-pass-id": {
                        "title": "proxy-pass-id",
                        "description": "The proxy-pass that leads there.",
                        "type": "string",
                        "minLength": 1
                      }
                    }
                  },
                  "default": []
                },
                "client-id": {
                  "title": "client-id",
                  "description": "What Sigma is called at the provider.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 256
                },
                "client-secret": {
                  "title": "client-secret",
                  "description": "What Sigma shows the provider, as `client-auth` says. Left out: nothing, for a client that is public there.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 1024,
                  "x-secret": true
                },
                "client-auth": {
                  "title": "client-auth",
                  "description": "How Sigma shows the secret.",
                  "type": "string",
                  "oneOf": [
                    { "const": "basic", "description": "In the field Authorization, as every provider takes it." },
                    { "const": "post", "description": "In the body." }
                  ],
                  "default": "basic"
                },
                "scopes": {
                  "title": "scopes",
                  "description": "What Sigma asks for; `openid` is always asked for, too. Many providers give a refresh token, by which a session is renewed, for `offline_access` alone.",
                  "type": "array",
                  "maxItems": 50,
                  "uniqueItems": true,
                  "items": { "type": "string", "pattern": "^[!#-\\\\[\\\\]-~]{1,128}$", "x-expected": "visible characters other than \\" and \\\\" },
                  "default": []
                },
                "login-parameters": {
                  "title": "login-parameters",
                  "description": "Parameters of the provider's own, such as `prompt`, that are added where users are sent to log in.",
                  "type": "object",
                  "maxProperties": 20,
                  "additionalProperties": { "type": "string", "maxLength": 1024 },
                  "default": {}
                },
                "callback-url": {
                  "title": "callback-url",
                  "description": "Where the provider sends users back to, as it is registered there: a URL of the application, of https or, on this machine, of http. Its path is Sigma's own then. Users get back to this host, whichever they came from.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 1024
                },
                "logout-path": {
                  "title": "logout-path",
                  "description": "The path that logs a user out, here and where the provider has a way to (RP-Initiated Logout) there, too. It is Sigma's own then.",
                  "type": "string",
                  "pattern": "^/[A-Za-z0-9._~/-]*$",
                  "maxLength": 256,
                  "x-expected": "a path of letters, digits and . _ ~ / -",
                  "default": "/oidc/logout"
                },
                "after-logout-url": {
                  "title": "after-logout-url",
                  "description": "Where users get who have logged out, as it is registered at the provider. Left out: `/` of the host of `callback-url`.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 1024
                },
                "unauthenticated": {
                  "title": "unauthenticated",
                  "description": "What becomes of a request without a session.",
                  "type": "string",
                  "oneOf": [
                    { "const": "auto", "description": "GET and HEAD of a browser that goes to a page are sent to log in; all else gets 401." },
                    { "const": "login", "description": "GET and HEAD are sent to log in; all else gets 401." },
                    { "const": "refuse", "description": "It gets 401." },
                    { "const": "pass", "description": "It passes, without a consumer." }
                  ],
                  "default": "auto"
                },
                "unless-known": {
                  "title": "unless-known",
                  "description": "Whether a request whose consumer a plugin before has found passes as it is, with a session or without: for programs with tokens beside users with browsers.",
                  "type": "boolean",
                  "default": false
                },
                "on-failure": {
                  "title": "on-failure",
                  "description": "What becomes of a request with a session that is to be renewed when the provider can't be asked, once the access token of before has expired. Until then it passes, and the provider is asked again after a second.",
                  "type": "string",
                  "oneOf": [
                    { "const": "refuse", "description": "It is answered with 503." },
                    { "const": "keep", "description": "It passes, and the session goes on until `session-lifetime` is over: a user who was locked out meanwhile is let in." }
                  ],
                  "default": "refuse"
                },
                "consumer-claim": {
                  "title": "consumer-claim",
                  "description": "The claim of the ID token that says who it is: a text of at most 256 characters of ISO 8859-1.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 256,
                  "default": "sub"
                },
                "claims": {
                  "title": "claims",
                  "description": "Which claims of the ID token nodes get, and in which fields, whose names begin with `X-Consumer-`. A list is written with commas. What can't stand in a field as it is (an object, an element with a comma, characters beyond ISO 8859-1, more than 1,024 of them) is left out.",
                  "type": "object",
                  "maxProperties": 32,
                  "additionalProperties": { "type": "string", "minLength": 1, "maxLength": 256 },
                  "default": {}
                },
                "pass-access-token": {
                  "title": "pass-access-token",
                  "description": "Whether nodes get the access token, in the field Authorization. The session has to have room for it.",
                  "type": "boolean",
                  "default": false
                },
                "session-secret": {
                  "title": "session-secret",
                  "description": "What sessions are encrypted with: at least 32 characters that nobody guesses, such as `openssl rand -base64 32` prints. The same for all gateways of an application, and for no other one.",
                  "type": "string",
                  "minLength": 32,
                  "maxLength": 1024,
                  "x-secret": true
                },
                "former-session-secrets": {
                  "title": "former-session-secrets",
                  "description": "Secrets that sessions may have been encrypted with before, so that a new one logs nobody out.",
                  "type": "array",
                  "maxItems": 5,
                  "items": { "title": "a secret", "description": "One secret.", "type": "string", "minLength": 32, "maxLength": 1024, "x-secret": true },
                  "default": []
                },
                "session-store": {
                  "title": "session-store",
                  "description": "Where sessions lie. Left out: in the cookie itself, which has to have room for them. In Redis, encrypted, they may have up to 64 KiB, one that was logged out is over for whoever has a copy of the cookie, and gateways that share them renew each once; each request asks Redis then, and without it gets 503.",
                  "type": "object",
                  "additionalProperties": false,
                  "required": ["redis-id"],
                  "properties": {
                    "redis-id": {
                      "title": "redis-id",
                      "description": "The Redis, under `redis`.",
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 128
                    }
                  }
                },
                "session-cookie": {
                  "title": "session-cookie",
                  "description": "The name of the cookie, before which `__Host-` is written where `callback-url` is of https. The one by which a login is known has `-login` behind it.",
                  "type": "string",
                  "pattern": "^[A-Za-z0-9_-]{1,64}$",
                  "x-expected": "a name of letters, digits, _ and -",
                  "default": "sigma-session"
                },
                "session-lifetime": {
                  "title": "session-lifetime",
                  "description": "After which time a user has to log in again, in any case.",
                  "type": "string",
                  "x-expected": "a duration such as \\"30m\\" or \\"8h\\"",
                  "default": "8h"
                },
                "login-lifetime": {
                  "title": "login-lifetime",
                  "description": "How long a user may take to log in, 1h at most.",
                  "type": "string",
                  "x-expected": "a duration such as \\"10m\\" or \\"1h\\"",
                  "default": "10m"
                },
                "provider-lifetime": {
                  "title": "provider-lifetime",
                  "description": "After which time the provider is asked again what it says of itself, and for its keys. A key that isn't known is asked for at once, but not more often than every 30 s.",
                  "type": "string",
                  "x-expected": "a duration such as \\"10m\\" or \\"1h\\"",
                  "default": "10m"
                },
                "timeout": {
                  "title": "timeout",
                  "description": "How long the provider may take for each answer.",
                  "type": "string",
                  "x-expected": "a duration such as \\"500ms\\" or \\"5s\\"",
                  "default": "5s"
                },
                "algorithms": {
                  "title": "algorithms",
                  "description": "By which algorithms ID tokens may be signed. Left out: by all of these, by which of them is up to the provider's keys.",
                  "type": "array",
                  "minItems": 1,
                  "uniqueItems": true,
                  "items": {
                    "enum": ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "ES256K", "EdDSA", "Ed25519", "Ed448"]
                  }
                },
                "clock-skew": {
                  "title": "clock-skew",
                  "description": "By how much the provider's clock may be off, 10m at most.",
                  "type": "string",
                  "x-expected": "a duration such as \\"30s\\" or \\"5m\\"",
                  "default": "60s"
                },
                %s
              },
              "examples": [
                {
                  "issuer": "https://id.example.com",
                  "proxy-pass-id": "id",
                  "client-id": "shop",
                  "client-secret": "an example, not a secret",
                  "callback-url": "https://shop.example.com/oidc/callback",
                  "session-secret": "an example of 32 characters, no secret",
                  "claims": { "X-Consumer-Email": "email" }
                }
              ]
            }
            """.formatted(Terms.REALM_SCHEMA);

    private OidcSchema() {}
}
