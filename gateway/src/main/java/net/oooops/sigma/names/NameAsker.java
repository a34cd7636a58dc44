package net.oooops.sigma.names;

import io.netty.channel.EventLoop;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import net.oooops.sigma.names.NameResolution.Settings;
import net.oooops.sigma.names.NameResolution.Sockets;
import net.oooops.sigma.names.NameResolution.SrvAnswer;
import org.jspecify.annotations.Nullable;

/**
 * Asks name servers for the whole process, on an event loop that no Worker has: each host name once, whoever uses it, and again when its
 * TTL is over and somebody wants it. Its socket is opened when the first name is asked for: a gateway whose nodes are all addresses needs
 * none.
 *
 * <pre>
 *   Worker, check ─ reads ──────────────▶ HostName ◀─ answers ─┐
 *        └─ where that is due: ask ─▶ NameAsker ─▶ NameQuestions ─▶ name servers
 * </pre>
 *
 * <p>Any thread, where nothing else is said.
 */
public final class NameAsker implements AutoCloseable {
    private final EventLoop loop;
    private final Sockets sockets;
    private final NameOutages outages;
    private final LastAnswers last;
    private final ConcurrentMap<String, Used> hosts = new ConcurrentHashMap<>();
    private volatile Settings settings;

    // Of its event loop
    private final List<NameQuestions> lines = new ArrayList<>();
    private @Nullable ServerOrder servers;
    private boolean closed;

    /** A host name, and how many use it. */
    private record Used(HostName host, int count) {}

    /**
     * Asks nobody yet.
     *
     * @param loop on which name servers are asked; it isn't ended by this
     * @param outages told which names there is no answer for
     * @param last told which answers there are, and asked where there is none
     */
    public NameAsker(EventLoop loop, Sockets sockets, Settings settings, NameOutages outages, LastAnswers last) {
        this.loop = loop;
        this.sockets = sockets;
        this.settings = settings;
        this.outages = outages;
        this.last = last;
    }

    /** Questions are asked like that from now on. */
    public void follow(Settings now) {
        settings = now;
    }

    Settings settings() {
        return settings;
    }

    EventLoop loop() {
        return loop;
    }

    NameOutages outages() {
        return outages;
    }

    LastAnswers last() {
        return last;
    }

    /** A host name for one more who uses it, to be left by {@link HostName#leave}. */
    HostName use(String host) {
        return hosts.compute(
                        host,
                        (name, used) -> used == null
                                ? new Used(new HostName(this, name), 1)
                                : new Used(used.host(), used.count() + 1))
                .host();
    }

    void leave(HostName host) {
        Used left = hosts.computeIfPresent(
                host.host(), (name, used) -> used.count() == 1 ? null : new Used(used.host(), used.count() - 1));
        if (left == null) {
            host.abandon();
        }
    }

    /** How many names somebody uses. */
    public int usedCount() {
        return hosts.size();
    }

    /**
     * Asks; on its event loop.
     *
     * @return whether it does: nothing is told where it asks nobody any more
     */
    boolean ask(String host, NameQuestions.Outcome outcome) {
        if (closed) {
            return false;
        }
        line(host).ask(host, outcome);
        return true;
    }

    /** The records of a service. */
    void srv(String name, Promise<SrvAnswer> answer) {
        try {
            loop.execute(() -> {
                if (closed) {
                    answer.tryFailure(new RejectedExecutionException("nobody is asked any more"));
                    return;
                }
                try {
                    askSrv(name, answer);
                } catch (RuntimeException | Error e) {
                    answer.tryFailure(e);
                }
            });
        } catch (RuntimeException | Error e) {
            answer.tryFailure(e);
        }
    }

    private void askSrv(String name, Promise<SrvAnswer> answer) {
        line(name).srv(name).addListener((Future<List<DnsRecord>> done) -> {
            if (!done.isSuccess()) {
                answer.tryFailure(done.cause());
                return;
            }
            try {
                answer.trySuccess(taken(done.getNow()));
            } catch (RuntimeException | Error e) {
                answer.tryFailure(e);
            }
        });
    }

    private static SrvAnswer taken(List<DnsRecord> answer) {
        try {
            long ttlSeconds = Integer.MAX_VALUE;
            for (DnsRecord each : answer) {
                ttlSeconds = Math.min(ttlSeconds, each.timeToLive());
            }
            return new SrvAnswer(SrvRecord.of(answer), ttlSeconds);
        } finally {
            answer.forEach(ReferenceCountUtil::release);
        }
    }

    /** The first over which nothing like that is asked: nearly always the only one. */
    private NameQuestions line(String host) {
        Settings now = settings;
        NameQuestions found = null;
        for (Iterator<NameQuestions> each = lines.iterator(); each.hasNext(); ) {
            NameQuestions line = each.next();
            if (!line.isOf(now) || (found != null && line.isIdle())) {
                each.remove();
                line.retire();
            } else if (found == null && !line.isAskingLike(host)) {
                found = line;
            }
        }
        if (found == null) {
            found = new NameQuestions(loop, sockets, now, servers(now));
            lines.add(found);
        }
        return found;
    }

    private ServerOrder servers(Settings now) {
        ServerOrder there = servers;
        if (there == null || !there.isOf(now)) {
            there = new ServerOrder(now, System::nanoTime);
            servers = there;
        }
        return there;
    }

    /** Asks nobody any more; returns at once. To be called when those who ask have ended: what is under way comes to nothing, and they aren't told. */
    @Override
    public void close() {
        try {
            loop.execute(() -> {
                closed = true;
                lines.forEach(NameQuestions::close);
                lines.clear();
            });
        } catch (RejectedExecutionException _) {
            // Its event loop has ended before.
        }
    }
}
