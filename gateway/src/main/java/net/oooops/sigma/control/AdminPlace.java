package net.oooops.sigma.control;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import net.oooops.sigma.admin.AdminServer;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.config.AdminConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UdpListenerConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where those who run Sigma are answered: the admin server that there is, and the one that is to take its place.
 *
 * <p>Where it leaves a place that another server needs, it makes way before that one is bound, and is back where that comes to nothing. Where it needs the place
 * of one that leaves, it listens there when that one is closed.
 *
 * <pre>
 *   (makeWay) ─▶ prepare ─┬▶ follow ─▶ (openLate)
 *                         └▶ abandon
 * </pre>
 *
 * <p>Any thread, one at a time, but {@link #address}; {@link #end} and {@link #again} also while another thread is between {@link #makeWay} or {@link #prepare}
 * and what follows it, which is {@link #abandon} then. All that opens blocks.
 */
final class AdminPlace {
    private static final Logger LOG = LoggerFactory.getLogger(AdminPlace.class);

    private final Function<InetAddress, Vertx> vertx;
    private @Nullable Sources sources;
    private volatile @Nullable Open now;
    private @Nullable Open next;
    /** It has made way, and is back where that comes to nothing. */
    private @Nullable Open away;
    /** It listens there once that place is free. */
    private @Nullable AdminConfig late;

    /** A server that listens. */
    private record Open(AdminConfig config, AdminServer server, InetSocketAddress address) {
        boolean isWhere(AdminConfig other) {
            return config.host().equals(other.host()) && config.port() == other.port();
        }
    }

    /** @param vertx whose event loops aren't the Workers'; asked for where something is to listen, one server at a time, with its address */
    AdminPlace(Function<InetAddress, Vertx> vertx) {
        this.vertx = vertx;
    }

    /**
     * Answers from now on, where sigma.json says so.
     *
     * @param from where answers come from, of all servers that follow, too
     * @return where it listens; null where it doesn't
     */
    @Nullable InetSocketAddress open(@Nullable AdminConfig config, Sources from) throws StartException {
        sources = from;
        prepare(config, place -> false);
        follow(config);
        return address();
    }

    /** Where it listens; null where it doesn't. Any thread. */
    @Nullable InetSocketAddress address() {
        Open open = now;
        return open == null ? null : open.address();
    }

    /** Whether it is to leave a place that another server of that configuration needs, or itself, as at another address of its port. */
    boolean isInTheWayOf(SigmaConfig config) {
        Open before = now;
        AdminConfig admin = config.admin();
        if (before == null || (admin != null && before.isWhere(admin))) {
            return false;
        }
        return (admin != null && ListeningPlaces.overlap(before.address(), placeOf(admin)))
                || config.allListeners().stream()
                        .filter(each -> !(each instanceof UdpListenerConfig))
                        .anyMatch(each -> ListeningPlaces.overlap(
                                before.address(), new InetSocketAddress(each.host(), each.port())));
    }

    private static InetSocketAddress placeOf(AdminConfig config) {
        return new InetSocketAddress(config.host(), config.port());
    }

    /** Leaves the place that it has; {@link #abandon} has it back there. */
    synchronized void makeWay() {
        Open before = now;
        if (before != null) {
            end();
            away = before;
            ListeningPlaces.awaitFree(before.address());
        }
    }

    /**
     * Listens where it says beside where it does, unless that is the same.
     *
     * @param vacated whether another server has that place, and is to leave it: it is left to {@link #openLate} then
     * @throws StartException where that can't be
     */
    synchronized void prepare(@Nullable AdminConfig config, Predicate<InetSocketAddress> vacated)
            throws StartException {
        closeNext();
        late = null;
        Open before = now;
        Sources from = sources;
        if (config == null || from == null || (before != null && before.isWhere(config))) {
            return;
        }
        InetSocketAddress place = placeOf(config);
        if (vacated.test(place)) {
            requireHere(config, place);
            late = config;
        } else {
            next = opened(config, place, from);
        }
    }

    /** Its port will be free; whether its address is one of this machine is seen now. */
    private static void requireHere(AdminConfig config, InetSocketAddress place) throws StartException {
        try {
            ListeningPlaces.requireFree(new InetSocketAddress(place.getAddress(), 0));
        } catch (IOException e) {
            throw cannotListen(config, e.getMessage(), e);
        }
    }

    private static StartException cannotListen(AdminConfig config, @Nullable String why, Throwable cause) {
        return new StartException(
                "proxy-server.admin: can't listen on " + config.host() + ":" + config.port() + " (" + why + ")", cause);
    }

    private Open opened(AdminConfig config, InetSocketAddress address, Sources from) throws StartException {
        if (address.isUnresolved()) {
            throw cannotListen(config, "no such host", new UnknownHostException(config.host()));
        }
        try {
            AdminServer server = AdminServer.start(vertx.apply(address.getAddress()), config, address, from)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .orTimeout(Gateway.START_LIMIT.toSeconds(), TimeUnit.SECONDS)
                    .join();
            return new Open(config, server, new InetSocketAddress(address.getAddress(), server.port()));
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw cannotListen(config, cause.getMessage(), cause);
        }
    }

    /** Closes what was made ready, and is back where it has made way for others. */
    synchronized void abandon() {
        closeNext();
        late = null;
        Open before = away;
        Sources from = sources;
        away = null;
        if (before != null && from != null && now == null) {
            try {
                ListeningPlaces.awaitFree(before.address());
                now = opened(before.config(), before.address(), from);
            } catch (StartException e) {
                LOG.error("the admin server isn't back where it was: the next reload tries again", e);
            }
        }
    }

    private void closeNext() {
        Open unneeded = next;
        next = null;
        if (unneeded != null) {
            unneeded.server().close();
        }
    }

    /** Answers where that says, and no more where it did; who has asked there is still answered. */
    synchronized void follow(@Nullable AdminConfig config) {
        Open before = now;
        Open ready = next;
        next = null;
        away = null;
        if (config != null && before != null && before.isWhere(config)) {
            before.server().follow(config);
            now = new Open(config, before.server(), before.address());
            return;
        }
        now = ready;
        if (before != null) {
            before.server().end();
        }
    }

    /**
     * Answers where another server was until it was closed just now, if anywhere.
     *
     * @throws StartException where that can't be after all
     */
    synchronized void openLate() throws StartException {
        AdminConfig config = late;
        Sources from = sources;
        late = null;
        if (config != null && from != null) {
            InetSocketAddress place = placeOf(config);
            ListeningPlaces.awaitFree(place);
            now = opened(config, place, from);
        }
    }

    /** Answers no more where it does. What was made ready stays that: it is another thread's. */
    synchronized void end() {
        Open before = now;
        now = null;
        away = null;
        if (before != null) {
            before.server().end();
        }
    }

    /**
     * Answers where that says, after {@link #end}. What another thread has made ready comes to nothing: where it is in the way, at once.
     *
     * @throws StartException where that can't be
     */
    synchronized void again(@Nullable AdminConfig config) throws StartException {
        Sources from = sources;
        if (config != null && from != null && now == null) {
            InetSocketAddress place = placeOf(config);
            Open ready = next;
            if (ready != null && ListeningPlaces.overlap(ready.address(), place)) {
                closeNext();
                ListeningPlaces.awaitFree(place);
            }
            now = opened(config, place, from);
        }
    }

    /** Ends all servers and connections. */
    synchronized Future<Void> close() {
        closeNext();
        away = null;
        Open open = now;
        return open == null ? Future.succeededFuture() : open.server().close();
    }
}
