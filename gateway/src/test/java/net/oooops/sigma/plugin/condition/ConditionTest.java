package net.oooops.sigma.plugin.condition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.sun.management.ThreadMXBean;
import io.netty.pkitesting.CertificateBuilder;
import java.lang.management.ManagementFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.ClientCertificate;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Metadata;
import net.oooops.sigma.api.Tls;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Expressions: what they say of an exchange, and what can't be said. */
class ConditionTest {
    private static TestExchange request() {
        TestExchange request = TestExchange.of(
                        "POST",
                        "/api/orders;v=1/7?debug=1&%6eame=a+b%2Fc&flag&debug=2&half=%4",
                        "Host: Shop.Example.COM.:8443",
                        "X-Debug: 1",
                        "X-List: a",
                        "X-List: b",
                        "Cookie: a=1",
                        "Cookie: b=2")
                .withScheme("https")
                .withAddresses("10.1.2.3", "127.0.0.1")
                .withTls(new Tls("TLSv1.3", "h2", "shop.example.com", List.of()));
        request.value(Key.METADATA, Metadata.of(Map.of("team", "orders", "tier", 2)));
        return request;
    }

    private static boolean holds(String text) throws Exception {
        return Condition.compile(text).holds(request());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "request.method == 'POST' && request.path.startsWith('/api/')",
                "request.scheme == 'https'",
                "request.host == 'shop.example.com'",
                "request.path == '/api/orders/7'",
                "request.query.startsWith('debug=1&')",
                "request.params['debug'] == '1'",
                "request.params['name'] == 'a b/c'",
                "request.params['half'] == '%4'",
                "'flag' in request.params && request.params['flag'] == ''",
                "!('none' in request.params) && request.params['none'] == ''",
                "request.headers['x-debug'] == '1' && request.headers['X-Debug'] == '1'",
                "request.headers['x-list'] == 'a, b'",
                "request.headers['cookie'] == 'a=1; b=2'",
                "'x-debug' in request.headers && !('x-none' in request.headers)",
                "request.headers['x-none'] == ''",
                "client.address.inNet('10.0.0.0/8')",
                "client.address.inNet(['192.168.0.0/16', '10.1.2.3'])",
                "inNet(client.address, '10.0.0.0/8') && inNet(client.address, ['::/0', '10.0.0.0/8'])",
                "!client.address.inNet('10.1.2.4')",
                "route.id == 'test-route'",
                "route.metadata['team'] == 'orders' && 'team' in route.metadata",
                "route.metadata['tier'] == '2' && int(route.metadata['tier']) > 1",
                "route.metadata['none'] == '' && !('none' in route.metadata)",
                "tls.version == 'TLSv1.3' && tls.protocol == 'h2' && tls.host == 'shop.example.com'",
                "client.certificate.subject == '' && client.certificate.fingerprint == ''",
                "consumer.id == ''",
                "response.status == 0",
                "request.path.matches('^/api/[a-z]+/[0-9]+$')",
                "matches(request.path, 'orders')",
                "['GET', 'POST'].exists(m, m == request.method)",
                "request.method in ['GET', 'POST']",
                "size(request.path) > 3 && request.path.endsWith('7') && request.path.contains('/orders/')",
                "request.method == 'GET' ? false : true",
                "1 / 0 == 1 || true"
            })
    void whatHolds(String text) throws Exception {
        assertThat(holds(text)).isTrue();
        assertThat(holds("!(" + text + ")")).isFalse();
    }

    @Test
    void aRouteWithoutMetadataHasNoneOfIt() throws Exception {
        TestExchange plain = TestExchange.of("GET", "/");
        assertThat(Condition.compile("route.metadata['team'] == '' && !('team' in route.metadata)")
                        .holds(plain))
                .isTrue();
    }

    @Test
    void aResponseIsAskedForWhereThereIsOne() {
        assertThat(Condition.compile("response.status >= 500").asksForResponse())
                .isTrue();
        assertThat(Condition.compile("request.method == 'GET'").asksForResponse())
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    request.metod == 'POST'              | character 1: undeclared reference to 'request'; known are request.method, request.scheme
                    consumer.name == 'a'                 | character 1: undeclared reference to 'consumer'; known are
                    request.method == 1                  | character 16: found no matching overload for '_==_'
                    request.path                         | character 8: expected type 'bool' but found 'string'
                    request.method ==                    | character 18: mismatched input '<EOF>'
                    request.method == 'a' && nope(1)     | character 30: undeclared reference to 'nope'
                    request.path.startswith('/a')        | character 24: undeclared reference to 'startswith'; did you mean startsWith?
                    request.headers.foo == 'x'           | character 16: type 'headers' does not support field selection
                    request.headers[request.path] == ''  | character 24: expected the name of a field, in quotes
                    request.headers['a b'] == ''         | character 17: expected the name of a field
                    request.path.matches('(a')           | character 22: expected a regular expression of RE2 (missing closing )
                    request.path.matches('(?=a)')        | character 22: expected a regular expression of RE2
                    request.path.matches(request.query)  | character 29: expected a regular expression of RE2, in quotes
                    request.path.matches('(a{900}){9}')  | character 22: expected a regular expression of at most 2000 steps
                    client.address.inNet('10.0.0.1/8')   | character 22: expected no bits of the address beyond the prefix length
                    client.address.inNet(['10/8'])       | character 23: expected an IP address or a block of them
                    inNet(client.address, request.path)  | character 30: expected a block of addresses
                    request.path + request.path == ''    | character 14: found no matching overload for '_+_'
                    [1].map(x, x) == [1]                 | character 8: undeclared reference to 'map'
                    dyn(1) == 1                          | character 4: undeclared reference to 'dyn'
                    """)
    void whatCantBeUsedIsToldWithItsPlace(String text, String expected) {
        assertThatThrownBy(() -> Condition.compile(text))
                .isInstanceOfSatisfying(
                        UnfitException.class,
                        e -> assertThat(e.expected()).startsWith("an expression in CEL; " + expected));
    }

    @Test
    void theLineIsToldWhereThereAreSeveral() {
        assertThatThrownBy(() -> Condition.compile("request.method == 'GET'\n  && nope"))
                .hasMessageStartingWith("an expression in CEL; line 2, character 6: undeclared reference to 'nope'");
    }

    @Test
    void whatItCostsIsBounded() {
        assertThatThrownBy(() -> Condition.compile("true || " + "true || ".repeat(600) + "true"))
                .isInstanceOf(UnfitException.class)
                .hasMessageContaining("4096");
        assertThatThrownBy(() -> Condition.compile("(".repeat(2000) + "true" + ")".repeat(2000)))
                .isInstanceOf(UnfitException.class);
        String list = "[" + "1, ".repeat(40) + "1]";
        Condition nested = Condition.compile(list + ".all(a, " + list + ".all(b, a == b && request.method == 'POST'))");
        assertThatThrownBy(() -> nested.holds(request())).hasMessageContaining("iteration budget exceeded");
    }

    @Test
    void aCertificateIsWhatTheClientHasShown() throws Exception {
        X509Certificate certificate = new CertificateBuilder()
                .subject("CN=shop,O=Example")
                .setIsCertificateAuthority(true)
                .buildSelfSigned()
                .getCertificate();
        TestExchange exchange =
                TestExchange.of("GET", "/").withTls(new Tls("TLSv1.3", null, null, List.of(certificate)));
        String fingerprint = new ClientCertificate(certificate).fingerprint();
        String text = "client.certificate.subject == 'CN=shop,O=Example' && client.certificate.fingerprint == '"
                + fingerprint + "' && tls.protocol == '' && tls.host == ''";
        assertThat(Condition.compile(text).holds(exchange)).isTrue();
        assertThat(Condition.compile("client.certificate.subject == '' && tls.version == ''")
                        .holds(TestExchange.of("GET", "/")))
                .isTrue();
    }

    @Test
    void whatCantBeSaidIsAnError() {
        assertUndecided("int(request.params['name']) == 1", "character 4: bad format");
        assertUndecided("1 / int(request.params['debug'] == '1' ? '0' : '1') == 1", "character 3: divide by zero");
        assertUndecided("request.path.inNet('10.0.0.0/8')", "character 19: internal error");
        assertUndecided("{'a': '1'}[request.method] == '1'", "character 11: attribute not found");
    }

    /** Nothing of what the client sent is told. */
    private static void assertUndecided(String text, String expected) {
        assertThatThrownBy(() -> holds(text))
                .isInstanceOf(UndecidedException.class)
                .hasMessage(expected);
    }

    /** The library's program and no more: a text that is asked for, and a few objects. */
    @Test
    void anEvaluationAllocatesLittle() throws Exception {
        Condition condition = Condition.compile("request.method == 'POST' && request.path.startsWith('/api/')");
        TestExchange exchange = TestExchange.of("POST", "/api/orders", "Host: a");
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        boolean all = true;
        for (int i = 0; i < 20_000; i++) {
            all &= condition.holds(exchange);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 10_000; i++) {
            all &= condition.holds(exchange);
        }
        long bytes = (threads.getCurrentThreadAllocatedBytes() - before) / 10_000;
        assertThat(all).isTrue();
        assertThat(bytes).isLessThan(1000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"&", "a&"})
    void aLongQueryCostsWhatItsLengthIs(String repeated) {
        Params params = new Params(repeated.repeat(2 * 1024 * 1024 / repeated.length()));
        assertTimeoutPreemptively(
                Duration.ofSeconds(5), () -> assertThat(params.find("name")).isNull());
    }
}
