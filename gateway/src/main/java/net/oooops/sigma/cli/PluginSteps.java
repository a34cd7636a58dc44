package net.oooops.sigma.cli;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.FileBody;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.StreamBody;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.plugin.ConditionedPlugin;
import net.oooops.sigma.plugin.Phase;
import net.oooops.sigma.plugin.Shadowed;
import net.oooops.sigma.route.PathFault;
import org.jspecify.annotations.Nullable;

/** Shows a request to the plugins on its way, in their order, and says what each of them did. */
final class PluginSteps {
    /** The position of a plugin that isn't there. */
    private static final int NOWHERE = -1;

    /** The plugin whose targets are in the place of the route's. */
    private static final String SPLIT = "traffic-split";

    private static final FieldName LOCATION = FieldName.of("Location");

    private final DryRun exchange;
    private final Predicate<String> findsConsumer;
    private final IntFunction<@Nullable PluginConfig> written;
    private final List<String> said = new ArrayList<>();
    private final Map<Integer, String> plans = new HashMap<>();
    private @Nullable String answer;
    /** Of what a plugin answers by itself; 0 where none does, or refuses. */
    private int answerStatus;

    private @Nullable String consumer;

    private PluginSteps(DryRun exchange, Predicate<String> findsConsumer, IntFunction<@Nullable PluginConfig> written) {
        this.exchange = exchange;
        this.findsConsumer = findsConsumer;
        this.written = written;
    }

    /**
     * Runs those that don't block.
     *
     * @param findsConsumer says of the name of a plugin whether it finds out whom requests are from
     * @param written what sigma.json says of the plugin at a position; null where that isn't known
     */
    static PluginSteps of(
            DryRun exchange, Predicate<String> findsConsumer, IntFunction<@Nullable PluginConfig> written) {
        PluginSteps steps = new PluginSteps(exchange, findsConsumer, written);
        Chain chain = exchange.plan().chain();
        boolean isFound = steps.assumeConsumer(chain);
        int finding = NOWHERE;
        for (int position = 0; position < chain.length(); position++) {
            boolean known = exchange.consumer() != null;
            steps.said.add(placed(chain, position, steps.step(chain.request(), position)));
            boolean found = exchange.consumer() != null && !known;
            finding = finding == NOWHERE && (steps.finds(chain, position) || found) ? position : finding;
        }
        mark(steps, chain, finding);
        if (isFound && exchange.consumer() == null) {
            steps.consumer = "none: no plugin came to find one";
        }
        return steps;
    }

    /**
     * Where nobody finds the consumer that the question is about, it is known from the beginning.
     *
     * @return whether somebody may find it
     */
    private boolean assumeConsumer(Chain chain) {
        Consumer assumed = exchange.assumedConsumer();
        if (assumed == null) {
            return false;
        }
        for (int position = 0; position < chain.length(); position++) {
            if (finds(chain, position)) {
                return true;
            }
        }
        exchange.consumer(assumed);
        consumer = assumed.id() + ", known from the beginning: no plugin on this way says that it finds one";
        return false;
    }

    private boolean finds(Chain chain, int position) {
        return findsConsumer.test(chain.name(position)) && !chain.isShadow(position);
    }

    /** Marks those that see the request while it isn't known yet whom it is from, though a plugin behind them is to find out. */
    private static void mark(PluginSteps steps, Chain chain, int finding) {
        for (int index = 0; index < chain.request().count(); index++) {
            int position = chain.request().position(index);
            if (position < finding) {
                steps.said.set(position, steps.said.get(position) + " (before the consumer is known)");
            }
        }
    }

    private static String placed(Chain chain, int position, String did) {
        String when = chain.condition(position);
        String mode = chain.isShadow(position) ? "in shadow: " : "";
        return mode + did + (when == null ? "" : " (when " + when + ")");
    }

    /** What each plugin did, by its position. */
    List<String> said() {
        return said;
    }

    /** The plan of the consumer that was known as a plugin was run, empty where there was none; null where it wasn't run. */
    @Nullable String planAt(int position) {
        return plans.get(position);
    }

    /** What a plugin answers in the place of an upstream, such as {@code 403 by guard}; null where none does. */
    @Nullable String answer() {
        return answer;
    }

    /** Whether a plugin answers it by something that is no failure, such as a redirection. */
    boolean isAnswered() {
        return answerStatus > 0 && answerStatus < 400;
    }

    /** What is to be said of the consumer that the question is about; null where there is none, or a plugin found it. */
    @Nullable String consumer() {
        return consumer;
    }

    private String step(Phase phase, int position) {
        int index = 0;
        while (index < phase.count() && phase.position(index) != position) {
            index++;
        }
        if (answer != null) {
            // Nor the answer, which goes back by those that stand before.
            return "doesn't see it any more";
        }
        if (index == phase.count()) {
            return "only sees the response";
        }
        if (phase.plugin(index) instanceof ConditionedPlugin conditioned) {
            boolean acts = conditioned.acts(exchange);
            String undecided = exchange.takeUndecided();
            if (!acts) {
                return "doesn't act here";
            }
            if (undecided != null) {
                return "acts, as its condition can't be evaluated (" + undecided + "): "
                        + called(phase, index, position);
            }
        }
        return called(phase, index, position);
    }

    private String called(Phase phase, int index, int position) {
        Consumer assumed = exchange.assumedConsumer();
        if (assumed != null && finds(exchange.plan().chain(), position)) {
            exchange.consumer(assumed);
            return "taken to find " + AskedClient.told(assumed);
        }
        if (phase.isBlocking(index)) {
            return "blocks: not run here";
        }
        plans.put(position, plan());
        String did = run(phase.plugin(index), position);
        List<String> would =
                exchange.takeShadowed().stream().map(PluginSteps::would).toList();
        return would.isEmpty() ? did : String.join("; ", would);
    }

    private String plan() {
        Consumer known = exchange.consumer();
        String plan = known == null ? null : known.plan();
        return plan == null ? "" : plan;
    }

    private static String would(Shadowed what) {
        return switch (what.outcome()) {
            case ANSWER -> "would answer " + what.status();
            case CHANGE -> "would change it";
            case EFFECT -> "would do this: " + what.reason();
            case REFUSAL -> "would refuse it";
            case FAILURE -> "would fail: " + what.failure();
            case TIMEOUT, UNSEEN -> "isn't shown it";
        };
    }

    private String run(Plugin plugin, int position) {
        RequestHead head = exchange.request();
        ByteBuffer body = exchange.requestBody();
        Target before = new Target(head.method(), head.path(), head.query());
        Map<String, List<String>> fields = fields(head);
        int transforms = exchange.transformsCount();
        boolean grpc = exchange.isGrpc();
        String target = exchange.target();
        String name = exchange.plan().chain().name(position);
        PluginConfig own = name.equals(SPLIT) ? written.apply(position) : null;
        String byChance = own == null ? null : Splits.byChance(Settings.of(own.settings()), exchange);
        if (byChance != null) {
            return byChance;
        }
        try {
            Outcome outcome = plugin.onRequest(exchange);
            while (outcome instanceof Outcome.Then then) {
                outcome = then.step().apply(exchange);
            }
            close(outcome);
            if (outcome instanceof Outcome.Refuse refuse) {
                answer = refuse.fault().status() + " by " + name;
                return "refuses with " + refuse.fault().status() + ", " + refuse.fault();
            }
            if (outcome instanceof Outcome.Respond respond) {
                answerStatus = respond.response().status();
                answer = answerStatus + " by " + name;
                return "answers " + told(respond, name);
            }
            PathFault refused = exchange.rewriteFault();
            if (refused != null) {
                answer = Fault.REWRITE_REFUSED.status() + ": " + name + " made a path that is refused";
                return "path " + before.path() + " → " + head.path() + ": refused, " + refused.text();
            }
            if (outcome instanceof Outcome.Suspend suspend) {
                suspend.next().thenAccept(PluginSteps::close);
                return "suspends: taken to continue";
            }
        } catch (Exception e) {
            answer = "500: " + name + " fails";
            return "fails: " + e;
        }
        List<String> changes =
                changes(before, new Target(head.method(), head.path(), head.query()), fields, fields(head));
        if (!exchange.requestBody().equals(body)) {
            changes.add("body of " + exchange.requestBody().remaining() + " bytes");
        }
        if (exchange.transformsCount() > transforms) {
            changes.add("transforms the body");
        }
        if (exchange.isGrpc() && !grpc) {
            changes.add("makes it a call of gRPC");
        }
        if (!Objects.equals(exchange.target(), target)) {
            changes.add("sends it to proxy-pass " + exchange.target());
        }
        if (changes.isEmpty() && name.equals(SPLIT) && target == null) {
            return "lets it pass; sends others to proxy-pass " + String.join(", ", plugin.targets());
        }
        return changes.isEmpty() ? "changes nothing" + later(position) : String.join("; ", changes);
    }

    /** The status, where it sends to, and why. */
    private static String told(Outcome.Respond respond, String name) {
        Response response = respond.response();
        StringBuilder told = new StringBuilder().append(response.status());
        for (Field field : response.fields()) {
            if (field.name().equals(LOCATION)) {
                told.append(", ").append(field);
            }
        }
        Reason reason = respond.reason();
        if (reason != null) {
            String text = reason.text();
            told.append(", ").append(text.startsWith(name + ": ") ? text.substring(name.length() + 2) : text);
        }
        return told.toString();
    }

    /** What a plugin that lets the request pass as it is will see besides. */
    private String later(int position) {
        Chain chain = exchange.plan().chain();
        List<String> sees = new ArrayList<>();
        if (isIn(chain.requestChunks(), position)) {
            sees.add("its body");
        }
        if (isIn(chain.response(), position) || isIn(chain.responseChunks(), position)) {
            sees.add("the response");
        }
        if (isIn(chain.end(), position)) {
            sees.add("the end");
        }
        return sees.isEmpty() ? "" : " of the request; sees " + String.join(" and ", sees);
    }

    private static boolean isIn(Phase phase, int position) {
        for (int index = 0; index < phase.count(); index++) {
            if (phase.position(index) == position) {
                return true;
            }
        }
        return false;
    }

    /** Nobody takes the file, or the stream, that it may answer with. */
    private static void close(@Nullable Outcome outcome) {
        Response response = outcome instanceof Outcome.Respond respond ? respond.response() : null;
        FileBody file = response == null ? null : response.file();
        if (file != null) {
            file.close();
        }
        StreamBody stream = response == null ? null : response.stream();
        if (stream != null && stream.take()) {
            stream.close(null);
        }
    }

    private record Target(
            String method, String path, @Nullable String query) {}

    private static Map<String, List<String>> fields(RequestHead head) {
        Map<String, List<String>> fields = new LinkedHashMap<>();
        for (String name : head.names()) {
            fields.put(name, head.values(FieldName.of(name)));
        }
        return fields;
    }

    private static List<String> changes(
            Target before,
            Target after,
            Map<String, List<String>> fieldsBefore,
            Map<String, List<String>> fieldsAfter) {
        List<String> changes = new ArrayList<>();
        if (!before.method().equals(after.method())) {
            changes.add("method " + before.method() + " → " + after.method());
        }
        if (!before.path().equals(after.path())) {
            changes.add("path " + before.path() + " → " + after.path());
        }
        if (!Objects.equals(before.query(), after.query())) {
            changes.add("query " + shown(before.query()) + " → " + shown(after.query()));
        }
        Set<String> names = new LinkedHashSet<>(fieldsBefore.keySet());
        names.addAll(fieldsAfter.keySet());
        for (String name : names) {
            List<String> now = fieldsAfter.get(name);
            if (now == null) {
                changes.add("removes " + name);
            } else if (!now.equals(fieldsBefore.get(name))) {
                changes.add("sets " + name + ": " + String.join(", ", now));
            }
        }
        return changes;
    }

    private static String shown(@Nullable String query) {
        return query == null ? "none" : "?" + query;
    }
}
