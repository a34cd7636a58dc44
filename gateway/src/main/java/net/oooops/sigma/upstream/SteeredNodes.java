package net.oooops.sigma.upstream;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What operators say of nodes, by the id of the Upstream and the node's host and port. It outlives both: one that is gone and comes back, by whichever reload or name server, is
 * steered as before, until the process ends.
 *
 * <p>Whoever speaks writes here first, then has the Upstream follow that there is by then. A reload has what it made follow once more when others can find it. So what was said
 * last holds, whichever of both comes first.
 *
 * <p>Any thread.
 */
public final class SteeredNodes {
    /** So much is kept, or as much as is said of nodes that are there: what was said first of one that isn't goes first. */
    static final int WORDS_MAX = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(SteeredNodes.class);

    private final Supplier<Map<String, Upstream>> upstreams;
    private final Map<Place, Kept> words = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private volatile Runnable listener = () -> {};

    /**
     * What is said of one node.
     *
     * @param upstream its id
     * @param node its host and port
     */
    public record Word(String upstream, String node, Steering said) {}

    private record Place(String upstream, String node) {}

    /** The later it was said, the higher is its number. */
    private record Kept(Steering said, long number) {}

    /**
     * What is said of a node.
     *
     * @param before until then
     * @param now from then on
     */
    record Said(Steering before, Steering now) {}

    /** @param upstreams those that there are when it is asked, by id */
    SteeredNodes(Supplier<Map<String, Upstream>> upstreams) {
        this.upstreams = upstreams;
    }

    /** Called after each change, by whoever has said it, who waits for that. */
    public void listen(Runnable changed) {
        listener = changed;
    }

    /** What is said of that node. */
    Steering of(String upstream, String node) {
        Kept kept = words.get(new Place(upstream, node));
        return kept == null ? Steering.NONE : kept.said();
    }

    /** All that is said, in that order. */
    public List<Word> all() {
        return words(words.entrySet());
    }

    /** The same, of nodes that aren't there: it holds once they are. */
    public List<Word> absent() {
        return words(absentEntries());
    }

    private static List<Word> words(Set<Map.Entry<Place, Kept>> entries) {
        return entries.stream()
                .sorted(Comparator.comparingLong(each -> each.getValue().number()))
                .map(each -> new Word(
                        each.getKey().upstream(),
                        each.getKey().node(),
                        each.getValue().said()))
                .toList();
    }

    private Set<Map.Entry<Place, Kept>> absentEntries() {
        Set<Map.Entry<Place, Kept>> absent = new HashSet<>(words.entrySet());
        if (!absent.isEmpty()) {
            Set<Place> there = new HashSet<>();
            upstreams
                    .get()
                    .forEach((id, upstream) -> upstream.nodes()
                            .forEach(node ->
                                    there.add(new Place(id, node.written().hostAndPort()))));
            absent.removeIf(each -> there.contains(each.getKey()));
        }
        return absent;
    }

    /**
     * Says something of a node. Where several speak at once, none of them is lost.
     *
     * @param change makes of what is said what is to be said; may be called more than once
     */
    Said say(String upstream, String node, UnaryOperator<Steering> change) {
        Place place = new Place(upstream, node);
        while (true) {
            Kept before = words.get(place);
            Steering said = before == null ? Steering.NONE : before.said();
            Steering now = change.apply(said);
            if (isReplaced(place, before, now)) {
                return new Said(said, now);
            }
        }
    }

    private boolean isReplaced(Place place, @Nullable Kept before, Steering now) {
        if (now.equals(Steering.NONE)) {
            return before == null || words.remove(place, before);
        }
        Kept kept = new Kept(now, numbers.incrementAndGet());
        return before == null ? words.putIfAbsent(place, kept) == null : words.replace(place, before, kept);
    }

    /** The Upstream of that id that there is by now. */
    @Nullable Upstream upstream(String id) {
        return upstreams.get().get(id);
    }

    /** That was all of it, and who had to follow has. */
    void said() {
        forgetAbsent();
        listener.run();
    }

    private void forgetAbsent() {
        int over = words.size() - WORDS_MAX;
        if (over > 0) {
            absentEntries().stream()
                    .sorted(Comparator.comparingLong(each -> each.getValue().number()))
                    .limit(over)
                    .forEach(each -> forget(each.getKey(), each.getValue()));
        }
    }

    private void forget(Place place, Kept kept) {
        if (words.remove(place, kept)) {
            LOG.warn(
                    "upstream {} node {}, which isn't there: what an operator has said of it ({}) is forgotten, as there are more than {} words",
                    place.upstream(),
                    place.node(),
                    kept.said().text(),
                    WORDS_MAX);
        }
    }

    /**
     * Takes away what is said of a node, whether it is there or not.
     *
     * @return whether anything was said
     */
    public boolean restore(String upstream, String node, long nowNanos) {
        Said word = say(upstream, node, before -> Steering.NONE);
        Upstream there = upstream(upstream);
        if (there != null) {
            there.use(node, word, nowNanos);
        }
        boolean any = !word.before().equals(Steering.NONE);
        if (any && (there == null || !there.has(node))) {
            LOG.info(
                    "upstream {} node {}, which isn't there: {}, as an operator says",
                    upstream,
                    node,
                    word.now().text());
        }
        said();
        return any;
    }

    /** Operators have said that elsewhere, and it holds here in place of all that was said before. */
    public void hear(List<Word> all, long nowNanos) {
        Map<Place, Steering> heard = new LinkedHashMap<>();
        all.forEach(each -> heard.put(new Place(each.upstream(), each.node()), each.said()));
        words.keySet().forEach(place -> heard.putIfAbsent(place, Steering.NONE));
        Map<String, Map<String, Said>> changes = new HashMap<>();
        heard.forEach((place, now) -> {
            Said said = say(place.upstream(), place.node(), before -> now);
            if (!said.before().equals(now)) {
                changes.computeIfAbsent(place.upstream(), id -> new HashMap<>()).put(place.node(), said);
            }
        });
        upstreams.get().forEach((id, upstream) -> upstream.hear(changes.getOrDefault(id, Map.of()), nowNanos));
        said();
    }
}
