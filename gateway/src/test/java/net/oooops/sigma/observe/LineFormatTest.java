package net.oooops.sigma.observe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Map;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Metadata;
import net.oooops.sigma.config.LogTemplate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineFormatTest {
    /** All that a template may name. */
    static final String EACH_FACT =
            "{time} {local-time} {client-address} {peer-address} \"{request-line}\" {method} {target} {path} {query}"
                    + " {protocol} {scheme} {host} {status} {bytes} {duration-ms} {node-time-ms} {listener} {tls-version} {tls-host} {router} {route}"
                    + " {upstream} {node} {attempts} {flag} {reason} {detail} {consumer} {request-id} {header:User-Agent} {metadata:team}";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final TestRecord ended = new TestRecord();
    private final CombinedFormat combined = new CombinedFormat(ZoneId.of("-07:00"));
    private final JsonFormat json = new JsonFormat();

    private String line(LineFormat format) {
        byte[] out = new byte[LineFormat.LINE_BYTES_MAX];
        return new String(out, 0, format.write(ended, out), StandardCharsets.ISO_8859_1);
    }

    private String line(String template) {
        String line = line(new TemplateFormat(LogTemplate.parse(template), ZoneId.of("-07:00")));
        assertThat(line).endsWith("\n").hasLineCount(1);
        return line.substring(0, line.length() - 1);
    }

    private JsonNode object() throws IOException {
        String line = line(json);
        assertThat(line).endsWith("}\n").matches("\\p{ASCII}*").hasLineCount(1);
        return JSON.readTree(line);
    }

    @Test
    void combinedGolden() {
        ended.with("Referer", "http://example.com/start.html").with("User-Agent", "Mozilla/4.08 [en] (Win98; I ;Nav)");
        assertThat(line(combined))
                .isEqualTo("192.0.2.7 - - [10/Oct/2000:13:55:36 -0700] \"GET /a?b=c HTTP/1.1\" 200 2326"
                        + " \"http://example.com/start.html\" \"Mozilla/4.08 [en] (Win98; I ;Nav)\" -\n");
    }

    @Test
    void combinedGoldenOfAFault() {
        ended.fault = Fault.UPSTREAM_TIMEOUT;
        ended.status = 504;
        ended.with("User-Agent", "");
        assertThat(line(combined))
                .isEqualTo(
                        "192.0.2.7 - - [10/Oct/2000:13:55:36 -0700] \"GET /a?b=c HTTP/1.1\" 504 2326 \"-\" \"\" UT\n");
    }

    @Test
    void combinedGoldenOfWhatNeverBecameARequest() {
        ended.peerAddress = new byte[0];
        ended.requestLine = null;
        ended.status = 0;
        ended.bodyBytesSent = 0;
        ended.fault = Fault.CLIENT_GONE;
        assertThat(line(combined)).isEqualTo("- - - [10/Oct/2000:13:55:36 -0700] \"-\" 000 0 \"-\" \"-\" DC\n");
    }

    @Test
    void jsonGolden() {
        ended.with("Referer", "http://example.com/").with("User-Agent", "curl/8.5.0");
        assertThat(line(json))
                .isEqualTo(
                        "{\"time\":\"2000-10-10T20:55:36.123Z\",\"client\":\"192.0.2.7\",\"peer\":\"192.0.2.7\",\"consumer\":null,\"method\":\"GET\","
                                + "\"target\":\"/a?b=c\",\"protocol\":\"HTTP/1.1\",\"host\":\"example.com:8080\",\"status\":200,"
                                + "\"bytes\":2326,\"duration_ms\":12.345,\"listener\":\"http\",\"tls\":null,\"router\":\"main\",\"route\":\"r1\",\"upstream\":\"u1\","
                                + "\"node\":\"10.0.0.1:80\",\"node_time_ms\":7.890,\"attempts\":1,\"flag\":null,\"reason\":null,\"detail\":null,"
                                + "\"referer\":\"http://example.com/\",\"user_agent\":\"curl/8.5.0\"}\n");
    }

    /** As ip-restriction and limits judge it; the socket's is a member of its own. */
    @Test
    void theClientIsTheOneThatTrustedProxiesName() {
        ended.clientAddress = IpAddress.of(new byte[] {9, 9, 9, 9}).octets();
        assertThat(line(combined)).startsWith("9.9.9.9 - - [");
        assertThat(line(json)).contains("\"client\":\"9.9.9.9\",\"peer\":\"192.0.2.7\",");
        assertThat(line("{client-address} {peer-address}")).isEqualTo("9.9.9.9 192.0.2.7");
    }

    @Test
    void metadataIsAMemberWhereThereIsSome() throws IOException {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("team", "a\"b\\c\u00e4\n");
        values.put("tier", 1);
        values.put("share", 0.5);
        values.put("beta", true);
        ended.metadata = Metadata.of(values);
        assertThat(line(json))
                .contains("\"route\":\"r1\",\"metadata\":{\"team\":\"a\\\"b\\\\c\\u00E4\\u000A\",\"tier\":1,"
                        + "\"share\":0.5,\"beta\":true},\"upstream\":\"u1\"");
        assertThat(object().at("/metadata/team").asText()).isEqualTo("a\"b\\c\u00e4\n");
    }

    @Test
    void theRequestsIdIsTheLastMemberWhereThereIsOne() throws IOException {
        ended.with("User-Agent", "curl/8.5.0");
        ended.requestId = "a\"" + "b".repeat(300);
        assertThat(line(json))
                .endsWith("\"user_agent\":\"curl/8.5.0\",\"request_id\":\"a\\\"" + "b".repeat(254) + "\"}\n");
        assertThat(object().at("/request_id").asText()).hasSize(256);
    }

    @Test
    void jsonGoldenOfWhatNeverBecameARequest() {
        ended.peerAddress = new byte[0];
        ended.requestLine = null;
        ended.host = null;
        ended.status = 408;
        ended.bodyBytesSent = 0;
        ended.durationNanos = 999;
        ended.routerId = null;
        ended.routeId = null;
        ended.upstreamId = null;
        ended.upstreamNode = null;
        ended.nodeNanos = -1;
        ended.attempts = 0;
        ended.fault = Fault.REQUEST_TIMEOUT;
        assertThat(line(json))
                .isEqualTo(
                        "{\"time\":\"2000-10-10T20:55:36.123Z\",\"client\":null,\"peer\":null,\"consumer\":null,\"method\":null,\"target\":null,"
                                + "\"protocol\":null,\"host\":null,\"status\":408,\"bytes\":0,\"duration_ms\":0.000,"
                                + "\"listener\":\"http\",\"tls\":null,\"router\":null,\"route\":null,\"upstream\":null,\"node\":null,\"node_time_ms\":null,\"attempts\":0,"
                                + "\"flag\":\"SI\",\"reason\":\"REQUEST_TIMEOUT\",\"detail\":null,\"referer\":null,\"user_agent\":null}\n");
    }

    @Test
    void whatAPluginAnsweredAndForWhom() {
        ended.pluginReason = "key-auth: unknown-key";
        ended.consumerId = "Ada \"L\"\n";
        ended.status = 401;
        assertThat(line(combined))
                .startsWith("192.0.2.7 - Ada+\\x22L\\x22\\x0A [")
                .endsWith(" 401 2326 \"-\" \"-\" PR\n");
        assertThat(line(json))
                .contains("\"consumer\":\"Ada \\\"L\\\"\\u000A\",\"method\"")
                .contains("\"flag\":\"PR\",\"reason\":\"key-auth: unknown-key\",\"detail\":null,");
    }

    @Test
    void aFaultIsStrongerThanAPluginsReason() {
        ended.pluginReason = "key-auth: unknown-key";
        ended.fault = Fault.PLUGIN_FAILED;
        ended.detail = "headers";
        assertThat(line(combined)).endsWith(" PF\n");
        assertThat(line(json)).contains("\"flag\":\"PF\",\"reason\":\"PLUGIN_FAILED\",\"detail\":\"headers\",");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\" 200 1 \"-\" \"-\" -\r\n192.0.2.9 - - [forged]",
                "a\nb",
                "a\rb",
                "\0",
                "\u00ff\u0080\u007f\u001b[31m",
                "\\\"\\",
                "\\x22\\u0022"
            })
    void noClientForgesALine(String attack) throws IOException {
        ended.requestLine = TestRecord.latin1("GET /" + attack + " HTTP/1.1");
        ended.host = TestRecord.latin1(attack);
        ended.with("Referer", attack).with("User-Agent", attack);

        String line = line(combined);
        assertThat(line.substring(0, line.length() - 1)).matches("[\\x20-\\x7e]*");
        assertThat(line)
                .matches("192\\.0\\.2\\.7 - - \\[[^]]*] \"[^\"\\\\]*(\\\\x[0-9A-F]{2}[^\"\\\\]*)*\" 200 2326"
                        + "( \"[^\"\\\\]*(\\\\x[0-9A-F]{2}[^\"\\\\]*)*\"){2} -\n");
        JsonNode object = object();
        assertThat(object.get("target").textValue()).isEqualTo("/" + attack);
        assertThat(object.get("host").textValue()).isEqualTo(attack);
        assertThat(object.get("referer").textValue()).isEqualTo(attack);
        assertThat(object.get("user_agent").textValue()).isEqualTo(attack);
    }

    @Test
    void bytesAreEscapedAsNginxDoes() {
        ended.requestLine = TestRecord.latin1("GET /\"\\\u0000\u001f ~\u007f\u00ff HTTP/1.1");
        assertThat(line(combined)).contains("\"GET /\\x22\\x5C\\x00\\x1F ~\\x7F\\xFF HTTP/1.1\"");
    }

    @Test
    void malformedRequestLinesSayWhatCanBeTold() throws IOException {
        ended.requestLine = TestRecord.latin1("GET /a b HTTP/1.1");
        assertThat(object().get("target").textValue()).isEqualTo("/a b");
        ended.requestLine = TestRecord.latin1("GET /a");
        assertThat(object().get("method").textValue()).isEqualTo("GET");
        assertThat(object().get("target").textValue()).isEqualTo("/a");
        assertThat(object().get("protocol").isNull()).isTrue();
        ended.requestLine = TestRecord.latin1("GET HTTP/1.1");
        assertThat(object().get("target").isNull()).isTrue();
        assertThat(object().get("protocol").textValue()).isEqualTo("HTTP/1.1");
        ended.requestLine = TestRecord.latin1("\u0016\u0003\u0001");
        assertThat(object().get("method").isNull()).isTrue();
        assertThat(object().get("target").textValue()).isEqualTo("\u0016\u0003\u0001");
        ended.requestLine = new byte[0];
        assertThat(object().get("target").isNull()).isTrue();
    }

    @Test
    void idsMayHaveAnyCharacter() throws IOException {
        ended.routeId = "路由 \"1\"\n\uD83D\uDE00";
        assertThat(object().get("route").textValue()).isEqualTo(ended.routeId);
    }

    @Test
    void longestLinesFit() throws IOException {
        ended.requestLine = TestRecord.latin1("GET /" + "\0".repeat(100_000));
        ended.host = TestRecord.latin1("\0".repeat(100_000));
        ended.with("Referer", "\0".repeat(100_000)).with("User-Agent", "\0".repeat(100_000));
        String id = "\u4e00".repeat(100_000);
        ended.routeId = id;
        ended.upstreamId = id;
        ended.upstreamNode = id;
        ended.bodyBytesSent = Long.MAX_VALUE;
        ended.durationNanos = Long.MAX_VALUE;
        ended.attempts = Integer.MAX_VALUE;
        ended.peerAddress = new byte[] {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
        ended.fault = Fault.UNSUPPORTED_MEDIA_TYPE;

        assertThat(LineFormat.LINE_BYTES_MAX).isLessThanOrEqualTo(LogLane.Chunk.BYTES);
        JsonNode object = object();
        assertThat(object.get("method").textValue()).isEqualTo("GET");
        assertThat(object.get("target").textValue())
                .isEqualTo("/" + "\0".repeat(LineFormat.REQUEST_LINE_BYTES_MAX - 5));
        assertThat(object.get("host").textValue()).isEqualTo("\0".repeat(LineFormat.HOST_BYTES_MAX));
        assertThat(object.get("referer").textValue()).isEqualTo("\0".repeat(LineFormat.FIELD_BYTES_MAX));
        assertThat(object.get("route").textValue()).isEqualTo("\u4e00".repeat(LineFormat.ID_CHARS_MAX));
        assertThat(line(combined))
                .contains("\"GET /" + "\\x00".repeat(LineFormat.REQUEST_LINE_BYTES_MAX - 5) + "\"")
                .contains(" \"" + "\\x00".repeat(LineFormat.FIELD_BYTES_MAX) + "\" \"");
    }

    @Test
    void templateGolden() {
        ended.with("User-Agent", "curl/8.5.0");
        ended.consumerId = "ada";
        ended.requestId = "id-1";
        ended.detail = "more";
        ended.metadata = Metadata.of(Map.of("team", "shop"));
        assertThat(line(EACH_FACT))
                .isEqualTo(
                        "2000-10-10T20:55:36.123Z 10/Oct/2000:13:55:36 -0700 192.0.2.7 192.0.2.7 \"GET /a?b=c HTTP/1.1\" GET"
                                + " /a?b=c /a b=c HTTP/1.1 http example.com:8080 200 2326 12.345 7.890 http - - main r1 u1 10.0.0.1:80 1 - - more"
                                + " ada id-1 curl/8.5.0 shop");
    }

    @Test
    void whatIsNotThereIsADash() {
        ended.peerAddress = new byte[0];
        ended.requestLine = null;
        ended.host = null;
        ended.status = 0;
        ended.bodyBytesSent = 0;
        ended.durationNanos = 999;
        ended.nodeNanos = -1;
        ended.routerId = null;
        ended.routeId = null;
        ended.upstreamId = null;
        ended.upstreamNode = null;
        ended.nodeNanos = -1;
        ended.attempts = 0;
        ended.fault = Fault.REQUEST_TIMEOUT;
        assertThat(line(EACH_FACT))
                .isEqualTo(
                        "2000-10-10T20:55:36.123Z 10/Oct/2000:13:55:36 -0700 - - \"-\" - - - - - http - 000 0 0.000 - http - - - - -"
                                + " - 0 SI REQUEST_TIMEOUT - - - - -");
        ended.with("User-Agent", "");
        assertThat(line("[{header:User-Agent}]")).isEqualTo("[-]");
    }

    @Test
    void whyAndHowATemplateSays() {
        ended.pluginReason = "key-auth: unknown-key";
        assertThat(line("{flag} {reason}")).isEqualTo("PR key-auth: unknown-key");
        ended.fault = Fault.PLUGIN_FAILED;
        assertThat(line("{flag} {reason}")).isEqualTo("PF PLUGIN_FAILED");
    }

    @Test
    void textsOfATemplateStandAsTheyAre() {
        assertThat(line("{{\t\"\\}}\u00e9{status}")).isEqualTo("{\t\"\\}\u00c3\u00a9200");
    }

    @Test
    void idsOfATemplateAreUtf8() {
        ended.routeId = "\u00e9\u8def\uD83D\uDE00\n";
        assertThat(line("{route}")).isEqualTo("\\xC3\\xA9\\xE8\\xB7\\xAF\\xF0\\x9F\\x98\\x80\\x0A");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\" x\r\n192.0.2.9", "a\nb", "\0", "\u00ff\u0080\u007f\u001b[31m", "\\\"\\", "\\x22"})
    void noClientForgesALineOfATemplate(String attack) {
        ended.requestLine = TestRecord.latin1("GET /" + attack + "?" + attack + " HTTP/1.1");
        ended.host = TestRecord.latin1(attack);
        ended.with("User-Agent", attack);
        ended.requestId = attack;
        ended.consumerId = attack;
        ended.detail = attack;
        String line =
                line("\"{request-line}\" \"{path}\" \"{query}\" \"{host}\" \"{header:User-Agent}\" \"{request-id}\""
                        + " \"{consumer}\" \"{detail}\"");
        assertThat(line)
                .matches(
                        "(\"[^\"\\\\\\x00-\\x1f\\x7f-\\xff]*(\\\\x[0-9A-F]{2}[^\"\\\\\\x00-\\x1f\\x7f-\\xff]*)*\" ?){8}");
    }

    @Test
    void aLineOfATemplateIsNeverTooLong() {
        ended.requestLine = TestRecord.latin1("GET /" + "\0".repeat(100_000));
        ended.with("User-Agent", "\0".repeat(100_000));
        ended.routeId = "\u4e00".repeat(100_000);
        ended.bodyBytesSent = Long.MAX_VALUE;
        ended.durationNanos = Long.MAX_VALUE;
        ended.wallMillis = 253_402_300_799_999L;
        ended.peerAddress = new byte[] {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
        for (String fact : EACH_FACT.split("[ \"]+", -1)) {
            String line = line(fact.repeat(4096 / fact.length()));
            assertThat(line.length()).as(fact).isLessThan(LineFormat.LINE_BYTES_MAX);
        }
        assertThat(line("{request-line}{header:User-Agent}{route}{header:User-Agent}"))
                .hasSize(4
                        + 1
                        + 4
                                * (LineFormat.REQUEST_LINE_BYTES_MAX
                                        - 5
                                        + 2 * LineFormat.FIELD_BYTES_MAX
                                        + 3 * LineFormat.ID_CHARS_MAX));
    }
}
