package net.oooops.sigma.plugins.limits;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code rate-limit}. */
public final class RateLimitFactory implements PluginFactory {
    private static final int KEYS_DEFAULT = 65_536;
    private static final int STATUS_DEFAULT = 429;

    /** A token that comes sooner would be rounded by more than a thousandth. */
    private static final long TOKEN_NANOS_MIN = 1000;

    private static final String LIMITS = """
            {
              "title": "limits",
              "description": "The limits. All of them have to allow a request.",
              "type": "array",
              "minItems": 1,
              "maxItems": 8,
              "items": {
                "title": "limit",
                "description": "A limit.",
                "type": "object",
                "additionalProperties": false,
                "required": ["requests"],
                "properties": {
                  "requests": {
                    "title": "requests",
                    "description": "How many may come in each `per`, in the long run; at most 1,000,000 a second.",
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 1000000
                  },
                  "per": {
                    "title": "per",
                    "description": "The time that `requests` is for.",
                    "type": "string",
                    "pattern": "^[1-9][0-9]{0,5}(ms|s|m|h)$",
                    "x-expected": "a duration such as \\"1s\\" or \\"1m\\"",
                    "default": "1s"
                  },
                  "burst": {
                    "title": "burst",
                    "description": "How many may come at once. Left out: as many as `requests`.",
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 1000000
                  },
                  "name": {
                    "title": "name",
                    "description": "What clients are told that it is called. Left out: what `per` says.",
                    "type": "string",
                    "pattern": "^[A-Za-z0-9._-]{1,32}$",
                    "x-expected": "1 to 32 letters, digits and characters of \\"._-\\""
                  }
                }
              }
            }""";

    private static final String SCHEMA =
            """
            {
              "title": "rate-limit",
              "description": "How often requests with the same key may come. Each key has a bucket of `burst` tokens for each limit, and gets `requests` new ones in each `per`, evenly; a request takes one of each. Where one has none, nothing is taken, and the request is answered with `status` and Retry-After. Counted over all Workers, exactly.",
              "x-role": "sees-requests",
              "type": "object",
              "additionalProperties": false,
              "required": ["limits"],
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "limits":
            """ + LIMITS + """
                ,
                "plans": {
                  "title": "plans",
                  "description": "Other limits for consumers that have booked a plan: whose `X-Consumer-Plan` says its `id`, as `fields` of `key-auth`, `basic-auth` and `client-certificate` give it, or `claims` of `jwt` and `oidc`. All others have the `limits` beside. Each plan is counted by itself.",
                  "type": "array",
                  "maxItems": 64,
                  "items": {
                    "title": "plan",
                    "description": "A plan.",
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["id", "limits"],
                    "properties": {
                      "id":
            """ + ByPlan.ID_SCHEMA + """
                      ,
                      "limits":
            """ + LIMITS + """
                    }
                  }
                },
            """ + KeyedBy.SCHEMA + """
                "cost": {
                  "title": "cost",
                  "description": "How many tokens a request takes of each limit.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000,
                  "default": 1
                },
                "shared": {
                  "title": "shared",
                  "description": "Shares the limits with other gateways through Redis. Left out: each gateway counts for itself. Each takes some tokens at once, and gives them without asking: no request waits for Redis. N gateways together may exceed a limit by N times `credit` tokens, and by no more.",
                  "type": "object",
                  "additionalProperties": false,
                  "required": ["redis-id", "name"],
                  "properties": {
                    "redis-id": {
                      "title": "redis-id",
                      "description": "The Redis, under `redis`.",
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 128
                    },
                    "name": {
                      "title": "name",
                      "description": "What the limits are called in Redis: all that say the same name there share them, wherever they stand. They should have the same `limits` and `by`.",
                      "type": "string",
                      "pattern": "^[A-Za-z0-9._-]{1,64}$",
                      "x-expected": "1 to 64 letters, digits and characters of \\"._-\\""
                    },
                    "lease": {
                      "title": "lease",
                      "description": "How many tokens of a key a gateway takes at once, at most: as many as it used of late in a second. It holds up to twice as many. Left out: a tenth of the smallest burst.",
                      "type": "integer",
                      "minimum": 1,
                      "maximum": 1000000
                    },
                    "credit": {
                      "title": "credit",
                      "description": "How many tokens of a key a gateway gives before Redis has said that it may: to the first requests, and where more come than it expected. They are taken from the buckets afterwards. Left out: a tenth of the smallest burst.",
                      "type": "integer",
                      "minimum": 1,
                      "maximum": 1000000
                    },
                    "on-failure": {
                      "title": "on-failure",
                      "description": "What is done while Redis can't be asked: `local`, each gateway limits by itself, and goes on from what it knew; `pass`, all requests pass; `refuse`, all get 503.",
                      "enum": ["local", "pass", "refuse"],
                      "default": "local"
                    }
                  }
                },
                "keys": {
                  "title": "keys",
                  "description": "How many keys are remembered at once, of each plan, about 120 bytes each. A key whose buckets are full again may be forgotten. Beyond, new keys share one bucket, and the log says so; those that are remembered keep theirs.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 10000000,
                  "default": 65536
                },
                "status": {
                  "title": "status",
                  "description": "What those beyond get.",
                  "type": "integer",
                  "minimum": 400,
                  "maximum": 599,
                  "default": 429
                },
                "fields": {
                  "title": "fields",
                  "description": "Whether clients are told the limits and what they have left: RateLimit-Policy and RateLimit, of draft-ietf-httpapi-ratelimit-headers-11.",
                  "enum": ["on", "off"],
                  "default": "on"
                },
                "legacy-fields": {
                  "title": "legacy-fields",
                  "description": "Whether they get X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset, which is in seconds from now until all is there again: of the limit that has least left.",
                  "type": "boolean",
                  "default": false
                }
              },
              "examples": [
                { "limits": [{ "requests": 100, "per": "1s", "burst": 200 }] },
                {
                  "limits": [{ "requests": 1000, "per": "1m" }],
                  "by": "consumer",
                  "shared": { "redis-id": "limits", "name": "api" }
                },
                {
                  "limits": [{ "requests": 10, "per": "1s" }, { "requests": 1000, "per": "1h", "name": "hourly" }],
                  "by": "consumer"
                },
                {
                  "limits": [{ "requests": 1 }],
                  "plans": [{ "id": "gold", "limits": [{ "requests": 100 }] }, { "id": "silver", "limits": [{ "requests": 10 }] }],
                  "by": "consumer"
                }
              ]
            }
            """;

    @Override
    public String name() {
        return "rate-limit";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        long cost = settings.get("cost").integer(1);
        int status = Math.toIntExact(settings.get("status").integer(STATUS_DEFAULT));
        int keys = Math.toIntExact(settings.get("keys").integer(KEYS_DEFAULT));
        KeyedBy by = KeyedBy.read(settings, context);
        Refusals refusals = new Refusals(context.reason("too-many-requests"), status);
        Buckets.Shared many = new Buckets.Shared(
                name(),
                "keys",
                context.counter(
                        "shared_takes", "How often a key too many to be remembered asked the bucket that such share."));
        if (settings.get("shared").isPresent()) {
            SharedSettings read = new SharedSettings(settings, context);
            ByPlan<SharedLimit.Terms> terms = ByPlan.read(
                    settings,
                    (plan, of) -> read.terms(
                            plan,
                            SharedSettings.countable(rates(of.get("limits"), cost), of.get("limits")),
                            cost,
                            keys));
            ByPlan<SharedRateLimit.Share> shares = terms.map(each -> new SharedRateLimit.Share(
                    read.limit(each),
                    read.lost(new Buckets(System::nanoTime, each.rates(), keys, many)),
                    fields(settings, each.rates())));
            return new SharedRateLimit(by, shares, refusals);
        }
        ByPlan<RateLimit.Allowance> allowances = ByPlan.read(settings, (plan, of) -> {
            List<Rate> rates = rates(of.get("limits"), cost);
            return new RateLimit.Allowance(new Buckets(System::nanoTime, rates, keys, many), fields(settings, rates));
        });
        return new RateLimit(by, cost, allowances, refusals);
    }

    private static LimitFields fields(Settings settings, List<Rate> rates) {
        return new LimitFields(
                rates.toArray(Rate[]::new),
                settings.get("fields").string("on").equals("on"),
                settings.get("legacy-fields").bool(false));
    }

    private static List<Rate> rates(Settings limits, long cost) {
        List<Rate> rates = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Settings each : limits.elements()) {
            Rate rate = rate(each, cost);
            if (!names.add(rate.name())) {
                throw each.get("name").unexpected("a name, as another limit is called \"" + rate.name() + "\"");
            }
            rates.add(rate);
        }
        if (rates.isEmpty()) {
            throw limits.unexpected("at least one limit");
        }
        return rates;
    }

    private static Rate rate(Settings limit, long cost) {
        Duration per = limit.get("per").duration(Duration.ofSeconds(1));
        long requests = limit.get("requests").integer(1);
        Settings burst = limit.get("burst");
        Rate rate = Rate.of(
                limit.get("name").string(limit.get("per").string("1s")), requests, per, burst.integer(requests));
        if (rate.tokenNanos() < TOKEN_NANOS_MIN) {
            throw limit.get("requests").unexpected("at most 1000000 a second");
        }
        if (!rate.isCountable()) {
            throw rate.burstMax() < 1
                    ? limit.get("per").unexpected("at most " + Rate.HOURS_MAX + "h for each request")
                    : burst.unexpected("at most " + rate.burstMax() + ", for more take longer than a clock counts");
        }
        if (rate.burst() < cost) {
            throw (burst.isPresent() ? burst : limit.get("requests"))
                    .unexpected("at least " + cost + ", the cost of a request");
        }
        return rate;
    }
}
