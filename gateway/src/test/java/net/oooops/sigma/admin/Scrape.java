package net.oooops.sigma.admin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import org.jspecify.annotations.Nullable;

/** What an admin server answers, and the values of its metrics. */
final class Scrape {
    private final Map<String, Double> values = new TreeMap<>();
    private final Map<String, String> types = new LinkedHashMap<>();
    private final Map<String, String> helps = new LinkedHashMap<>();
    private final String text;

    private Scrape(String text) {
        this.text = text;
        text.lines().forEach(this::line);
    }

    static Scrape of(GatewayFixture gateway) {
        return of(gateway.gateway());
    }

    static Scrape of(Gateway gateway) {
        return new Scrape(get(gateway, "/metrics").bodyText());
    }

    /** The answer to a GET. */
    static RawResponse get(Gateway gateway, String path) {
        return ask(gateway, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }

    /** The answer to a request. */
    static RawResponse ask(Gateway gateway, String request) {
        try (RawClient client = RawClient.connect(port(gateway))) {
            return client.send(request).readResponse(request.substring(0, request.indexOf(' ')));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static int port(Gateway gateway) {
        return Objects.requireNonNull(gateway.adminAddress()).getPort();
    }

    private void line(String line) {
        String[] words = line.split(" ", 4);
        if (line.startsWith("# HELP ")) {
            helps.put(words[2], words[3]);
        } else if (line.startsWith("# TYPE ")) {
            types.put(words[2], words[3]);
        } else {
            int end = line.lastIndexOf(' ');
            values.put(line.substring(0, end), Double.valueOf(line.substring(end + 1)));
        }
    }

    /** A series such as {@code sigma_requests_total{class="2xx"}}, labels in alphabetical order; null where it isn't there. */
    @Nullable Double find(String series) {
        return values.get(series);
    }

    double value(String series) {
        return Objects.requireNonNull(find(series), () -> series + " in " + text);
    }

    /** The value of a metric of a node of the fixture's upstream. */
    double ofNode(String metric, int port, String... moreLabels) {
        StringBuilder labels = new StringBuilder();
        for (String label : moreLabels) {
            labels.append(label).append(',');
        }
        boolean before = moreLabels.length > 0 && moreLabels[0].compareTo("node") < 0;
        String node = "node=\"127.0.0.1:" + port + "\",";
        String all = before ? labels + node : node + labels;
        return value("sigma_node_" + metric + "{" + all + "upstream=\"upstream\"}");
    }

    /** All series with their values. */
    Map<String, Double> values() {
        return values;
    }

    /** The metrics' types. */
    Map<String, String> types() {
        return types;
    }

    /** What the metrics are. */
    Map<String, String> helps() {
        return helps;
    }

    @Override
    public String toString() {
        return text;
    }
}
