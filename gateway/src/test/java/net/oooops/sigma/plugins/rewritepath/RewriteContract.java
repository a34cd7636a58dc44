package net.oooops.sigma.plugins.rewritepath;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http1.WholeHead;
import net.oooops.sigma.proxy.Identity;
import net.oooops.sigma.proxy.RequestValidation;
import net.oooops.sigma.route.PathNormalizer;
import net.oooops.sigma.testkit.TestContext;

/**
 * What holds for every path that a client may send and every rule: what leaves would be taken from a client as it is, and where the
 * path as routes see it fits the rule, it begins with what the rule puts there; or the request is refused.
 */
final class RewriteContract {
    private static final Pattern PARAMETERS = Pattern.compile(";[^/]*");

    private record Rule(Pattern regexp, String target, Plugin plugin) {
        static Rule of(String regexp, String replacement) {
            Plugin plugin = new RewritePathFactory()
                    .create(Settings.of(Map.of("regexp", regexp, "replacement", replacement)), new TestContext());
            String head = replacement.replaceFirst("\\$.*", "");
            return new Rule(Pattern.compile(regexp), head.startsWith("/") ? head : "/" + head, plugin);
        }
    }

    private static final List<Rule> RULES = List.of(
            Rule.of("^/pre", ""),
            Rule.of("^/pre", "/"),
            Rule.of("^/pre", "/app"),
            Rule.of("^/r/(.*)", "/app/$1"),
            Rule.of("^/r(/.*)$", "/app$1"),
            Rule.of("^/r/?(.*)", "/app/$1"),
            Rule.of("^/a/b", "/app/"),
            Rule.of("^/a/b/(.*)", "/$1"),
            Rule.of("^/(?:pre|r)/(.+)$", "/app/$1"),
            Rule.of("^/([^/]*)/(.*)", "/app/$2/$1"),
            Rule.of("^/r(.*)%25(.*)", "/app/$1%25$2"),
            Rule.of("^/r.*?(%).*?25(.*)", "/app/$1$2"),
            Rule.of("^/(.*)x", "/app/.$1"));

    /** What came of paths under all the rules. */
    static final class Tally {
        int taken;
        int rewritten;
        int refused;
    }

    private RewriteContract() {}

    /** Sends a path through all rules. */
    static void check(byte[] path, Tally tally) {
        for (Rule rule : RULES) {
            check(rule, path, tally);
        }
    }

    private static void check(Rule rule, byte[] raw, Tally tally) {
        HttpRequestHead head = new HttpRequestHead();
        RequestValidation validation = new RequestValidation(new PathNormalizer(), Identity.random(), 5, false);
        String written = new String(raw, ISO_8859_1);
        boolean oneLine = written.startsWith("/") && written.chars().noneMatch(c -> c <= ' ' || c == '?');
        if (!oneLine
                || WholeHead.readRequest(request(written), head, Limits.DEFAULT) != null
                || validation.validate(head) != RequestValidation.Result.VALID) {
            return;
        }
        tally.taken++;
        String path = head.path();
        run(rule.plugin(), head);
        if (validation.validateRewritten(head) != null) {
            tally.refused++;
            return;
        }
        String sent = head.path();
        byte[] again = sent.getBytes(US_ASCII);
        PathNormalizer normalizer = new PathNormalizer();
        int length = normalizer.normalize(again, 0, again.length);
        boolean same = length == again.length && new String(normalizer.bytes(), 0, length, US_ASCII).equals(sent);
        hold(same, "taken from a client as it is", rule, path, sent);
        boolean fits =
                rule.regexp().matcher(PARAMETERS.matcher(path).replaceAll("")).find();
        hold(fits || sent.equals(path), "left alone where it doesn't fit", rule, path, sent);
        hold(!fits || sent.startsWith(rule.target()), "stays where the rule leads", rule, path, sent);
        tally.rewritten += fits ? 1 : 0;
    }

    private static byte[] request(String path) {
        return ("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n").getBytes(ISO_8859_1);
    }

    private static void run(Plugin plugin, HttpRequestHead head) {
        Exchange exchange = (Exchange) Proxy.newProxyInstance(
                RewriteContract.class.getClassLoader(), new Class<?>[] {Exchange.class}, (_, method, _) -> {
                    if (method.getName().equals("request")) {
                        return head;
                    }
                    throw new AssertionError(method + " (expected: request)");
                });
        try {
            plugin.onRequest(exchange);
        } catch (Exception e) {
            throw new AssertionError(head.path(), e);
        }
    }

    private static void hold(boolean condition, String what, Rule rule, String path, String sent) {
        if (!condition) {
            throw new AssertionError(what + ": " + rule.regexp() + " made " + sent + " of " + path);
        }
    }
}
