package net.oooops.sigma.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.upstream.Breaker;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.Upstream;

/** {@code /nodes}: the nodes of all Upstreams and how they stand, as JSON. Any thread. */
final class NodesPage {
    private static final JsonFactory JSON = new JsonFactory();

    private final Sources sources;
    private final int nodesMax;
    private final int upstreamsMax;

    /**
     * @param nodesMax how many nodes are shown
     * @param upstreamsMax how many Upstreams
     */
    NodesPage(Sources sources, int nodesMax, int upstreamsMax) {
        this.sources = sources;
        this.nodesMax = nodesMax;
        this.upstreamsMax = upstreamsMax;
    }

    /** The page now. */
    byte[] json() {
        Listing listing = Listing.of(sources.nodes(), nodesMax, upstreamsMax);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeArrayFieldStart("upstreams");
            for (Listing.Listed listed : listing.upstreams()) {
                write(json, listed);
            }
            json.writeEndArray();
            json.writeNumberField("left_out", listing.leftOutCount());
            json.writeNumberField("upstreams_left_out", listing.upstreamsLeftOutCount());
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static void write(JsonGenerator json, Listing.Listed listed) throws IOException {
        Upstream upstream = listed.upstream();
        Breaker breaker = upstream.breaker();
        json.writeStartObject();
        json.writeStringField("id", upstream.id());
        json.writeNumberField("available", upstream.availableCount());
        json.writeBooleanField("panicking", upstream.isPanicking());
        json.writeBooleanField("stale", upstream.freshness().isStale());
        json.writeStringField("breaker", breaker == null ? null : breaker.state());
        json.writeArrayFieldStart("nodes");
        for (Node node : listed.nodes()) {
            write(json, node);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, Node node) throws IOException {
        json.writeStartObject();
        json.writeStringField("node", node.name());
        json.writeStringField("health", Listing.health(node));
        json.writeStringField("why", node.why());
        json.writeStringField("since", Instant.ofEpochMilli(node.sinceMillis()).toString());
        json.writeNumberField("weight", node.config().weight());
        json.writeBooleanField("backup", node.config().backup());
        json.writeStringField("zone", node.config().zone());
        json.writeBooleanField("aside", node.isAside());
        HttpVersion agreed = node.agreed();
        json.writeStringField("agreed", agreed == null ? null : agreed == HttpVersion.HTTP_2 ? "h2" : "http/1.1");
        json.writeNumberField("in_flight", node.inFlight());
        json.writeEndObject();
    }
}
