package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Warns of plugins that stand in an order in which they can't do what they are for: what goes by the consumer before anybody can have found out who that is,
 * and {@code cors} behind a plugin that refuses what browsers ask before. Shows {@link PlanCheck} and {@link HiddenKeyCheck} each limit and what comes before it. Goes all ways that
 * requests may take: server, router, route, the routers and routes within it, proxy-pass.
 */
final class OrderCheck {
    private static final String CORS = "cors";
    private static final Pattern LITERAL = Pattern.compile("'[^']*'|\"[^\"]*\"");
    private static final Pattern CONSUMER = Pattern.compile("\\bconsumer\\b");

    private final Json root;
    private final ConfigSchema schema;
    private final Map<String, Json> routers = new HashMap<>();
    private final Map<String, Json> passes = new HashMap<>();
    private final Set<Visit> visited = new HashSet<>();
    /** What goes by the consumer, and whether it may be known there on any way. */
    private final IdentityHashMap<Json, Boolean> asking = new IdentityHashMap<>();

    private final PlanCheck plans = new PlanCheck();
    private final HiddenKeyCheck hiddenKeys = new HiddenKeyCheck();
    /** Settings of {@code cors}, and the name of what refuses preflights before they get there. */
    private final IdentityHashMap<Json, String> behind = new IdentityHashMap<>();

    /**
     * What a request has passed.
     *
     * @param finders settings of those that may have found its consumer
     * @param guard what refuses preflights, as they come without credentials; null where nothing does
     * @param cors whether {@code cors} has answered them before
     */
    private record Passed(List<Json> finders, @Nullable String guard, boolean cors) {
        static final Passed NOTHING = new Passed(List.of(), null, false);

        Passed with(Json settings, PluginRole role) {
            String name = settings.step();
            if (isShadow(settings)) {
                return this;
            }
            boolean guards =
                    role.findsConsumer() && settings.get(PluginFrame.WHEN) == null && !settings.flag("optional", false);
            List<Json> found = finders;
            if (role.mayFindConsumer() && !finders.contains(settings)) {
                found = new ArrayList<>(finders);
                found.add(settings);
            }
            return new Passed(found, guard == null && guards && !cors ? name : guard, cors || name.equals(CORS));
        }
    }

    /** A router or proxy-pass that was gone through; again it says nothing new. */
    private record Visit(Json holder, Passed before) {}

    OrderCheck(Json root, ConfigSchema schema) {
        this.root = root;
        this.schema = schema;
        root.itemsOf("router").forEach(router -> routers.put(router.text("id", ""), router));
        root.itemsOf("proxy-pass").forEach(pass -> passes.put(pass.text("id", ""), pass));
    }

    /** About a tree in which no problem was found. */
    void warn(Problems warnings) {
        Map<String, Json> servers = new HashMap<>();
        IdCheck.servers(root).forEach(server -> servers.put(server.text("id", ""), server));
        for (Json router : root.itemsOf("router")) {
            Json server = servers.get(router.text(SubRouterCheck.SERVER, ""));
            if (server != null) {
                router(router, pass(server, Passed.NOTHING));
            }
        }
        asking.forEach((at, known) -> {
            if (!known) {
                warnings.value(
                        at,
                        "a plugin before it that finds the consumer, such as key-auth; none can have found one here");
            }
        });
        plans.warn(warnings);
        hiddenKeys.warn(warnings);
        behind.forEach((cors, guard) -> warnings.key(
                cors,
                Json.quoted(CORS) + " behind " + Json.quoted(guard),
                "before it; browsers ask without credentials whether they may send a request, and are refused here",
                null));
    }

    private void router(Json router, Passed before) {
        if (!visited.add(new Visit(router, before))) {
            return;
        }
        Passed here = pass(router, before);
        for (String known : RoutesJson.passes(router)) {
            target(known, here);
        }
        for (Json route : RoutesJson.unknown(router)) {
            Passed passed = pass(route, here);
            Json within = routers.get(route.text(SubRouterCheck.KEY, ""));
            if (within == null) {
                target(route.text("proxy-pass-id", ""), passed);
            } else {
                router(within, passed);
            }
        }
    }

    private void target(String passId, Passed passed) {
        Json target = passes.get(passId);
        if (target != null && visited.add(new Visit(target, passed))) {
            pass(target, passed);
        }
    }

    /** Shows a request to the plugins that are written there. */
    private Passed pass(Json holder, Passed before) {
        Json plugins = holder.get("plugin");
        Passed passed = before;
        for (Json settings :
                plugins == null ? List.<Json>of() : plugins.members().values()) {
            if (!settings.flag("enable", true)) {
                continue;
            }
            for (Json at : asking(settings)) {
                asking.merge(at, !passed.finders.isEmpty(), Boolean::logicalOr);
            }
            plans.see(settings, passed.finders);
            hiddenKeys.see(settings, passed.finders);
            if (settings.step().equals(CORS) && passed.guard != null && !isShadow(settings)) {
                behind.putIfAbsent(settings, passed.guard);
            }
            passed = passed.with(settings, schema.role(settings.step()));
        }
        return passed;
    }

    private static boolean isShadow(Json settings) {
        return settings.text(PluginFrame.MODE, "").equals(PluginFrame.SHADOW);
    }

    /** What of a plugin's settings goes by the consumer while the request comes to it. */
    private List<Json> asking(Json settings) {
        String name = settings.step();
        List<Json> found = new ArrayList<>();
        Json when = settings.get(PluginFrame.WHEN);
        Json ofRequest = settings.get("request");
        boolean sees = schema.role(name).seesRequests() && (!name.equals("headers") || ofRequest != null);
        if (when != null && sees && asks(when)) {
            found.add(when);
        }
        if (name.equals("rate-limit") || name.equals("concurrency-limit") || name.equals("traffic-split")) {
            for (Json by : settings.itemsOrSelfOf("by")) {
                Json expression = by.get("expression");
                if (by.text().equals("consumer")) {
                    found.add(by);
                } else if (expression != null && asks(expression)) {
                    found.add(expression);
                }
            }
            if (!settings.itemsOf("plans").isEmpty()) {
                found.add(settings.at("/plans"));
            }
        }
        Json templates = name.equals("headers") && ofRequest != null ? ofRequest.get("set-template") : null;
        for (Json template :
                templates == null ? List.<Json>of() : templates.members().values()) {
            if (template.text().contains("{consumer}")) {
                found.add(template);
            }
        }
        return found;
    }

    private static boolean asks(Json expression) {
        return CONSUMER.matcher(LITERAL.matcher(expression.text()).replaceAll("''"))
                .find();
    }
}
