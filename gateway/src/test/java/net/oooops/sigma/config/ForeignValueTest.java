package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import net.oooops.sigma.plugin.PluginCatalog;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that other gateways take, or that look right, are told with what to write in their place. */
class ForeignValueTest {
    private static final ConfigReader READER =
            new ConfigReader(new PluginCatalog(ForeignValueTest.class.getClassLoader()).schemas());

    private static String problems(String json) {
        ConfigResult result =
                READER.read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
        return ((ConfigResult.Invalid) result).text("sigma.json");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"proxy-client\": { \"connect-timeout\": \"0s\" } | /proxy-client/connect-timeout: \"0s\" (expected: a duration such as \"30s\", \"250ms\", \"5m\" or \"1h\"; 0 is none: \"1ms\" is next to at once, a long one such as \"24h\" next to never)",
                "\"timeouts\": { \"keep-alive\": \"0\" } | /timeouts/keep-alive: \"0\" (expected: a duration such as \"30s\", \"250ms\", \"5m\" or \"1h\"; 0 is none: \"1ms\"",
                "\"proxy-pass\": [{ \"timeout\": { \"tunnel-idle\": \"1m\", \"tunnel-lifetime\": \"0s\" } }] | /proxy-pass/0/timeout/tunnel-lifetime: \"0s\" (expected: a duration such as \"30s\", \"250ms\", \"5m\" or \"1h\", or \"none\"; did you mean \"none\"?)",
                "\"proxy-pass\": [{ \"plugin\": { \"rate-limit\": { \"limits\": [{ \"requests\": 1, \"per\": \"0s\" }] } } }] | /limits/0/per: \"0s\" (expected: a duration such as \"1s\" or \"1m\"; 0 is none: ",
            })
    void noTimeIsToldByWhatToWrite(String json, String told) {
        assertThat(problems("{" + json + "}")).contains(told);
    }

    @ParameterizedTest
    @CsvSource({
        "ip, address",
        "remote_addr, address",
        "$binary_remote_addr, address",
        "client_ip, address",
        "source-ip, address",
        "consumer_id, consumer",
        "consumer-name, consumer",
        "credential, consumer",
        "service, route",
        "adress, address",
    })
    void whatOthersCountByIsToldByTheWordHere(String by, String word) {
        assertThat(problems(limitedBy("\"" + by + "\"")))
                .contains("/rate-limit/by: \"" + by + "\" (expected: ", "; did you mean \"" + word + "\"?)");
        assertThat(problems(limitedBy("[\"route\", \"" + by + "\"]")))
                .contains("/rate-limit/by/1: \"" + by + "\" (expected: ", "; did you mean \"" + word + "\"?)");
    }

    @ParameterizedTest
    @CsvSource({"header", "cookie", "parameter", "expression"})
    void whatHasANameIsAnObject(String by) {
        assertThat(problems(limitedBy("\"" + by + "\""))).contains("; as an object: { \"" + by + "\": … })");
    }

    private static String limitedBy(String by) {
        return """
                { "router": [{ "plugin": { "rate-limit": { "limits": [{ "requests": 1 }], "by": %s } } }] }
                """.formatted(by);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"upstream\": { \"users\": { \"nodes\": [\"http://10.0.0.1:80\"] } } | /upstream: an object (expected: an array, with \"id\" in each: [{ \"id\": \"users\", … }])",
                "\"upstream\": { \"id\": \"users\", \"nodes\": [\"http://10.0.0.1:80\"] } | /upstream: an object (expected: an array, also for one: [{ … }])",
                "\"upstream\": [{ \"id\": \"users\", \"nodes\": { \"10.0.0.1:80\": 1 } }] | /upstream/0/nodes: an object (expected: an array, with \"url\" in each: [{ \"url\": \"http://10.0.0.1:80\", … }])",
                "\"upstream\": [{ \"id\": \"users\", \"nodes\": { \"url\": \"http://10.0.0.1:80\" } }] | /upstream/0/nodes: an object (expected: an array, also for one: [{ … }])",
                "\"router\": { \"web\": {} } | /router: an object (expected: an array, with \"id\" in each: [{ \"id\": \"web\", … }])",
                "\"router\": [{ \"route\": { \"path\": \"/*\" } }] | /router/0/route: an object (expected: an array, also for one: [{ … }])",
                "\"router\": [{ \"plugin\": { \"rate-limit\": { \"limits\": { \"requests\": 1 } } } }] | /limits: an object (expected: an array, also for one: [{ … }])",
            })
    void oneOrAMapInPlaceOfSeveralIsToldByTheForm(String json, String told) {
        assertThat(problems("{" + json + "}")).contains(told);
    }
}
