package net.oooops.sigma.plugins.cors;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of the CORS protocol (WHATWG Fetch, section 3.2). The decision is made on the request, before later
 * plugins edit it, and attached: an allowed origin's field, {@link #PREFLIGHT}, or nothing.
 */
final class Cors implements Plugin {
    private static final FieldName ORIGIN = FieldName.of("Origin");
    private static final FieldName REQUEST_METHOD = FieldName.of("Access-Control-Request-Method");
    private static final FieldName ALLOW_ORIGIN = FieldName.of("Access-Control-Allow-Origin");
    private static final FieldName ALLOW_CREDENTIALS = FieldName.of("Access-Control-Allow-Credentials");
    private static final FieldName EXPOSE_HEADERS = FieldName.of("Access-Control-Expose-Headers");
    private static final FieldName VARY = FieldName.of("Vary");
    private static final Field WITH_CREDENTIALS = Field.of(ALLOW_CREDENTIALS, "true");
    private static final Field VARY_ORIGIN = Field.of(VARY, "Origin");
    private static final Field VARY_PREFLIGHT =
            Field.of(VARY, "Origin, Access-Control-Request-Method, Access-Control-Request-Headers");

    /** Attached where the response is this plugin's own and complete. */
    private static final Object PREFLIGHT = new Object();

    private static final Response REFUSED_PREFLIGHT = Response.of(204, VARY_PREFLIGHT);

    private final Origins origins;
    private final @Nullable Field credentials;
    private final @Nullable Field expose;
    private final List<Field> preflight;
    private final Outcome refused;

    /**
     * @param credentials whether credentials are allowed
     * @param expose Access-Control-Expose-Headers, or null for none
     * @param preflight what an allowed preflight gets besides origin and credentials
     * @param refusal why others are refused
     */
    Cors(Origins origins, boolean credentials, @Nullable Field expose, List<Field> preflight, Reason refusal) {
        this.origins = origins;
        this.credentials = credentials ? WITH_CREDENTIALS : null;
        this.expose = expose;
        this.preflight = List.copyOf(preflight);
        this.refused = refusal.respond(REFUSED_PREFLIGHT);
    }

    @Override
    public Needs needs() {
        return Needs.BOTH;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        if (!request.has(ORIGIN)) {
            return Outcome.CONTINUE;
        }
        List<String> values = request.values(ORIGIN);
        Field allowed = values.size() == 1 ? origins.allow(values.getFirst()) : null;
        if (request.receivedMethod().equals("OPTIONS") && request.has(REQUEST_METHOD)) {
            exchange.attach(this, PREFLIGHT);
            return allowed == null ? refused : Outcome.respond(preflight(allowed));
        }
        exchange.attach(this, allowed);
        return Outcome.CONTINUE;
    }

    private Response preflight(Field allowed) {
        List<Field> fields = new ArrayList<>();
        fields.add(allowed);
        if (credentials != null) {
            fields.add(credentials);
        }
        fields.addAll(preflight);
        fields.add(VARY_PREFLIGHT);
        return Response.of(204, fields.toArray(Field[]::new));
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        Object attached = exchange.attachment(this);
        if (attached != PREFLIGHT) {
            edit(exchange.response(), attached instanceof Field allowed ? allowed : origins.toAny());
        }
        return Outcome.CONTINUE;
    }

    private void edit(ResponseHead response, @Nullable Field allowed) {
        put(response, ALLOW_ORIGIN, allowed);
        put(response, ALLOW_CREDENTIALS, allowed == null ? null : credentials);
        put(response, EXPOSE_HEADERS, allowed == null ? null : expose);
        if (origins.toAny() == null && !variesByOrigin(response)) {
            response.add(VARY_ORIGIN);
        }
    }

    /** Sets the field, or removes the server's own: two policies at once are none. */
    private static void put(ResponseHead response, FieldName name, @Nullable Field field) {
        if (field != null) {
            response.set(field);
        } else {
            response.remove(name);
        }
    }

    private static boolean variesByOrigin(ResponseHead response) {
        if (!response.has(VARY)) {
            return false;
        }
        for (String value : response.values(VARY)) {
            for (String name : value.toLowerCase(Locale.ROOT).split(",", -1)) {
                if (name.strip().equals("origin") || name.strip().equals("*")) {
                    return true;
                }
            }
        }
        return false;
    }
}
