package net.oooops.sigma.plugin;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.FileBody;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.Session;
import net.oooops.sigma.api.SessionOutcome;
import net.oooops.sigma.api.StreamBody;
import org.jspecify.annotations.Nullable;

/**
 * A plugin that is only tried: it decides, and nothing comes of it. What it would have done is told the exchange ({@link PluginNotes}). It is shown
 * each exchange by a {@link ShadowExchange}.
 */
public final class ShadowPlugin extends WrappedPlugin {
    private final String name;

    ShadowPlugin(String name, Plugin inner, Needs needs) {
        super(inner, needs);
        this.name = name;
    }

    /** A call of the plugin. */
    @FunctionalInterface
    private interface Call {
        @Nullable Outcome of(Plugin plugin, Exchange shown) throws Exception;
    }

    /** Takes what it would have done. */
    @FunctionalInterface
    public interface Told {
        void shadowed(Shadowed what);
    }

    /** What it makes of a session, which begins all the same. */
    public void judge(Session session, Told told) {
        try {
            if (inner().onSession(session) != SessionOutcome.CONTINUE) {
                told.shadowed(Shadowed.of(name, Shadowed.Kind.REFUSAL));
            }
        } catch (Throwable e) {
            told.shadowed(Shadowed.failure(name, e));
        }
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        ShadowExchange shown = shown(exchange);
        BodyNeed need = needs().requestBody();
        PluginNotes notes = notes(exchange);
        if (need.kind() == BodyNeed.Kind.WHOLE
                && isHidden(need, notes == null || notes.hasWholeRequestBody(), exchange.requestBody())) {
            shown.hide();
            tell(exchange, Shadowed.of(name, Shadowed.Kind.UNSEEN));
        }
        return call(exchange, shown, Plugin::onRequest);
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        ShadowExchange shown = shown(exchange);
        shown.forgetResponse();
        BodyNeed need = needs().responseBody();
        PluginNotes notes = notes(exchange);
        if (need.kind() == BodyNeed.Kind.WHOLE
                && !shown.isUnseen()
                && isHidden(need, notes == null || notes.hasWholeResponseBody(), exchange.responseBody())) {
            shown.hide();
            tell(exchange, Shadowed.of(name, Shadowed.Kind.UNSEEN));
        }
        return call(exchange, shown, Plugin::onResponse);
    }

    private static boolean isHidden(BodyNeed need, boolean isWhole, ByteBuffer body) {
        return !isWhole || body.remaining() > need.bytesMax();
    }

    private Outcome call(Exchange exchange, ShadowExchange shown, Call call) {
        if (shown.isUnseen()) {
            return Outcome.CONTINUE;
        }
        shown.begin();
        try {
            Outcome outcome = call.of(inner(), shown);
            while (outcome instanceof Outcome.Then then) {
                outcome = then.step().apply(shown);
            }
            if (outcome instanceof Outcome.Suspend suspend) {
                return Outcome.suspend(after(exchange, shown, suspend.next()));
            }
            judge(exchange, shown, outcome);
        } catch (Throwable e) {
            tell(exchange, Shadowed.failure(name, e));
        }
        return Outcome.CONTINUE;
    }

    private CompletionStage<Outcome> after(
            Exchange exchange, ShadowExchange shown, CompletionStage<? extends Outcome> next) {
        return next.handle((outcome, error) -> {
            if (outcome instanceof Outcome.Then then) {
                return Outcome.then(
                        _ -> call(exchange, shown, (plugin, seen) -> then.step().apply(seen)));
            }
            if (error == null) {
                judge(exchange, shown, outcome);
            } else {
                tell(exchange, Shadowed.failure(name, error));
            }
            return Outcome.CONTINUE;
        });
    }

    private void judge(Exchange exchange, ShadowExchange shown, @Nullable Outcome outcome) {
        switch (outcome) {
            case Outcome.Continue _ -> {
                if (shown.takeEdited()) {
                    tell(exchange, Shadowed.of(name, Shadowed.Kind.CHANGE));
                }
            }
            case Outcome.Respond respond -> {
                shown.takeEdited();
                tell(exchange, Shadowed.answer(name, respond));
                leave(exchange, respond.response());
            }
            case Outcome.Refuse refuse -> {
                shown.takeEdited();
                tell(exchange, Shadowed.answer(name, refuse));
            }
            case null, default ->
                tell(
                        exchange,
                        Shadowed.failure(
                                name,
                                new IllegalStateException(
                                        "outcome: " + outcome + " (expected: Continue, Respond or Refuse)")));
        }
    }

    /** Nobody takes the file, or the stream, that it would answer with. */
    private void leave(Exchange exchange, Response response) {
        FileBody file = response.file();
        if (file != null) {
            file.close();
        }
        StreamBody stream = response.stream();
        if (stream != null && stream.take()) {
            try {
                stream.close(null);
            } catch (Throwable e) {
                tell(exchange, Shadowed.failure(name, e));
            }
        }
    }

    @Override
    public void onRequestChunk(Exchange exchange, ByteBuffer chunk) {
        step(exchange, (plugin, shown) -> {
            plugin.onRequestChunk(shown, chunk);
            return null;
        });
    }

    @Override
    public void onResponseChunk(Exchange exchange, ByteBuffer chunk) {
        step(exchange, (plugin, shown) -> {
            plugin.onResponseChunk(shown, chunk);
            return null;
        });
    }

    /** Also where the response is none that it may see: what it keeps for the request it gives back here. */
    @Override
    public void onEnd(Exchange exchange) {
        ShadowExchange shown = shown(exchange);
        if (shown.isBegun() || !shown.isUnseen()) {
            step(exchange, shown, (plugin, seen) -> {
                plugin.onEnd(seen);
                return null;
            });
        }
    }

    private void step(Exchange exchange, Call call) {
        ShadowExchange shown = shown(exchange);
        if (!shown.isUnseen()) {
            step(exchange, shown, call);
        }
    }

    private void step(Exchange exchange, ShadowExchange shown, Call call) {
        try {
            call.of(inner(), shown);
        } catch (Throwable e) {
            tell(exchange, Shadowed.failure(name, e));
        }
    }

    /** The same one for all of an exchange, unless that was taken from the plugin meanwhile: then what it still does there has no effect on this. */
    private ShadowExchange shown(Exchange exchange) {
        Object kept = isCalledAgain() ? exchange.attachment(this) : null;
        ShadowExchange before = kept instanceof ShadowExchange shown ? shown : null;
        if (before != null && before.isOver(exchange)) {
            return before;
        }
        ShadowExchange shown = new ShadowExchange(exchange, name, inner(), needs(), before);
        if (isCalledAgain()) {
            exchange.attach(this, shown);
        }
        return shown;
    }

    private static @Nullable PluginNotes notes(Exchange exchange) {
        return exchange instanceof PluginNotes notes ? notes : null;
    }

    private static void tell(Exchange exchange, Shadowed what) {
        PluginNotes notes = notes(exchange);
        if (notes != null) {
            notes.shadowed(what);
        }
    }
}
