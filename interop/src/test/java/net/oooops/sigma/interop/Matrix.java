package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** Clients over wires: a test for each pair, and a table of what came of them all. */
final class Matrix {
    private final List<String> cases;
    private final Queue<String> rows = new ConcurrentLinkedQueue<>();

    /** What each client has to say something about, in this order. */
    Matrix(List<String> cases) {
        this.cases = cases;
    }

    /** One test for each wire of each client; one where it can't be had, which is left out by name, or fails where it is expected. */
    Stream<DynamicTest> tests(List<Client> clients, Front front, String scheme, Path certificate) {
        return clients.stream().flatMap(client -> {
            String whyNot = client.whyNot();
            if (whyNot != null) {
                return Stream.of(dynamicTest(client.name(), () -> leftOut(client, whyNot)));
            }
            return client.wires().stream()
                    .map(wire -> dynamicTest(
                            client.name() + " over " + wire, () -> run(client, wire, front, scheme, certificate)));
        });
    }

    private void leftOut(Client client, String whyNot) {
        rows.add("%-16s could not be had: %s".formatted(client.name(), whyNot));
        Needed.here(false, client.name() + ": " + whyNot, client.isExpected() && System.getenv("SIGMA_CI") != null);
    }

    private void run(Client client, Wire wire, Front front, String scheme, Path certificate) {
        long beganNanos = System.nanoTime();
        String url = front.url(scheme, wire) + (scheme.equals("ws") ? "/ws" : "");
        String shown = "FAILED: did not run to its end";
        List<Outcome> outcomes;
        try {
            outcomes = client.run(wire, url, certificate);
            shown = shown(outcomes);
        } finally {
            long millis = (System.nanoTime() - beganNanos) / 1_000_000;
            rows.add("%-16s %-10s %5d ms  %s".formatted(client.name(), wire, millis, shown));
        }
        String who = client.name() + " over " + wire;
        assertThat(outcomes).as(who).extracting(Outcome::name).containsExactlyElementsOf(cases);
        assertThat(outcomes)
                .as(who)
                .filteredOn(outcome -> outcome.result() == Outcome.Result.FAILED)
                .isEmpty();
    }

    private static String shown(List<Outcome> outcomes) {
        long passed = outcomes.stream()
                .filter(outcome -> outcome.result() == Outcome.Result.PASSED)
                .count();
        StringBuilder shown = new StringBuilder().append(passed).append(" passed");
        for (Outcome outcome : outcomes) {
            switch (outcome.result()) {
                case PASSED -> {}
                case FAILED -> shown.append("; FAILED ").append(outcome.name());
                case CANNOT -> shown.append("; no ").append(outcome.name());
            }
        }
        return shown.toString();
    }

    /** The table. */
    @Override
    public String toString() {
        return String.join("\n", rows) + "\n";
    }
}
