package net.oooops.sigma.upstream;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which nodes of an {@link Upstream} are kept aside though they may be well: backups, while another node is available, and nodes of
 * other zones, while enough of those of Sigma's own are.
 *
 * <p>Any thread.
 */
final class Layers {
    private static final Logger LOG = LoggerFactory.getLogger(Layers.class);

    private final String upstreamId;
    private volatile String zone;
    private volatile int panicPercent;
    private volatile boolean onBackups;
    private volatile boolean away;

    /**
     * How nodes are used.
     *
     * @param panic whether so few are available that all are used
     * @param aside whether any is kept aside
     * @param backup whether a backup is available
     */
    record Use(boolean panic, boolean aside, boolean backup) {}

    Layers(String upstreamId, String zone, int panicPercent) {
        this.upstreamId = upstreamId;
        this.zone = zone;
        this.panicPercent = panicPercent;
    }

    /** Other settings hold from the next {@link #settle} on. */
    void configure(String ownZone, int percent) {
        zone = ownZone;
        panicPercent = percent;
    }

    /** Works out which nodes are kept aside now, and tells them. Those that an operator has barred count as if they weren't there. */
    Use settle(List<Node> nodes) {
        int others = 0;
        int othersAvailable = 0;
        int backupsThere = 0;
        int backupsAvailable = 0;
        for (Node node : nodes) {
            int available = node.isAvailable() ? 1 : 0;
            int there = node.isBarred() ? 0 : 1;
            boolean backup = node.config().backup();
            others += backup ? 0 : there;
            othersAvailable += backup ? 0 : available;
            backupsThere += backup ? there : 0;
            backupsAvailable += backup ? available : 0;
        }
        boolean backups = othersAvailable == 0 && backupsAvailable > 0;
        int available = backups ? backupsAvailable : othersAvailable;
        // Where there is none at all, all count: those that are there may all be backups.
        int of = backups ? backupsThere : othersAvailable == 0 ? others + backupsThere : others;
        // The few that are left aren't alone while there is a backup.
        boolean spared = othersAvailable > 0 && backupsAvailable > 0;
        boolean panic = !spared && available * 100L < (long) panicPercent * of;
        boolean near = !panic && isNear(nodes, backups);
        boolean aside = keepAside(nodes, backups, near, panic);
        tell(backups, !near && nodes.stream().anyMatch(this::isHere));
        return new Use(panic, aside, backupsAvailable > 0);
    }

    private boolean keepAside(List<Node> nodes, boolean backups, boolean near, boolean panic) {
        boolean aside = false;
        boolean served = false;
        for (Node node : nodes) {
            boolean unused = !panic && !isInUse(node, backups, near);
            aside |= unused;
            served |= !unused && node.isAvailable() && !node.isSpared();
        }
        for (Node node : nodes) {
            boolean unused = !panic && !isInUse(node, backups, near);
            boolean evenIfWell =
                    node.config().backup() == backups || node.config().backup();
            // Where none that is in use is well, whoever is out may be the one that is.
            node.keepAside(unused, unused && served && evenIfWell);
        }
        return aside;
    }

    private boolean isInUse(Node node, boolean backups, boolean near) {
        return node.config().backup() == backups && (!near || isHere(node));
    }

    private boolean isHere(Node node) {
        return !zone.isEmpty() && node.config().zone().equals(zone);
    }

    /** Whether enough nodes of that layer are available in the own zone. */
    private boolean isNear(List<Node> nodes, boolean backups) {
        int here = 0;
        int available = 0;
        for (Node node : nodes) {
            if (node.config().backup() == backups && isHere(node) && !node.isBarred()) {
                here++;
                available += node.isAvailable() ? 1 : 0;
            }
        }
        return available > 0 && (available == here || available * 100L > (long) panicPercent * here);
    }

    private void tell(boolean backups, boolean elsewhere) {
        if (backups != onBackups) {
            onBackups = backups;
            if (backups) {
                LOG.warn("upstream {}: only backups are available, so these are used", upstreamId);
            } else {
                LOG.info("upstream {}: backups are no longer used", upstreamId);
            }
        }
        if (elsewhere != away) {
            away = elsewhere;
            if (elsewhere) {
                LOG.warn("upstream {}: too few nodes of zone {} available, so other zones' are used", upstreamId, zone);
            } else {
                LOG.info("upstream {}: enough nodes of zone {} available, so only these are used", upstreamId, zone);
            }
        }
    }
}
