package net.oooops.sigma.plugin;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.CalloutException;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.ResponseHead;
import net.oooops.sigma.api.Tls;
import org.jspecify.annotations.Nullable;

/**
 * An exchange as a plugin in shadow sees it: its own edits, and no effect of them. Transforms of bodies are closed at once, as bodies of exchanges that
 * end otherwise close them.
 */
final class ShadowExchange implements Exchange {
    private final Exchange real;
    private final String name;
    private final Plugin plugin;
    private final Needs needs;
    private final ShadowRequest request;
    private @Nullable ShadowResponse response;
    private @Nullable ByteBuffer requestBody;
    private @Nullable ByteBuffer responseBody;
    private @Nullable Object attachment;
    private @Nullable Consumer consumer;
    /** Never changed, but replaced: it is handed on while a plugin that was left may still write its own. */
    private volatile Map<Key<?>, @Nullable Object> values;

    private boolean edited;
    private boolean begun;
    private boolean unseen;

    /**
     * @param name of the plugin
     * @param plugin that is shown it
     * @param before as the plugin saw it until the exchange was taken from a plugin; what it has kept there is here, too
     */
    ShadowExchange(Exchange real, String name, Plugin plugin, Needs needs, @Nullable ShadowExchange before) {
        this.real = real;
        this.name = name;
        this.plugin = plugin;
        this.needs = needs;
        this.request = new ShadowRequest(real.request());
        this.attachment = before == null ? null : before.attachment;
        this.consumer = before == null ? null : before.consumer;
        this.values = before == null ? Map.of() : before.values;
        this.begun = before != null && before.begun;
        this.unseen = before != null && before.unseen;
    }

    /** Whether it lies over that one. */
    boolean isOver(Exchange other) {
        return real == other;
    }

    /** The plugin is shown it. */
    void begin() {
        begun = true;
    }

    /** Whether the plugin was shown any of it: then it is told of its end. */
    boolean isBegun() {
        return begun;
    }

    /** The plugin isn't shown it, or no more of it. */
    void hide() {
        unseen = true;
    }

    boolean isUnseen() {
        return unseen;
    }

    /** Another response may have taken the place of the one before. */
    void forgetResponse() {
        response = null;
        responseBody = null;
    }

    /** Whether the plugin has edited anything since this was asked last. */
    boolean takeEdited() {
        ShadowResponse answer = response;
        boolean ofRequest = request.takeEdited();
        boolean ofResponse = answer != null && answer.takeEdited();
        boolean other = edited;
        edited = false;
        return ofRequest || ofResponse || other;
    }

    @Override
    public boolean isShadow() {
        return true;
    }

    @Override
    public void shadowed(String what) {
        if (real instanceof PluginNotes notes) {
            notes.shadowed(Shadowed.effect(name, what));
        }
    }

    @Override
    public void shadowed(Outcome outcome) {
        if (!(real instanceof PluginNotes notes)) {
            return;
        }
        switch (outcome) {
            case Outcome.Respond respond -> notes.shadowed(Shadowed.answer(name, respond));
            case Outcome.Refuse refuse -> notes.shadowed(Shadowed.answer(name, refuse));
            default -> throw new IllegalArgumentException(outcome + " (expected: Respond or Refuse)");
        }
    }

    @Override
    public RequestHead request() {
        return request;
    }

    @Override
    public ResponseHead response() {
        ShadowResponse shown = response;
        if (shown == null) {
            shown = new ShadowResponse(real.response());
            response = shown;
        }
        return shown;
    }

    @Override
    public boolean hasResponse() {
        return real.hasResponse();
    }

    @Override
    public boolean isAnsweredByNode() {
        return real.isAnsweredByNode();
    }

    @Override
    public boolean isRequestPassed() {
        return real.isRequestPassed();
    }

    @Override
    public ByteBuffer requestBody() {
        ByteBuffer own = requestBody;
        return own == null ? real.requestBody() : own.duplicate();
    }

    @Override
    public void requestBody(ByteBuffer body) {
        requireWhole(needs.requestBody());
        requestBody = copy(body);
        edited = true;
    }

    @Override
    public ByteBuffer responseBody() {
        ByteBuffer own = responseBody;
        return own == null ? real.responseBody() : own.duplicate();
    }

    @Override
    public void responseBody(ByteBuffer body) {
        requireWhole(needs.responseBody());
        responseBody = copy(body);
        edited = true;
    }

    private static void requireWhole(BodyNeed need) {
        if (need.kind() != BodyNeed.Kind.WHOLE) {
            throw new IllegalStateException("body (expected: collected, by a need for the whole)");
        }
    }

    private static ByteBuffer copy(ByteBuffer body) {
        return ByteBuffer.allocate(body.remaining())
                .put(body.duplicate())
                .flip()
                .asReadOnlyBuffer();
    }

    @Override
    public void transformRequestBody(BodyTransform transform) {
        edited = true;
        transform.close();
    }

    @Override
    public void transformResponseBody(BodyTransform transform) {
        edited = true;
        transform.close();
    }

    @Override
    public void toGrpc() {
        edited = true;
    }

    @Override
    public String peerAddress() {
        return real.peerAddress();
    }

    @Override
    public String clientAddress() {
        return real.clientAddress();
    }

    @Override
    public String routeId() {
        return real.routeId();
    }

    @Override
    public String routerId() {
        return real.routerId();
    }

    @Override
    public String upstreamId() {
        return real.upstreamId();
    }

    @Override
    public IpAddress clientIp() {
        return real.clientIp();
    }

    @Override
    public @Nullable Tls tls() {
        return real.tls();
    }

    @Override
    public @Nullable String parameter(String name) {
        return real.parameter(name);
    }

    @Override
    public @Nullable Consumer consumer() {
        Consumer own = consumer;
        return own == null ? real.consumer() : own;
    }

    @Override
    public void consumer(Consumer other) {
        consumer = other;
        edited = true;
    }

    /** It is taken to go there, where the plugin has said that it may send requests there. */
    @Override
    public boolean target(String proxyPassId) {
        boolean there = plugin.targets().contains(proxyPassId);
        edited |= there;
        return there;
    }

    /** What it asks for is asked, as it decides by the answer; but nothing that is to go on by itself is sent. */
    @Override
    public CompletionStage<Response> call(String proxyPassId, Callout callout) {
        if (callout.isDetached()) {
            shadowed("call");
            return CompletableFuture.failedFuture(new CalloutException(Fault.PLUGIN_FAILED, "in shadow"));
        }
        return real.call(proxyPassId, callout);
    }

    @Override
    public <T> @Nullable T value(Key<T> key) {
        Map<Key<?>, @Nullable Object> kept = values;
        if (!kept.containsKey(key)) {
            return real.value(key);
        }
        @SuppressWarnings("unchecked") // Put under a key of that type.
        T own = (T) kept.get(key);
        return own;
    }

    /** Stays here: those that follow decide as they would without this plugin. */
    @Override
    public <T> void value(Key<T> key, @Nullable T value) {
        Map<Key<?>, @Nullable Object> changed = new HashMap<>(values);
        changed.put(key, value);
        values = changed;
    }

    @Override
    public @Nullable Fault fault() {
        return real.fault();
    }

    @Override
    public @Nullable Object attachment(Plugin of) {
        return of == plugin ? attachment : real.attachment(of);
    }

    @Override
    public void attach(Plugin to, @Nullable Object value) {
        if (to == plugin) {
            attachment = value;
        } else {
            real.attach(to, value);
        }
    }
}
