package net.oooops.sigma.flow;

import net.oooops.sigma.balance.Balancer;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.observe.PoolGauges;
import net.oooops.sigma.upstream.NodeConnector;

/** A Node on one Worker: how connections to it are opened, and what it is called. */
abstract class WorkerNode {
    /**
     * Where it stands.
     *
     * @param worker whose node it is
     * @param balancer that it is picked by
     * @param index its number among the nodes of its Upstream
     * @param upstreamId of its Upstream
     */
    record Place(Worker worker, Balancer balancer, int index, String upstreamId) {}

    private final Place place;
    private final String name;
    private final NodeConnector connector;
    private final PoolGauges gauges;

    /** @param name as logs and counters call it */
    WorkerNode(Place place, NodeConfig node, String name) {
        this.place = place;
        this.name = name;
        this.connector = place.worker().connector(node.host(), node.port());
        this.gauges = place.worker().counters().pool(place.upstreamId(), name);
    }

    /** Its number among the nodes of its Upstream. */
    int index() {
        return place.index();
    }

    /** Host and port, for logs. */
    String name() {
        return name;
    }

    String upstreamId() {
        return place.upstreamId();
    }

    Worker worker() {
        return place.worker();
    }

    Balancer balancer() {
        return place.balancer();
    }

    NodeConnector connector() {
        return connector;
    }

    PoolGauges gauges() {
        return gauges;
    }

    /** Now and then: shows how many connections there are to whoever reads the counters, and asks for the name's addresses again. */
    abstract void publish();

    /** Closes the connections that nobody uses. */
    void close() {}
}
