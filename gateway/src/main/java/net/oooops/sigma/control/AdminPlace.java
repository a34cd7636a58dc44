package net.oooops.sigma.control;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import net.oooops.sigma.admin.AdminServer;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.config.AdminConfig;
import org.jspecify.annotations.Nullable;

/**
 * Where those who run Sigma are answered: the admin server that there is, and the one that is to take its place.
 *
 * <p>Any thread, one at a time, but {@link #address}; {@link #end} and {@link #again} also while another thread is between {@link #prepare} and what follows it.
 * {@link #open}, {@link #prepare} and {@link #again} block.
 */
final class AdminPlace {
    private final Supplier<Vertx> vertx;
    private @Nullable Sources sources;
    private volatile @Nullable Open now;
    private @Nullable Open next;

    /** A server that listens. */
    private record Open(AdminConfig config, AdminServer server, InetSocketAddress address) {
        boolean isWhere(AdminConfig other) {
            return config.host().equals(other.host()) && config.port() == other.port();
        }
    }

    /** @param vertx whose event loops aren't the Workers'; asked for where something is to listen */
    AdminPlace(Supplier<Vertx> vertx) {
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
        prepare(config);
        follow(config);
        return address();
    }

    /** Where it listens; null where it doesn't. Any thread. */
    @Nullable InetSocketAddress address() {
        Open open = now;
        return open == null ? null : open.address();
    }

    /**
     * Listens where it says beside where it does, unless that is the same.
     *
     * @throws StartException where that can't be
     */
    void prepare(@Nullable AdminConfig config) throws StartException {
        abandon();
        Open before = now;
        Sources from = sources;
        if (config != null && from != null && (before == null || !before.isWhere(config))) {
            next = opened(config, from);
        }
    }

    private Open opened(AdminConfig config, Sources from) throws StartException {
        InetSocketAddress address = new InetSocketAddress(config.host(), config.port());
        String cannot = "proxy-server.admin: can't listen on " + config.host() + ":" + config.port() + " (";
        if (address.isUnresolved()) {
            throw new StartException(cannot + "no such host)", new UnknownHostException(config.host()));
        }
        try {
            AdminServer server = AdminServer.start(vertx.get(), config, address, from)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .orTimeout(Gateway.START_LIMIT.toSeconds(), TimeUnit.SECONDS)
                    .join();
            return new Open(config, server, new InetSocketAddress(address.getAddress(), server.port()));
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new StartException(cannot + cause.getMessage() + ")", cause);
        }
    }

    /** Closes what was made ready. */
    void abandon() {
        Open unneeded = next;
        next = null;
        if (unneeded != null) {
            unneeded.server().close();
        }
    }

    /** Answers where that says, and no more where it did; who has asked there is still answered. */
    void follow(@Nullable AdminConfig config) {
        Open before = now;
        Open ready = next;
        next = null;
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

    /** Answers no more where it does. What was made ready stays that: it is another thread's. */
    void end() {
        Open before = now;
        now = null;
        if (before != null) {
            before.server().end();
        }
    }

    /**
     * Answers where that says, after {@link #end}.
     *
     * @throws StartException where that can't be
     */
    void again(@Nullable AdminConfig config) throws StartException {
        Sources from = sources;
        if (config != null && from != null && now == null) {
            now = opened(config, from);
        }
    }

    /** Ends all servers and connections. */
    Future<Void> close() {
        abandon();
        Open open = now;
        return open == null ? Future.succeededFuture() : open.server().close();
    }
}
