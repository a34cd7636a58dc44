package net.oooops.sigma.exchange;

import java.io.IOException;
import java.net.URL;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.config.PluginConfig;

/** A plugin made of what a test wants it to do, found as a third party's would be. Set up before its gateway starts. */
public final class Probe implements Plugin {
    /** What it does with a request or a response. */
    public interface Step {
        /** As {@link Plugin#onRequest}. */
        Outcome see(Exchange exchange) throws Exception;
    }

    /** What it does with a part of a body. */
    interface Part {
        void see(Exchange exchange, ByteBuffer chunk);
    }

    /** What it does at the end. */
    interface End {
        void see(Exchange exchange);
    }

    /** Plugins by the key in their settings. */
    static final Map<String, Probe> MADE = new ConcurrentHashMap<>();

    private static final String FACTORIES = "META-INF/services/net.oooops.sigma.api.PluginFactory";

    /** Finds the gateway's own plugins and this one. */
    public static final ClassLoader LOADER = new ClassLoader(Probe.class.getClassLoader()) {
        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            List<URL> found = new ArrayList<>(Collections.list(super.getResources(name)));
            if (name.equals(FACTORIES)) {
                URL ours = Probe.class.getResource("factories");
                if (ours != null) {
                    found.add(ours);
                }
            }
            return Collections.enumeration(found);
        }
    };

    private Step request = exchange -> Outcome.CONTINUE;
    private Step response = exchange -> Outcome.CONTINUE;
    private Part requestChunk = (exchange, chunk) -> {};
    private Part responseChunk = (exchange, chunk) -> {};
    private End end = exchange -> {};
    private Needs needs = new Needs(false, false, false, BodyNeed.NONE, BodyNeed.NONE, false);

    private List<String> targets = List.of();
    private Consumer<PluginContext> creation = context -> {};
    private Runnable start = () -> {};
    private Runnable close = () -> {};

    /** One that does nothing yet. */
    public static Probe probe() {
        return new Probe();
    }

    /** It may send requests to these proxy-passes. */
    Probe sendsTo(String... proxyPassIds) {
        targets = List.of(proxyPassIds);
        return this;
    }

    @Override
    public List<String> targets() {
        return targets;
    }

    /** It does that while it is made. */
    public Probe onCreate(Consumer<PluginContext> step) {
        creation = step;
        return this;
    }

    /** It does that when it begins. */
    public Probe onStart(Runnable step) {
        start = step;
        return this;
    }

    /** It does that when it ends. */
    public Probe onClose(Runnable step) {
        close = step;
        return this;
    }

    void create(PluginContext context) {
        creation.accept(context);
    }

    @Override
    public void start() {
        start.run();
    }

    @Override
    public void close() {
        close.run();
    }

    /** It does that with requests. */
    public Probe onRequest(Step step) {
        request = step;
        needs = new Needs(
                true, needs.response(), needs.end(), needs.requestBody(), needs.responseBody(), needs.blocking());
        return this;
    }

    /** It does that with responses. */
    public Probe onResponse(Step step) {
        response = step;
        needs = new Needs(
                needs.request(), true, needs.end(), needs.requestBody(), needs.responseBody(), needs.blocking());
        return this;
    }

    Probe onEnd(End step) {
        end = step;
        needs = needs.withEnd();
        return this;
    }

    Probe onRequestChunk(Part part) {
        requestChunk = part;
        needs = needs.withRequestBody(BodyNeed.CHUNKS);
        return this;
    }

    Probe onResponseChunk(Part part) {
        responseChunk = part;
        needs = needs.withResponseBody(BodyNeed.CHUNKS);
        return this;
    }

    /** It is to find whole requests up to that many bytes. */
    public Probe wholeRequest(int bytesMax) {
        needs = needs.withRequestBody(BodyNeed.whole(bytesMax));
        return this;
    }

    public Probe wholeResponse(int bytesMax) {
        needs = needs.withResponseBody(BodyNeed.whole(bytesMax));
        return this;
    }

    Probe blocking() {
        needs = needs.withBlocking();
        return this;
    }

    /** One that makes every request a call of gRPC. */
    public static Probe calls() {
        return probe().onRequest(exchange -> {
            exchange.toGrpc();
            return Outcome.CONTINUE;
        });
    }

    /** What would name it in sigma.json. */
    public PluginConfig config() {
        return config(Map.of());
    }

    /** The same, with more that it is told there. */
    PluginConfig config(Map<String, String> more) {
        String key = "probe" + MADE.size() + "-" + System.identityHashCode(this);
        MADE.put(key, this);
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("key", key);
        return GatewayFixture.plugin("probe", settings);
    }

    /** In shadow. */
    PluginConfig shadow() {
        return config(Map.of("mode", "shadow"));
    }

    /** On that condition. */
    PluginConfig when(String condition) {
        return config(Map.of("when", condition));
    }

    @Override
    public Needs needs() {
        return needs;
    }

    @Override
    public Outcome onRequest(Exchange exchange) throws Exception {
        return request.see(exchange);
    }

    @Override
    public Outcome onResponse(Exchange exchange) throws Exception {
        return response.see(exchange);
    }

    @Override
    public void onRequestChunk(Exchange exchange, ByteBuffer chunk) {
        requestChunk.see(exchange, chunk);
    }

    @Override
    public void onResponseChunk(Exchange exchange, ByteBuffer chunk) {
        responseChunk.see(exchange, chunk);
    }

    @Override
    public void onEnd(Exchange exchange) {
        end.see(exchange);
    }
}
