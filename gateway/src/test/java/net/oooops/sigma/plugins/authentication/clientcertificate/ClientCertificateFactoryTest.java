package net.oooops.sigma.plugins.authentication.clientcertificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder;
import java.net.URISyntaxException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.Allocation;
import net.oooops.sigma.api.ClientCertificate;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.api.Tls;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientCertificateFactoryTest {
    private static final X509Certificate SHOP = certificate(
            uri("CN=Shop,O=Example,C=DE", "spiffe://example.com/shop").addSanRfc822Name("Shop@Example.com"));

    private final TestContext context = new TestContext();

    private static CertificateBuilder uri(String subject, String uri) {
        try {
            return new CertificateBuilder()
                    .subject(subject)
                    .addSanDnsName("Shop.Example")
                    .addSanUriName(uri);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static X509Certificate certificate(CertificateBuilder builder) {
        try {
            return builder.setIsCertificateAuthority(true).buildSelfSigned().getCertificate();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static String fingerprint(X509Certificate certificate) throws Exception {
        return HexFormat.ofDelimiter(":")
                .withUpperCase()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
    }

    private static Map<String, Object> consumer(String id, String kind, String... values) {
        return Map.of("id", id, kind, List.of(values));
    }

    private Plugin plugin(Map<String, ?> settings) {
        return new ClientCertificateFactory().create(Settings.of(settings), context);
    }

    private Plugin known(List<Map<String, Object>> consumers) {
        return plugin(Map.of("consumers", consumers));
    }

    private static TestExchange with(X509Certificate... chain) {
        return TestExchange.of("GET", "/").withTls(new Tls("TLSv1.3", null, null, List.of(chain)));
    }

    private static @Nullable String id(Plugin plugin, X509Certificate certificate) throws Exception {
        TestExchange exchange = with(certificate);
        if (PluginHarness.of(plugin).request(exchange) != Outcome.CONTINUE) {
            assertThat(exchange.response().status()).isEqualTo(403);
            return null;
        }
        Consumer consumer = exchange.consumer();
        return consumer == null ? "" : consumer.id();
    }

    @Test
    void aCertificateIsKnownByItsFingerprint() throws Exception {
        String digits = fingerprint(SHOP);
        assertThat(id(known(List.of(consumer("a", "fingerprints", digits))), SHOP))
                .isEqualTo("a");
        assertThat(id(known(List.of(consumer("a", "fingerprints", digits.replace(":", "")))), SHOP))
                .isEqualTo("a");
        X509Certificate renewed = certificate(new CertificateBuilder().subject("CN=Shop,O=Example,C=DE"));
        assertThat(id(known(List.of(consumer("a", "fingerprints", digits))), renewed))
                .isNull();
        assertThat(context.count("unknown")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "subjects | CN=Shop,O=Example,C=DE         | true",
                "subjects | 'cn=shop, o=example , c=de'    | true",
                "subjects | C=DE,O=Example,CN=Shop         | false",
                "subjects | CN=Shop,O=Example              | false",
                "subjects | CN=Shop                        | false",
                "subjects | 'CN=Shop\\,O=Example\\,C=DE'   | false",
                "dns      | shop.example                   | true",
                "dns      | SHOP.example                   | true",
                "dns      | *.example                      | false",
                "dns      | example                        | false",
                "dns      | spiffe://example.com/shop      | false",
                "uri      | spiffe://example.com/shop      | true",
                "uri      | spiffe://example.com/Shop      | false",
                "uri      | spiffe://example.com/sho       | false",
                "uri      | shop.example                   | false",
                "email    | Shop@example.COM               | true",
                "email    | shop@example.com               | false",
            })
    void itIsKnownByWholeNamesOfTheirKind(String kind, String value, boolean isKnown) throws Exception {
        assertThat(id(known(List.of(consumer("a", kind, value))), SHOP)).isEqualTo(isKnown ? "a" : null);
    }

    @Test
    void theCertificateThatCountsIsTheClientsOwn() throws Exception {
        X509Certificate other = certificate(new CertificateBuilder().subject("CN=other"));
        Plugin plugin = known(List.of(consumer("a", "subjects", "CN=Shop,O=Example,C=DE")));
        TestExchange exchange = with(other, SHOP);
        PluginHarness.of(plugin).request(exchange);
        assertThat(exchange.response().status()).isEqualTo(403);
    }

    @Test
    void whatSaysMoreCountsMore() throws Exception {
        List<Map<String, Object>> consumers = new ArrayList<>(List.of(
                consumer("mail", "email", "Shop@example.com"),
                consumer("host", "dns", "shop.example"),
                consumer("subject", "subjects", "CN=Shop,O=Example,C=DE"),
                consumer("print", "fingerprints", fingerprint(SHOP))));
        assertThat(id(known(consumers), SHOP)).isEqualTo("print");
        consumers.removeLast();
        assertThat(id(known(consumers), SHOP)).isEqualTo("subject");
        consumers.removeLast();
        assertThat(id(known(consumers), SHOP))
                .as("the first of the certificate's")
                .isEqualTo("host");
    }

    @Test
    void withoutACertificateItIsAskedFor() throws Exception {
        Map<String, Object> settings = new HashMap<>(Map.of("any", true, "realm", "shop"));
        for (TestExchange exchange : List.of(TestExchange.of("GET", "/", "Client-Cert: :AAAA:"), with())) {
            PluginHarness.of(plugin(settings)).request(exchange);
            assertThat(exchange.response().status()).isEqualTo(401);
            assertThat(exchange.response().lines()).contains("WWW-Authenticate: ClientCertificate realm=\"shop\"");
        }
        assertThat(context.count("none")).isEqualTo(2);
        settings.put("optional", true);
        TestExchange passes = with();
        assertThat(PluginHarness.of(plugin(settings)).request(passes)).isSameAs(Outcome.CONTINUE);
        assertThat(passes.consumer()).isNull();
        settings.put("unless-known", true);
        TestExchange known = with(SHOP).withConsumer(Consumer.of("ada"));
        PluginHarness.of(plugin(settings)).request(known);
        assertThat(known.consumer()).extracting(Consumer::id).isEqualTo("ada");
    }

    @Test
    void anyNamesItself() throws Exception {
        Plugin any = plugin(Map.of("any", true, "consumers", List.of(consumer("a", "subjects", "CN=boss"))));
        assertThat(id(any, SHOP)).isEqualTo("Shop");
        assertThat(id(any, SHOP)).as("kept").isEqualTo("Shop");
        assertThat(id(any, certificate(new CertificateBuilder().subject("CN=boss"))))
                .isEqualTo("a");
        CertificateBuilder nameless =
                new CertificateBuilder().subject("O=Example").addSanUriName("spiffe://e/x");
        assertThat(id(any, certificate(nameless))).isEqualTo("spiffe://e/x");
        for (String subject : List.of("O=Example", "CN=a,CN=b", "CN=a+CN=b", "CN=\u4e2d", "CN=" + "x".repeat(257))) {
            assertThat(id(any, certificate(new CertificateBuilder().subject(subject))))
                    .as(subject)
                    .isNull();
        }
    }

    @Test
    void aConsumerHasFields() throws Exception {
        Plugin plugin = known(List.of(Map.of(
                "id", "a", "uri", List.of("spiffe://example.com/shop"), "fields", Map.of("X-Consumer-Plan", "gold"))));
        TestExchange exchange = with(SHOP);
        PluginHarness.of(plugin).request(exchange);
        assertThat(exchange.request().lines()).containsExactlyInAnyOrder("X-Consumer-Id: a", "X-Consumer-Plan: gold");
    }

    @Test
    void aRequestOfAConnectionAllocatesNothing() throws Exception {
        KnownCertificates known = new KnownCertificates(
                Map.of("none", Consumer.of("a")),
                Map.of(),
                Map.of(new ClientCertificate.Name(ClientCertificate.Kind.EMAIL, "Shop@example.com"), Consumer.of("b")),
                true);
        ClientCertificate certificate = new ClientCertificate(SHOP);
        assertThat(known.of(certificate)).extracting(Consumer::id).isEqualTo("b");
        int[] found = new int[1];
        assertThat(Allocation.bytes(() -> found[0] += known.of(certificate) == null ? 0 : 1))
                .isZero();
    }

    @Test
    void problemsNameTheirPlace() {
        assertProblem(Map.of("any", false), "/any");
        String print = "00".repeat(32);
        assertProblem(
                consumers(consumer("a", "fingerprints", "00"), consumer("b", "dns", "b")),
                "/consumers/0/fingerprints/0");
        assertProblem(
                consumers(consumer("a", "subjects", "Shop"), consumer("b", "dns", "b")), "/consumers/0/subjects/0");
        assertProblem(
                consumers(consumer("a", "fingerprints", print), consumer("b", "fingerprints", print)),
                "/consumers/1/fingerprints/0");
        assertProblem(
                consumers(consumer("a", "dns", "a.example"), consumer("b", "dns", "A.example")), "/consumers/1/dns/0");
        assertProblem(consumers(consumer("a", "dns", "a"), consumer("a", "dns", "b")), "/consumers/1/id");
    }

    private static Map<String, Object> consumers(Map<String, Object> first, Map<String, Object> second) {
        return Map.of("consumers", List.of(first, second));
    }

    private void assertProblem(Map<String, ?> settings, String pointer) {
        assertThatThrownBy(() -> plugin(settings))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo(pointer));
    }
}
