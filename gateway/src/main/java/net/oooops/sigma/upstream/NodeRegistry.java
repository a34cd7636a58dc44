package net.oooops.sigma.upstream;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.names.LastAnswers;
import net.oooops.sigma.names.NameOutages;
import net.oooops.sigma.tls.NodeTls;
import net.oooops.sigma.tls.TlsException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All Upstreams that a process has, by identity. What is known of nodes lives here, outside plans and Workers, so that it outlives
 * them.
 *
 * <p>Which ones there are is changed by a {@link Draft}. One that is left out, or that another one takes the place of, goes on for the
 * exchanges under way:
 *
 * <pre>
 *   (draft) ─ commit ─▶ there ─ commit without it ─▶ leaving ─ retire ─▶ gone: its number may be another's
 *      └ discard
 * </pre>
 *
 * <p>{@link #tick}: always the same thread. The rest: any thread.
 */
public final class NodeRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRegistry.class);

    /**
     * Which ones there are.
     *
     * @param byId those that plans refer to
     * @param leaving those that only exchanges under way refer to
     */
    record Known(Map<String, Upstream> byId, List<Upstream> leaving) {
        private Known with(Collection<Upstream> now) {
            Map<String, Upstream> there = new LinkedHashMap<>();
            now.forEach(upstream -> there.put(upstream.id(), upstream));
            List<Upstream> left = new ArrayList<>(leaving);
            byId.values().stream()
                    .filter(upstream -> there.get(upstream.id()) != upstream)
                    .forEach(left::add);
            return new Known(there, List.copyOf(left));
        }

        private Known without(Upstream gone) {
            return new Known(
                    byId, leaving.stream().filter(upstream -> upstream != gone).toList());
        }

        /** All that have a number. */
        List<Upstream> all() {
            List<Upstream> all = new ArrayList<>(byId.values());
            all.addAll(leaving);
            return all;
        }
    }

    private final AtomicReference<Known> known = new AtomicReference<>(new Known(Map.of(), List.of()));
    private final AtomicReference<@Nullable Draft> drafted = new AtomicReference<>();
    private final DescriptorParts descriptors = new DescriptorParts();
    private final NameOutages names = new NameOutages();
    private final LastAnswers answers = new LastAnswers(this::namesInUse);
    /** Those that could not be looked at. Of the thread that ticks. */
    private final Set<Upstream> failing = new HashSet<>();

    private final SteeredNodes steered = new SteeredNodes(() -> known.get().byId());

    /** Which of their names the name servers have no answer for. */
    public NameOutages names() {
        return names;
    }

    /** What name servers have said last. */
    public LastAnswers answers() {
        return answers;
    }

    private Set<String> namesInUse() {
        Set<String> names = new HashSet<>();
        for (Upstream upstream : known.get().all()) {
            upstream.nodes().forEach(node -> names.add(node.written().host()));
            if (upstream.config().discovery() instanceof Discovery.OfSrv(String name)) {
                names.add(name);
            }
        }
        return names;
    }

    /** What operators say of nodes, be they there or not. */
    public SteeredNodes steered() {
        return steered;
    }

    /**
     * Begins to say which Upstreams there are to be: none yet.
     *
     * @throws IllegalStateException where there is a draft that was neither committed nor discarded
     */
    public Draft draft() {
        Draft draft = new Draft(this, known.get());
        if (!drafted.compareAndSet(null, draft)) {
            throw new IllegalStateException("there is a draft (expected: one at a time)");
        }
        return draft;
    }

    /** Those are the ones that there are from now on. */
    void replace(List<Upstream> now) {
        known.updateAndGet(before -> before.with(now));
        answers.keepUsed();
    }

    /** That the draft was neither committed nor discarded. */
    void check(Draft draft) {
        if (drafted.get() != draft) {
            throw new IllegalStateException("the draft was committed or discarded before");
        }
    }

    /** The draft is over. */
    void end(Draft draft) {
        drafted.compareAndSet(draft, null);
    }

    /**
     * One more Upstream, or the one that there is of its id: a draft with that one and all others, committed.
     *
     * @throws TlsException where TLS can't be spoken to its nodes as it says
     */
    public Upstream upstream(UpstreamConfig config) {
        Upstream there = find(config.id());
        if (there != null) {
            return there;
        }
        Draft draft = draft();
        try {
            all().forEach(upstream -> draft.upstream(upstream.config()));
            Upstream made = draft.upstream(config);
            draft.commit();
            return made;
        } catch (TlsException e) {
            draft.discard();
            throw e;
        }
    }

    /** The Upstream of that id, or null. */
    public @Nullable Upstream find(String id) {
        return known.get().byId().get(id);
    }

    /** All of them, in the order in which the last draft named them. */
    public List<Upstream> all() {
        return List.copyOf(known.get().byId().values());
    }

    /** Those that are none of {@link #all} any more, and weren't retired yet. */
    public List<Upstream> leaving() {
        return known.get().leaving();
    }

    /**
     * No exchange uses it any more, no Worker has anything of it: its TLS is closed, and its number may be given to another one. Nothing
     * is done where that was said before.
     *
     * @param gone one that was left out, or that another one took the place of
     * @throws IllegalStateException where plans refer to it
     */
    public void retire(Upstream gone) {
        if (known.get().byId().containsValue(gone)) {
            throw new IllegalStateException(gone + " is in use (expected: one that is leaving)");
        }
        known.updateAndGet(before -> before.without(gone));
        close(gone);
    }

    /** How many connections there may be. */
    public DescriptorParts descriptors() {
        return descriptors;
    }

    /** No connection to a node is opened any more. */
    public void close() {
        known.get().all().forEach(NodeRegistry::close);
    }

    static void close(Upstream upstream) {
        NodeTls tls = upstream.tls();
        if (tls != null) {
            try {
                tls.close();
            } catch (Exception | Error e) {
                // Whatever it is: the others are to be closed.
                LOG.warn("{} failed while it was closed", upstream, e);
            }
        }
    }

    /** Time has passed: ejections end, nodes are compared. To be called several times a second. */
    public void tick(long nowNanos) {
        List<Upstream> all = known.get().all();
        failing.retainAll(all);
        for (Upstream upstream : all) {
            try {
                upstream.tick(nowNanos);
                failing.remove(upstream);
            } catch (Exception | Error e) {
                // Whatever it is: the others are to be looked at. Said once, for it may be so each time.
                if (failing.add(upstream)) {
                    LOG.error("{} could not be looked at", upstream, e);
                }
            }
        }
    }
}
