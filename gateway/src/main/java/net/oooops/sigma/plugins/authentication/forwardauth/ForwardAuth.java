package net.oooops.sigma.plugins.authentication.forwardauth;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.CalloutException;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Response;
import org.jspecify.annotations.Nullable;

/**
 * Asks a server about each request, as nginx's {@code auth_request} and Traefik's {@code ForwardAuth} do: status 2xx lets it pass; what else the server
 * says goes to the client, but for its failures. What clients send under the names of the fields that nodes are to get from the server is taken out.
 */
final class ForwardAuth implements Plugin {
    /** An id that nobody has. */
    private static final String AMBIGUOUS = "";

    private static final FieldName METHOD = FieldName.of("X-Forwarded-Method");
    private static final FieldName URI = FieldName.of("X-Forwarded-Uri");

    private final String proxyPassId;
    private final Callout question;
    private final Fields fields;
    private final Outcomes outcomes;

    /**
     * Which fields go where.
     *
     * @param asked of the request, to the server
     * @param toNode of an answer that lets it pass, to the node
     * @param toClient of the same, to the client
     * @param consumer of the same, that says whom the request is from
     */
    record Fields(
            List<FieldName> asked,
            List<FieldName> toNode,
            List<FieldName> toClient,
            @Nullable FieldName consumer) {}

    /**
     * What it decides beside {@link Outcome#CONTINUE}.
     *
     * @param denied why the server's answer goes to the client
     * @param unfit where it can't be asked, for what the client has sent
     * @param unavailable where it doesn't say
     */
    record Outcomes(Reason denied, Outcome unfit, Outcome unavailable) {}

    /** @param question without fields */
    ForwardAuth(String proxyPassId, Callout question, Fields fields, Outcomes outcomes) {
        this.proxyPassId = proxyPassId;
        this.question = question;
        this.fields = fields;
        this.outcomes = outcomes;
    }

    @Override
    public Needs needs() {
        return fields.toClient.isEmpty() ? Needs.REQUEST : Needs.BOTH;
    }

    @Override
    public List<String> targets() {
        return List.of(proxyPassId);
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        Callout asked = question.with(asked(request));
        for (int i = 0; i < fields.toNode.size(); i++) {
            request.removeAlike(fields.toNode.get(i));
        }
        if (fields.consumer != null) {
            request.removeAlike(fields.consumer);
        }
        return Outcome.suspend(exchange.call(proxyPassId, asked)
                .handle((answer, error) ->
                        error == null ? Outcome.then(there -> decide(there, answer)) : failed(error)));
    }

    /** What nobody could be asked, as the client sends what can't be told, isn't the server's failure. */
    private Outcome failed(Throwable error) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        boolean clients = cause instanceof CalloutException none
                && none.fault().side() == Fault.Side.DOWNSTREAM
                && !none.fault().isClientLost();
        return clients ? outcomes.unfit : outcomes.unavailable;
    }

    private List<Field> asked(RequestHead request) {
        String query = request.query();
        List<Field> asked = new ArrayList<>();
        asked.add(Field.of(METHOD, request.method()));
        asked.add(Field.of(URI, query == null ? request.path() : request.path() + "?" + query));
        for (FieldName name : fields.asked) {
            request.values(name).forEach(value -> asked.add(Field.of(name, value)));
        }
        return asked;
    }

    private Outcome decide(Exchange exchange, Response answer) {
        int status = answer.status();
        if (status >= 500 || status == 304) {
            return outcomes.unavailable;
        }
        if (status >= 300) {
            return outcomes.denied.respond(answer);
        }
        String id = consumerId(answer);
        if (id != null && !Consumer.isId(id)) {
            return outcomes.unavailable;
        }
        if (id != null) {
            exchange.consumer(Consumer.of(id));
        }
        List<Field> toClient = new ArrayList<>(0);
        for (Field field : answer.fields()) {
            if (fields.toNode.contains(field.name())) {
                exchange.request().add(field);
            }
            if (fields.toClient.contains(field.name())) {
                toClient.add(field);
            }
        }
        if (!toClient.isEmpty()) {
            exchange.attach(this, toClient);
        }
        return Outcome.CONTINUE;
    }

    private @Nullable String consumerId(Response answer) {
        if (fields.consumer == null) {
            return null;
        }
        String id = null;
        for (Field field : answer.fields()) {
            if (field.name().equals(fields.consumer)) {
                // Of two nobody knows which one is meant.
                id = id == null ? field.value() : AMBIGUOUS;
            }
        }
        return id;
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        if (exchange.attachment(this) instanceof List<?> toClient) {
            for (Object field : toClient) {
                exchange.response().add((Field) field);
            }
        }
        return Outcome.CONTINUE;
    }
}
