package net.oooops.sigma.plugins.authentication.jwt;

import net.oooops.sigma.plugins.authentication.Credentials;
import net.oooops.sigma.plugins.authentication.Terms;

/** The schema of the settings of {@code jwt}. */
final class JwtSchema {
    static final String TEXT = """
            {
              "title": "jwt",
              "description": "Lets requests with a signed token in (JWS in its compact form, RFC 7515 and 7519). Nodes are told whose it is, in `X-Consumer-Id`. Others are answered with 401; why is in the access log alone. Keys come from `keys`, and from one of `jwks-file` and `jwks-url`.",
              "x-role": "finds-consumer",
              "type": "object",
              "additionalProperties": false,
              "required": ["audience"],
              "anyOf": [{ "required": ["keys"] }, { "required": ["jwks-file"] }, { "required": ["jwks-url"] }],
              "properties": {
                %s,
                "from": %s,
                "keys": %s,
                "jwks-file": {
                  "title": "jwks-file",
                  "description": "A file with a JWK Set, of which public keys for signatures are taken. It is looked at every second: a changed one holds at once, and where it can't be used, the one before stays. A relative one starts from the folder of the file that says so.",
                  "type": "string",
                  "x-path": true,
                  "minLength": 1,
                  "maxLength": 4096
                },
                "jwks-url": {
                  "title": "jwks-url",
                  "description": "Where the issuer has its JWK Set, of https or, on this machine, of http; at most 1 MiB and 100 keys, of which public ones for signatures are taken. Redirects aren't followed. Requests that come before the first keys wait for them; without any they are answered with 503. Where keys can't be fetched, those that were fetched last stay; a set without any that can be used is an answer, and no token is taken then.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 4096
                },
                "jwks-ca": {
                  "title": "jwks-ca",
                  "description": "A file with the certificates, in PEM, by which the server of `jwks-url` is trusted. Left out: those that the JDK trusts. A relative one starts from the folder of the file that says so.",
                  "type": "string",
                  "x-path": true,
                  "minLength": 1,
                  "maxLength": 4096
                },
                "jwks-lifetime": {
                  "title": "jwks-lifetime",
                  "description": "After which time keys are fetched again: a key that the issuer takes away holds for so long.",
                  "type": "string",
                  "x-expected": "a duration such as \\"30s\\", \\"5m\\" or \\"1h\\"",
                  "default": "10m"
                },
                "jwks-pause": {
                  "title": "jwks-pause",
                  "description": "In so long keys are fetched three times at most because tokens name one that isn't there: at once, then after a third of it each. Where fetching fails it is tried again after so long; as long as there are no keys at all, after 1 s, 2 s, 4 s and so on, up to this.",
                  "type": "string",
                  "x-expected": "a duration such as \\"30s\\", \\"5m\\" or \\"1h\\"",
                  "default": "30s"
                },
                "jwks-timeout": {
                  "title": "jwks-timeout",
                  "description": "How long fetching may take.",
                  "type": "string",
                  "x-expected": "a duration such as \\"30s\\", \\"5m\\" or \\"1h\\"",
                  "default": "5s"
                },
                "algorithms": {
                  "title": "algorithms",
                  "description": "By which algorithms tokens may be signed. Left out: by those that the keys are for. HS256, HS384 and HS512 are for a `secret` alone; `none` there isn't.",
                  "type": "array",
                  "minItems": 1,
                  "uniqueItems": true,
                  "items": {
                    "enum": ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "ES256K", "EdDSA", "Ed25519", "Ed448", "HS256", "HS384", "HS512"]
                  }
                },
                "audience": {
                  "title": "audience",
                  "description": "For whom tokens have to be (`aud`): one, or one of a list. An empty list takes tokens for anybody, those that were issued for another application included: write it only where the issuer has none but yours.",
                  "anyOf": [
                    { "type": "string", "minLength": 1, "maxLength": 1024 },
                    { "type": "array", "maxItems": 100, "items": { "type": "string", "minLength": 1, "maxLength": 1024 } }
                  ]
                },
                "issuer": {
                  "title": "issuer",
                  "description": "By whom tokens have to be issued (`iss`): one, or one of a list. Left out: whoever has signed them with one of the keys.",
                  "anyOf": [
                    { "type": "string", "minLength": 1, "maxLength": 1024 },
                    { "type": "array", "minItems": 1, "maxItems": 100, "items": { "type": "string", "minLength": 1, "maxLength": 1024 } }
                  ]
                },
                "types": {
                  "title": "types",
                  "description": "Which `typ` tokens have to have, `application/` left out, such as `at+jwt` for access tokens alone (RFC 9068). Left out: `JWT`, `at+jwt` or none.",
                  "type": "array",
                  "minItems": 1,
                  "maxItems": 10,
                  "items": { "type": "string", "minLength": 1, "maxLength": 64 }
                },
                "expiration-required": {
                  "title": "expiration-required",
                  "description": "Whether a token has to say when it expires (`exp`). One that says so is refused from then on, whatever this is.",
                  "type": "boolean",
                  "default": true
                },
                "clock-skew": {
                  "title": "clock-skew",
                  "description": "By how much the issuer's clock may be off, 10m at most: for `exp`, `nbf` and `iat`.",
                  "type": "string",
                  "x-expected": "a duration such as \\"30s\\" or \\"5m\\"",
                  "default": "60s"
                },
                "required-claims": {
                  "title": "required-claims",
                  "description": "Claims that have to be there, whatever they say.",
                  "type": "array",
                  "maxItems": 32,
                  "items": { "type": "string", "minLength": 1, "maxLength": 256 },
                  "default": []
                },
                "consumer-claim": {
                  "title": "consumer-claim",
                  "description": "The claim that says who it is: a text of at most 256 characters of ISO 8859-1.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 256,
                  "default": "sub"
                },
                "claims": {
                  "title": "claims",
                  "description": "Which claims nodes get, and in which fields, whose names begin with `X-Consumer-`. A list is written with commas. What can't stand in a field as it is (an object, an element with a comma, characters beyond ISO 8859-1, more than 1,024 of them) is left out.",
                  "type": "object",
                  "maxProperties": 32,
                  "additionalProperties": { "type": "string", "minLength": 1, "maxLength": 256 },
                  "default": {}
                },
                "token-max": {
                  "title": "token-max",
                  "description": "How long a token may be, in characters. Longer ones are refused unread.",
                  "type": "integer",
                  "minimum": 256,
                  "maximum": 65536,
                  "default": 8192
                },
                "remembered": {
                  "title": "remembered",
                  "description": "How many tokens are remembered once they were verified, as a digest, until they expire or the keys change. 0: each is verified each time.",
                  "type": "integer",
                  "minimum": 0,
                  "maximum": 1000000,
                  "default": 10000
                }
              },
              "examples": [
                {
                  "jwks-url": "https://id.example.com/.well-known/jwks.json",
                  "issuer": "https://id.example.com",
                  "audience": "https://api.example.com",
                  "claims": { "X-Consumer-Email": "email" }
                }
              ]
            }
            """.formatted(
                    Terms.SCHEMA.formatted("false"),
                    Credentials.SCHEMA.formatted("[{ \"authorization\": \"Bearer\" }]"),
                    OwnKeys.SCHEMA);

    private JwtSchema() {}
}
