package net.oooops.sigma.plugin;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Reason;
import org.jspecify.annotations.Nullable;

/**
 * All plugins on the way of one Route, or of the sessions of one Listener, compiled: for each step of an exchange a {@link Phase} with those plugins only that
 * asked for it, so that a step nobody asked for costs one comparison.
 *
 * <p>A plugin's position is its place in the order of sigma.json (server, router, route, proxy-pass), counted from 0 over all
 * plugins of the chain. Requests pass positions upwards, responses downwards. Where the plugin at position {@code reached}
 * answered or failed, the response passes positions {@code <= reached} only; {@code reached} is {@link #length} where the
 * request passed them all.
 *
 * <p>Immutable, safe for use from any thread. It doesn't own its plugins: one of a server stands in the chains of many Routes.
 */
public final class Chain {
    /** No plugins. */
    public static final Chain EMPTY = new Chain(List.of());

    /**
     * A plugin and what sigma.json calls it.
     *
     * @param name as explain and error messages show it
     * @param plugin the instance made for that place of sigma.json
     */
    public record Link(String name, Plugin plugin) {
        /** The same, with what exchanges pass. */
        private Link acting() {
            return new Link(name, WorkingPlugin.acting(plugin));
        }
    }

    private final Link[] links;
    private final List<String> names;
    private final Needs[] needs;
    /** Whether any plugin stands in the place of another one. */
    private final boolean wrapped;

    private final Phase session;
    private final Phase request;
    private final Phase response;
    private final Phase end;
    private final Phase requestChunks;
    private final Phase responseChunks;
    private final int wholeRequestBodyBytesMax;
    private final @Nullable Reason wholeRequestRefusal;
    private final int wholeResponseBodyBytesMax;
    private final int shadowRequestBodyBytesMax;
    private final int shadowResponseBodyBytesMax;

    private Chain(List<Link> links) {
        this.links = links.toArray(Link[]::new);
        this.names = links.stream().map(Link::name).toList();
        this.wrapped = links.stream().anyMatch(link -> link.plugin() instanceof WrappedPlugin);
        this.needs = links.stream().map(link -> link.plugin().needs()).toArray(Needs[]::new);
        this.session = upwards(Needs::session);
        this.request = upwards(Needs::request);
        this.response = downwards(Needs::response);
        this.end = downwards(Needs::end);
        this.requestChunks = upwards(of -> of.requestBody().kind() == BodyNeed.Kind.CHUNKS);
        this.responseChunks = downwards(of -> of.responseBody().kind() == BodyNeed.Kind.CHUNKS);
        this.wholeRequestBodyBytesMax = smallestWhole(Needs::requestBody);
        this.wholeRequestRefusal = wholeRequestRefusal();
        this.wholeResponseBodyBytesMax = smallestWhole(Needs::responseBody);
        this.shadowRequestBodyBytesMax = largestInShadow(Needs::requestBody);
        this.shadowResponseBodyBytesMax = largestInShadow(Needs::responseBody);
    }

    /**
     * The chain of {@code links} in the order of sigma.json.
     *
     * @throws IllegalArgumentException where one instance stands there twice: attachments are kept by instance
     */
    public static Chain of(List<Link> links) {
        for (int i = 0; i < links.size(); i++) {
            for (int before = 0; before < i; before++) {
                if (links.get(before).plugin() == links.get(i).plugin()) {
                    throw new IllegalArgumentException(
                            "plugin " + links.get(i).name() + " twice (expected: one instance for each place)");
                }
            }
        }
        return links.isEmpty()
                ? EMPTY
                : new Chain(links.stream().map(Link::acting).toList());
    }

    /** Whether there is no plugin at all. */
    public boolean isEmpty() {
        return links.length == 0;
    }

    /** The number of plugins; their positions are 0 to one less. */
    public int length() {
        return links.length;
    }

    /** The name of the plugin at that position. */
    public String name(int position) {
        return links[position].name();
    }

    /** The names of all plugins in the order of the request; the same list each time. */
    public List<String> names() {
        return names;
    }

    /** The ids of the proxy-passes that its plugins may send requests to, each once. */
    public List<String> targets() {
        Set<String> all = Set.of();
        for (Link link : links) {
            // Next to no plugin has any, and each Route is asked.
            if (!link.plugin().targets().isEmpty()) {
                all = all.isEmpty() ? new LinkedHashSet<>() : all;
                all.addAll(link.plugin().targets());
            }
        }
        return List.copyOf(all);
    }

    /** The position of that instance, or -1 where it doesn't stand in this chain. Allocates nothing. */
    public int positionOf(Plugin plugin) {
        for (int i = 0; i < links.length; i++) {
            if (links[i].plugin() == plugin) {
                return i;
            }
        }
        return -1;
    }

    /** How many places an exchange has for what plugins attach to it. */
    public int slots() {
        return wrapped ? 2 * links.length : links.length;
    }

    /**
     * The place, of {@link #slots}, of what that instance attaches: a plugin that another one stands in the place of has its own. -1 where it doesn't stand in
     * this chain. Allocates nothing.
     */
    public int slotOf(Plugin plugin) {
        int position = positionOf(plugin);
        if (position >= 0 || !wrapped) {
            return position;
        }
        for (int i = 0; i < links.length; i++) {
            if (links[i].plugin() instanceof WrappedPlugin wrapper && wrapper.inner() == plugin) {
                return links.length + i;
            }
        }
        return -1;
    }

    /** On which condition the plugin at that position acts, as it is written; null where it always does. */
    public @Nullable String condition(int position) {
        return links[position].plugin() instanceof ConditionedPlugin conditioned ? conditioned.condition() : null;
    }

    /** Whether the plugin at that position is in shadow: nothing comes of what it does. */
    public boolean isShadow(int position) {
        return isShadow(links[position].plugin());
    }

    private static boolean isShadow(Plugin plugin) {
        Plugin deciding = plugin instanceof ConditionedPlugin conditioned ? conditioned.inner() : plugin;
        return deciding instanceof ShadowPlugin;
    }

    /** Those whose {@code onSession} is called, in ascending position. */
    public Phase session() {
        return session;
    }

    /** Those whose {@code onRequest} is called, in ascending position. */
    public Phase request() {
        return request;
    }

    /** Those whose {@code onResponse} is called, in descending position. */
    public Phase response() {
        return response;
    }

    /** Those whose {@code onEnd} is called, in descending position. */
    public Phase end() {
        return end;
    }

    /** Those whose {@code onRequestChunk} is called, in ascending position. */
    public Phase requestChunks() {
        return requestChunks;
    }

    /** Those whose {@code onResponseChunk} is called, in descending position. */
    public Phase responseChunks() {
        return responseChunks;
    }

    /**
     * The smallest body, in bytes, of those that need the whole request body: a larger one gets 413. 0 where none does, those in shadow left
     * aside.
     */
    public int wholeRequestBodyBytesMax() {
        return wholeRequestBodyBytesMax;
    }

    /** The reason for which a larger one is refused; null where the plugin of that bound gives none. */
    public @Nullable Reason wholeRequestBodyRefusal() {
        return wholeRequestRefusal;
    }

    /** The same of the response's body: a larger one becomes 502. */
    public int wholeResponseBodyBytesMax() {
        return wholeResponseBodyBytesMax;
    }

    /** The largest body, in bytes, of those in shadow that need the whole request body: a larger one isn't collected for them. 0 where none does. */
    public int shadowRequestBodyBytesMax() {
        return shadowRequestBodyBytesMax;
    }

    /** The same of the response's body. */
    public int shadowResponseBodyBytesMax() {
        return shadowResponseBodyBytesMax;
    }

    @Override
    public String toString() {
        return String.join(" > ", names());
    }

    private Phase upwards(Predicate<Needs> asked) {
        return phase(positions(asked));
    }

    private Phase downwards(Predicate<Needs> asked) {
        return phase(positions(asked).reversed());
    }

    private List<Integer> positions(Predicate<Needs> asked) {
        List<Integer> positions = new ArrayList<>();
        for (int i = 0; i < links.length; i++) {
            if (asked.test(needs[i])) {
                positions.add(i);
            }
        }
        return positions;
    }

    private Phase phase(List<Integer> order) {
        Plugin[] plugins = new Plugin[order.size()];
        int[] positions = new int[order.size()];
        boolean[] blocking = new boolean[order.size()];
        boolean[] shadow = new boolean[order.size()];
        boolean[] wholeRequest = new boolean[order.size()];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = order.get(i);
            plugins[i] = links[positions[i]].plugin();
            blocking[i] = needs[positions[i]].blocking();
            shadow[i] = isShadow(positions[i]);
            wholeRequest[i] = needs[positions[i]].requestBody().kind() == BodyNeed.Kind.WHOLE;
        }
        return new Phase(plugins, positions, blocking, shadow, wholeRequest);
    }

    private int smallestWhole(Function<Needs, BodyNeed> body) {
        return whole(body, false).min().orElse(0);
    }

    private @Nullable Reason wholeRequestRefusal() {
        for (int position = 0; position < links.length; position++) {
            BodyNeed need = needs[position].requestBody();
            if (!isShadow(position)
                    && need.kind() == BodyNeed.Kind.WHOLE
                    && need.bytesMax() == wholeRequestBodyBytesMax) {
                return need.tooLarge();
            }
        }
        return null;
    }

    private int largestInShadow(Function<Needs, BodyNeed> body) {
        return whole(body, true).max().orElse(0);
    }

    private IntStream whole(Function<Needs, BodyNeed> body, boolean inShadow) {
        return IntStream.range(0, links.length)
                .filter(position -> isShadow(position) == inShadow)
                .mapToObj(position -> body.apply(needs[position]))
                .filter(need -> need.kind() == BodyNeed.Kind.WHOLE)
                .mapToInt(BodyNeed::bytesMax);
    }
}
