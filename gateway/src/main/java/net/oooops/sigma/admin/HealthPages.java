package net.oooops.sigma.admin;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.upstream.Upstream;

/** {@code /health/live} and {@code /health/ready}: why Sigma isn't, in lines; none where it is. One thread, where nothing else is said. */
final class HealthPages {
    private final Sources sources;
    private final Pulse pulse;
    private volatile List<String> readyUpstreams;

    HealthPages(Sources sources, Pulse pulse, List<String> readyUpstreams) {
        this.sources = sources;
        this.pulse = pulse;
        this.readyUpstreams = List.copyOf(readyUpstreams);
    }

    /** These have to have a healthy node from now on. Any thread. */
    void follow(List<String> upstreams) {
        readyUpstreams = List.copyOf(upstreams);
    }

    /** Whether its event loops come round: if not, a restart is all that helps. */
    List<String> notLive() {
        return pulse.stalled().stream()
                .map(worker ->
                        "worker " + worker + ": its event loop has stood still for more than " + Pulse.LOOKS_MAX + " s")
                .toList();
    }

    /** Whether it is to be given requests. */
    List<String> notReady() {
        List<String> why = new ArrayList<>();
        if (sources.draining().getAsBoolean()) {
            why.add("draining");
        }
        for (String id : readyUpstreams) {
            Upstream upstream = sources.nodes().find(id);
            if (upstream == null || upstream.availableCount() == 0) {
                why.add("upstream " + id + ": no healthy node");
            }
        }
        return why;
    }
}
