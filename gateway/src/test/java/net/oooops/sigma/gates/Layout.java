package net.oooops.sigma.gates;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which package may know which. Dependencies go down these ranks, never up or across:
 *
 * <pre>
 * cli → control → Sigma, acme, admin, health, ocsp → snapshot → the roads, siblings → runtime → the stages, siblings → http, redis → epoll, names, ring, tls
 * → channel, config, time → api, ask, certificate, memory
 * </pre>
 */
final class Layout {

    static final String ROOT = "net.oooops.sigma";

    private static final Set<String> STAGES =
            Set.of("listen", "http1", "http2", "route", "plugin", "balance", "upstream", "observe");
    private static final Set<String> ROADS = Set.of("proxy", "tcp", "udp", "bolt");

    /** Rank of each package below the root (subpackages count with theirs); the root package itself is "". */
    private static final Map<String, Integer> RANKS = Map.ofEntries(
            Map.entry("cli", 10),
            Map.entry("control", 9),
            Map.entry("acme", 8),
            Map.entry("admin", 8),
            Map.entry("health", 8),
            Map.entry("ocsp", 8),
            Map.entry("", 8),
            Map.entry("snapshot", 7),
            Map.entry("runtime", 5),
            Map.entry("epoll", 2),
            Map.entry("names", 2),
            Map.entry("ring", 2),
            Map.entry("tls", 2),
            Map.entry("memory", 0),
            Map.entry("http", 3),
            Map.entry("redis", 3),
            Map.entry("channel", 1),
            Map.entry("config", 1),
            Map.entry("time", 1),
            Map.entry("ask", 0),
            Map.entry("api", 0),
            Map.entry("certificate", 0));

    private static final int STAGE_RANK = 4;
    private static final int ROAD_RANK = 6;

    /** Classes of the data plane's packages that run on threads of their own, and why they may wait there. */
    static final Map<String, String> MAY_WAIT = Map.of(
            "net.oooops.sigma.observe.LogWriter",
            "the access log's own thread writes to disks, and is waited for at the end",
            "net.oooops.sigma.observe.LogFile",
            "on that thread, it waits a moment for another process that writes the same file");

    private static final Map<String, Set<String>> WAITS = Map.ofEntries(
            Map.entry("java.lang.Thread", Set.of("sleep", "join")),
            Map.entry("java.lang.Object", Set.of("wait")),
            Map.entry("java.util.concurrent.TimeUnit", Set.of("sleep", "timedJoin", "timedWait")),
            Map.entry("java.util.concurrent.locks.LockSupport", Set.of("park", "parkNanos", "parkUntil")),
            Map.entry("java.util.concurrent.locks.Lock", Set.of("lock", "lockInterruptibly")),
            Map.entry(
                    "java.util.concurrent.locks.Condition",
                    Set.of("await", "awaitNanos", "awaitUntil", "awaitUninterruptibly")),
            Map.entry("java.util.concurrent.Future", Set.of("get")),
            Map.entry("java.util.concurrent.CompletableFuture", Set.of("get", "join")),
            Map.entry("java.util.concurrent.CountDownLatch", Set.of("await")),
            Map.entry("java.util.concurrent.CyclicBarrier", Set.of("await")),
            Map.entry("java.util.concurrent.Semaphore", Set.of("acquire", "acquireUninterruptibly")),
            Map.entry("java.util.concurrent.BlockingQueue", Set.of("take", "put")),
            Map.entry(
                    "java.util.concurrent.ExecutorService",
                    Set.of("awaitTermination", "close", "invokeAll", "invokeAny")),
            Map.entry(
                    "io.netty.util.concurrent.Future",
                    Set.of("get", "sync", "syncUninterruptibly", "await", "awaitUninterruptibly")),
            Map.entry("io.vertx.core.Future", Set.of("await")));

    /** Which plugin sees which libraries. */
    private static final Map<String, List<String>> PLUGIN_LIBRARIES = Map.of(
            "authentication",
            List.of("org.bouncycastle.crypto", "com.fasterxml.jackson.core"),
            "compression",
            List.of("com.aayushatharva.brotli4j", "com.github.luben.zstd"));

    private Layout() {}

    /** Whether a package is of the data plane: the road of a request, from listen to observe. */
    static boolean isOnRoad(String packageName) {
        String name = nameOf(packageName);
        return STAGES.contains(name)
                || ROADS.contains(name)
                || name.equals("runtime")
                || name.equals("http")
                || name.equals("memory")
                || name.equals("channel")
                || name.equals("epoll")
                || name.equals("names")
                || name.equals("ring")
                || name.equals("tls")
                || name.equals("plugins");
    }

    /** Every rule on classes, by name. */
    static Map<String, ArchRule> rules() {
        return Map.of(
                "direction", direction(),
                "no cycles",
                        slices().matching(ROOT + ".(**)")
                                .should()
                                .beFreeOfCycles()
                                .allowEmptyShould(true),
                "testable without a socket", withoutSocket(),
                "data plane knows no control", roadWithoutControl(),
                "plugins see api and themselves", plugins(),
                "api sees the JDK", api(),
                "testkit sees api", testkit(),
                "data plane does not wait", noWaiting());
    }

    /** Down the ranks only. Plugins are found with ServiceLoader, so nobody knows them. A package without a rank has to be given one. */
    private static ArchRule direction() {
        return ArchRuleDefinition.classes()
                .that(isGateway())
                .should(haveOnlyDependencies("depend only on lower ranks of the layout", Layout::goesDown))
                .allowEmptyShould(true);
    }

    private static ArchRule withoutSocket() {
        return noClasses()
                .that(inPackages("route", "balance", "config"))
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.netty.channel..", "io.vertx.."))
                .allowEmptyShould(true);
    }

    private static ArchRule roadWithoutControl() {
        return noClasses()
                .that(describe("are in the data plane", type -> isOnRoad(type.getPackageName())))
                .should()
                .dependOnClassesThat(inPackages("control", "admin", "health", "cli"))
                .allowEmptyShould(true);
    }

    private static ArchRule plugins() {
        return ArchRuleDefinition.classes()
                .that(resideInAPackage(ROOT + ".plugins.."))
                .should(haveOnlyDependencies("see only api, themselves, JDK and SLF4J", Layout::isPluginDependency))
                .allowEmptyShould(true);
    }

    private static ArchRule api() {
        return ArchRuleDefinition.classes()
                .that(resideInAPackage(ROOT + ".api.."))
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(ROOT + ".api..", "java..", "javax.security.auth.x500..", "org.jspecify.."));
    }

    private static ArchRule testkit() {
        return noClasses()
                .that(resideInAPackage(ROOT + ".testkit.."))
                .should()
                .dependOnClassesThat(isGateway().and(DescribedPredicate.not(resideInAPackage(ROOT + ".api.."))))
                .allowEmptyShould(true);
    }

    /** What is called is looked at with its types, so that {@code Optional.get()} is not taken for a future's. */
    private static ArchRule noWaiting() {
        return ArchRuleDefinition.classes()
                .that(describe("are in the data plane", type -> isOnRoad(type.getPackageName())))
                .should(new ArchCondition<JavaClass>("not wait") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        if (!MAY_WAIT.containsKey(type.getFullName())) {
                            type.getAccessesFromSelf().stream()
                                    .filter(Layout::waits)
                                    .forEach(access ->
                                            events.add(SimpleConditionEvent.violated(access, access.getDescription())));
                        }
                    }
                })
                .allowEmptyShould(true);
    }

    /** A method that Sigma declares is not a wait by its name: its own body is looked at. */
    private static boolean waits(JavaAccess<?> access) {
        if (access.getTarget().resolveMember().stream()
                .anyMatch(member -> member.getOwner().getPackageName().startsWith(ROOT))) {
            return false;
        }
        return WAITS.entrySet().stream()
                .anyMatch(entry -> entry.getValue().contains(access.getName())
                        && access.getTargetOwner().isAssignableTo(entry.getKey()));
    }

    private static boolean goesDown(Dependency dependency) {
        JavaClass to = outermost(dependency.getTargetClass());
        if (!to.getPackageName().startsWith(ROOT)) {
            return true;
        }
        String from = nameOf(dependency.getOriginClass().getPackageName());
        String target = nameOf(to.getPackageName());
        if (from.equals(target)) {
            return true;
        }
        return !target.equals("plugins") && rank(from) > rank(target);
    }

    private static boolean isPluginDependency(Dependency dependency) {
        JavaClass to = outermost(dependency.getTargetClass());
        String from = dependency.getOriginClass().getPackageName();
        String own = pluginPackage(from);
        String target = to.getPackageName();
        return to.isPrimitive()
                || List.of(
                                "java.",
                                "javax.crypto",
                                "javax.naming",
                                "javax.net.ssl",
                                "javax.security.auth.x500",
                                "org.slf4j",
                                "org.jspecify.",
                                ROOT + ".api")
                        .stream()
                        .anyMatch(target::startsWith)
                || (target + ".").startsWith(own + ".")
                || isPluginLibrary(own, target);
    }

    /** Libraries of one plugin alone. */
    private static boolean isPluginLibrary(String plugin, String target) {
        List<String> libraries =
                PLUGIN_LIBRARIES.getOrDefault(plugin.substring((ROOT + ".plugins.").length()), List.of());
        return libraries.stream().anyMatch(target::startsWith);
    }

    /** {@code net.oooops.sigma.plugins.cors.inner} is of {@code net.oooops.sigma.plugins.cors}. */
    private static String pluginPackage(String packageName) {
        int end = packageName.indexOf('.', (ROOT + ".plugins.").length());
        return end < 0 ? packageName : packageName.substring(0, end);
    }

    private static JavaClass outermost(JavaClass type) {
        return type.isArray() ? type.getBaseComponentType() : type;
    }

    private static int rank(String name) {
        if (STAGES.contains(name)) {
            return STAGE_RANK;
        }
        if (ROADS.contains(name)) {
            return ROAD_RANK;
        }
        Integer rank = name.equals("plugins") ? Integer.valueOf(1) : RANKS.get(name);
        if (rank == null) {
            throw new AssertionError(
                    "package " + ROOT + "." + name + " (expected: a rank in " + Layout.class.getName() + ")");
        }
        return rank;
    }

    /** First part below the root: {@code net.oooops.sigma.http1.codec} is of http1. */
    private static String nameOf(String packageName) {
        if (!packageName.startsWith(ROOT + ".")) {
            return "";
        }
        return packageName.substring(ROOT.length() + 1).split("\\.", 2)[0];
    }

    private static DescribedPredicate<JavaClass> isGateway() {
        return describe(
                "are of the gateway or api",
                type -> (type.getPackageName() + ".").startsWith(ROOT + ".")
                        && !Set.of("testkit", "lab", "gates").contains(nameOf(type.getPackageName())));
    }

    private static DescribedPredicate<JavaClass> inPackages(String... names) {
        return describe(
                "reside in " + List.of(names),
                type -> type.getPackageName().startsWith(ROOT + ".")
                        && Set.of(names).contains(nameOf(type.getPackageName())));
    }

    private static ArchCondition<JavaClass> haveOnlyDependencies(String description, Predicate<Dependency> allowed) {
        return new ArchCondition<>(description) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                type.getDirectDependenciesFromSelf().stream()
                        .filter(dependency -> !allowed.test(dependency))
                        .forEach(dependency ->
                                events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription())));
            }
        };
    }
}
