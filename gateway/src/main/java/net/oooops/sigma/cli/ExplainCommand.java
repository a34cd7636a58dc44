package net.oooops.sigma.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import net.oooops.sigma.bolt.BoltListenerPlan;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.proxy.HttpListenerPlan;
import net.oooops.sigma.proxy.RoutePlan;
import net.oooops.sigma.route.Explanation;
import net.oooops.sigma.snapshot.GatewayPlan;
import net.oooops.sigma.tcp.TcpListenerPlan;
import net.oooops.sigma.udp.UdpListenerPlan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma explain}: which way a request takes, or why it finds none. Nothing is sent. */
final class ExplainCommand implements Command {
    /** A host with a port, a path or a dot in its name; a method has none of these. */
    private static final Pattern AUTHORITY = Pattern.compile("[\\w\\[][^/?#]*[.:\\]/?][^\\s]*");

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Help.command(
                "explain",
                "Explain the way of a request.",
                "Prints the listener, router, route, plugins, proxy-pass and upstream that it takes and the path that is sent,",
                "or, with exit code 1, why each candidate didn't match. Plugins are run, but for those that block;",
                "nothing is sent. Of a TCP or UDP server's port, which way its sessions take. Of a Bolt server's, with",
                "CALL bolt://host:port/class.Name, and its header's keys given with -H: which way the call takes.");
        spec.addPositional(Help.word(0, "METHOD")
                .arity("0..1")
                .required(false)
                .description("Such as GET, which a URL alone means; CALL for Bolt.")
                .build());
        spec.addPositional(Help.word(1, "URL")
                .arity("0..1")
                .required(false)
                .description("http://host[:port]/path, or bolt://host:port/class; the port names the listener.")
                .build());
        spec.addOption(Conf.option("The sigma.json to ask. Without: the one embedded in `sigma run`."));
        spec.addOption(PluginsFolder.option());
        spec.addOption(OptionSpec.builder("-H", "--header")
                .type(List.class)
                .auxiliaryTypes(String.class)
                .paramLabel("'Name: value'")
                .arity("1")
                .description("A header line of the request; may be given several times.")
                .build());
        AskedClient.options(spec);
        return spec;
    }

    @Override
    public int run(ParseResult words, Console console) throws Failure {
        String first = words.matchedPositionalValue(0, "");
        boolean alone = !words.hasMatchedPositional(1);
        requireMethod(first);
        requireScheme(alone ? first : words.matchedPositionalValue(1, ""));
        if (alone && !first.contains("://")) {
            String url = "http://host[:port]" + (first.startsWith("/") ? first : "/path");
            String method = first.isEmpty() ? "GET" : first;
            String expected = first.startsWith("/") ? url + ", or a method before it" : method + " " + url;
            throw new Failure(Exit.USAGE, "URL: missing (expected: " + expected + ")");
        }
        String method = alone ? "GET" : first;
        String url = alone ? first : words.matchedPositionalValue(1, "");
        AskedCall call = AskedCall.of(method, url, words.matchedOptionValue("-H", List.of()));
        if (call != null) {
            return run(call, words, console);
        }
        AskedRequest request = AskedRequest.of(method, url, words.matchedOptionValue("-H", List.of()));
        AskedClient client = AskedClient.of(words, request.authority());
        PluginCatalog plugins = PluginsFolder.catalog(PluginsFolder.of(words));
        Setup setup = setup(words, console, plugins);
        try (var snapshot = setup.snapshot()) {
            ExplainText text = text(setup, plugins);
            text.request(request);
            whichFile(words, text);
            boolean taken = explain(request, client, snapshot.plan(), text);
            console.out().print(setup.secrets().hide(text.toString()));
            return taken ? Exit.OK : Exit.PROBLEMS;
        }
    }

    private static void requireMethod(String first) throws Failure {
        if (!first.contains("://") && first.matches("(?i)[^/].*\\.(json|ya?ml)")) {
            throw new Failure(Exit.USAGE, "METHOD: " + first + " (expected: -conf " + first + ")");
        }
    }

    private static void requireScheme(String url) throws Failure {
        if (!url.contains("://") && AUTHORITY.matcher(url).matches()) {
            throw new Failure(Exit.USAGE, "URL: " + url + " (did you mean http://" + url + "?)");
        }
    }

    private static int run(AskedCall call, ParseResult words, Console console) throws Failure {
        PluginCatalog plugins = PluginsFolder.catalog(PluginsFolder.of(words));
        Setup setup = setup(words, console, plugins);
        try (var snapshot = setup.snapshot()) {
            ExplainText text = text(setup, plugins);
            text.call(call);
            whichFile(words, text);
            boolean taken = explain(call, AskedClient.of(words, call.authority()), snapshot.plan(), text);
            console.out().print(setup.secrets().hide(text.toString()));
            return taken ? Exit.OK : Exit.PROBLEMS;
        }
    }

    private static ExplainText text(Setup setup, PluginCatalog plugins) {
        return new ExplainText(setup.config(), plugins.composedSchema()::findsConsumer);
    }

    /** Who forgot it would take what is said for that of the own file. */
    private static void whichFile(ParseResult words, ExplainText text) {
        if (Conf.of(words).isEmpty()) {
            text.line("file", "none, the built-in configuration (-conf FILE for another)");
        }
    }

    private static Setup setup(ParseResult words, Console console, PluginCatalog plugins) throws Failure {
        List<Path> files = Conf.of(words);
        if (files.isEmpty()) {
            return Setup.read(Embedded.NAME, Embedded.usual().json(), plugins);
        }
        try (FilesOfStart reading = FilesOfStart.told("the explanation")) {
            return Setup.read(Conf.written(files, console.in()), plugins, reading);
        }
    }

    private static boolean explain(AskedCall call, AskedClient client, GatewayPlan plan, ExplainText text) {
        for (TcpListenerPlan each : plan.tcp().listeners()) {
            if (each.listener().port() == call.port()) {
                return text.sessions(each, client);
            }
        }
        for (BoltListenerPlan each : plan.bolt().listeners()) {
            if (each.listener().port() == call.port()) {
                return text.call(each, call);
            }
        }
        text.noListener(call.port());
        return false;
    }

    private static boolean explain(AskedRequest request, AskedClient client, GatewayPlan plan, ExplainText text)
            throws Failure {
        Boolean leads = sessions(request, client, plan, text);
        if (leads != null) {
            return leads;
        }
        for (BoltListenerPlan each : plan.bolt().listeners()) {
            if (each.listener().port() == request.port()) {
                text.calls(each);
                return false;
            }
        }
        HttpListenerPlan listener = listener(request, plan);
        if (listener == null) {
            text.noListener(request.port());
            return false;
        }
        text.listener(listener.listener(), request.port());
        if ((listener.tls() != null) != request.secure()) {
            text.answer(request.secure() ? "none: it speaks plain HTTP" : "400: it speaks https");
            return false;
        }
        if (!request.secure()) {
            client.requireNoHandshake();
        }
        TlsConfig tls = listener.listener().tls();
        text.assumed(client.assumed(tls));
        String refused = tls == null ? null : client.refusedBy(tls);
        if (refused != null) {
            text.answer(refused);
            return false;
        }
        DryRun dryRun = new DryRun(listener.unrouted());
        dryRun.from(tls == null ? client : client.seenBy(tls));
        String refusal = dryRun.read(
                request, listener.listener().limits(), listener.routes().takesConnect());
        if (refusal != null) {
            text.answer(refusal);
            return false;
        }
        String path = dryRun.request().path();
        Explanation<RoutePlan> explanation = dryRun.route(listener.routes());
        return text.found(path, explanation, dryRun);
    }

    /** Where its port is that of sessions, of TCP, of UDP, or of both: whether they lead somewhere. Null where it isn't. */
    private static @Nullable Boolean sessions(
            AskedRequest request, AskedClient client, GatewayPlan plan, ExplainText text) {
        Boolean leads = null;
        for (TcpListenerPlan each : plan.tcp().listeners()) {
            if (each.listener().port() == request.port()) {
                leads = text.sessions(each, client);
            }
        }
        for (UdpListenerPlan each : plan.udp().listeners()) {
            if (each.listener().port() == request.port()) {
                text.sessions(each);
                leads = true;
            }
        }
        return leads;
    }

    private static @Nullable HttpListenerPlan listener(AskedRequest request, GatewayPlan plan) {
        List<HttpListenerPlan> listeners = plan.http().listeners();
        for (HttpListenerPlan each : listeners) {
            if (each.listener().port() == request.port()) {
                return each;
            }
        }
        return listeners.size() == 1
                        && plan.tcp().listeners().isEmpty()
                        && plan.udp().listeners().isEmpty()
                        && plan.bolt().listeners().isEmpty()
                ? listeners.getFirst()
                : null;
    }
}
