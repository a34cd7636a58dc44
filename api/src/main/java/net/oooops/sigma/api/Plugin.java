package net.oooops.sigma.api;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Policy on the way of an exchange, or of a session. One instance is made for each place of sigma.json that names the plugin and is shared by
 * all exchanges or sessions that pass there and by all Workers: it is immutable or safe for use from several threads.
 *
 * <p>Plugins see requests in the order in which sigma.json writes them (server, router, route, proxy-pass) and responses in
 * the reverse order. Methods are called on the exchange's event loop and must not block, unless {@link Needs#blocking} says
 * that {@code onRequest} and {@code onResponse} do. An exception ends the exchange with 500 and is logged with the plugin's
 * name.
 */
public interface Plugin extends AutoCloseable {
    /** What this plugin needs to be called for. Read once, when the chain is compiled. */
    Needs needs();

    /**
     * What it needs where it is {@linkplain Exchange#isShadow in shadow}. There nothing is transformed, and no body is collected whose length isn't said:
     * one that judges bodies may count them as they pass instead. Read once, in the place of {@link #needs}.
     */
    default Needs needsInShadow() {
        return needs();
    }

    /**
     * The ids of the proxy-passes that the plugin may send requests to, by {@link Exchange#target} or {@link Exchange#call}. Read when a chain is compiled. Each is to be a
     * setting called {@code proxy-pass-id}, wherever it stands in the plugin's settings: that it leads to a proxy-pass is checked as everywhere. One
     * that has plugins of its own is a problem, as they would not run.
     */
    default List<String> targets() {
        return List.of();
    }

    /**
     * The parameters of the Route's path that the settings name and the plugin asks for ({@link Exchange#parameter}). Read when sigma.json is compiled. Where
     * the plugin stands on a route, one that its path hasn't is a problem; elsewhere that isn't known, and a request may come without it.
     */
    default List<PathParameter> parameters() {
        return List.of();
    }

    /**
     * Sees a session that begins, before it gets a node; called where {@link Needs#session} is true, for sessions of TCP and UDP servers.
     * An exception ends the session.
     */
    default SessionOutcome onSession(Session session) throws Exception {
        return SessionOutcome.CONTINUE;
    }

    /** Sees the request before it goes upstream; called where {@link Needs#request} is true. */
    default Outcome onRequest(Exchange exchange) throws Exception {
        return Outcome.CONTINUE;
    }

    /**
     * Sees the response before it goes to the client, those of Sigma's own and of other plugins included; called where
     * {@link Needs#response} is true. Not called for a response to a request that couldn't be understood. Where the transform of a plugin that saw
     * the response before fails, and none of it was written yet, called once more for the response that takes its place.
     */
    default Outcome onResponse(Exchange exchange) throws Exception {
        return Outcome.CONTINUE;
    }

    /**
     * Sees the next bytes of the request's body, once, however often the request is tried; called where {@link Needs#requestBody} is {@link
     * BodyNeed.Kind#CHUNKS}.
     * {@code chunk} is read-only and valid until this method returns.
     */
    default void onRequestChunk(Exchange exchange, ByteBuffer chunk) {}

    /** Sees the next bytes of the response's body; otherwise as {@link #onRequestChunk}. */
    default void onResponseChunk(Exchange exchange, ByteBuffer chunk) {}

    /** Is told, where {@link Needs#end} is true, that the exchange ended, completely or not; see {@link Exchange#fault}. */
    default void onEnd(Exchange exchange) {}

    /**
     * Another instance stood at this place of sigma.json, with other settings, and goes on with the exchanges that are under way: takes over from it
     * what is to be remembered, such as counts. Called once, before {@link #start}, where sigma.json is read again while the gateway runs, on the thread
     * that does that. An exception leaves the configuration as it was.
     *
     * @param before of the same name; made by the same factory
     */
    default void takeOver(Plugin before) throws Exception {}

    /**
     * What one at the same place of sigma.json is to know in another process, which is about to take the place of this one by an upgrade: bytes
     * in a form of the plugin's own, which should begin with what it is and of which version, for the other process may be of another one. Empty
     * where there is nothing. Where they are more than {@value #LEFT_BYTES_MAX}, or it throws, that one begins without. Called while exchanges
     * are under way, and returns at once.
     */
    default byte[] leave() throws Exception {
        return new byte[0];
    }

    /**
     * What {@link #leave} has given in the process before, there maybe with other settings and of another version: what it doesn't know, or
     * doesn't want, it leaves alone. Called before {@link #start}, at most once, on the thread that starts the gateway. Where it throws, that is
     * logged, and it begins without.
     */
    default void inherit(byte[] left) throws Exception {}

    /** How much {@link #leave} may give. */
    int LEFT_BYTES_MAX = 4 << 20;

    /**
     * Begins: called once before the first exchange, on the thread that starts the gateway or reads sigma.json again, which may wait. Not called where
     * sigma.json is only checked. An exception keeps the gateway from starting, or leaves the configuration as it was.
     */
    default void start() throws Exception {}

    /**
     * Releases what the plugin holds, after its last exchange, whether it was started or not. Called once. Where sigma.json is read again that is once no
     * exchange that began before is under way, if the plugin no longer stands there, or with other settings.
     */
    @Override
    default void close() {}
}
