package net.oooops.sigma.exchange;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.testkit.RawClient;

/** Connected clients that all ask at once. */
record Crowd(List<RawClient> clients) implements AutoCloseable {
    /** How long any of them waits. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    static Crowd of(GatewayFixture gateway, int count) throws IOException {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(gateway.connect().deadline(PATIENCE));
        }
        return new Crowd(clients);
    }

    void send(String request) {
        for (RawClient client : clients) {
            try {
                client.send(request);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    List<Integer> statuses() {
        List<Integer> statuses = new ArrayList<>();
        for (RawClient client : clients) {
            try {
                statuses.add(client.readResponse().status());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
        return statuses;
    }

    @Override
    public void close() {
        clients.forEach(RawClient::close);
    }
}
