package net.oooops.sigma.control;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.ask.LookingThread;
import net.oooops.sigma.tls.NodeTls;
import net.oooops.sigma.tls.Renewable;
import net.oooops.sigma.tls.ServerTls;
import net.oooops.sigma.tls.TlsException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the files of certificates, and of what those of clients are measured by, from a thread of its own, once a second: what has changed
 * holds for those who connect from then on. Files that don't go together, as while they are being replaced one after the other, leave what
 * was there in place; what stays wrong is said once. It also says what is about to expire.
 *
 * <p>{@link #look} is for one thread.
 */
final class CertificateWatch implements AutoCloseable {
    static final Duration LOOK = Duration.ofSeconds(1);
    /** Files that are wrong for so many looks stay so. */
    private static final int LOOKS_WRONG = 3;

    private static final Duration SAY_AGAIN = Duration.ofDays(1);

    private static final Logger LOG = LoggerFactory.getLogger(CertificateWatch.class);

    private final List<Watched> all;
    private final LookingThread thread = new LookingThread("sigma-certificates", LOG, this::lookNow);

    /**
     * Who shows certificates.
     *
     * @param kind what it is
     * @param id its id
     * @param renewables what it has of files that may change
     */
    record Owner(Sources.CertificateOwner kind, String id, List<Renewable> renewables) {
        /** A server, to its clients. */
        static Owner listener(String id, ServerTls tls) {
            if (tls.config().isSelfSigned()) {
                LOG.warn(
                        "{}: shows a self-signed certificate for localhost, which nobody else trusts: not for the public",
                        id);
            }
            return new Owner(Sources.CertificateOwner.LISTENER, id, tls.renewables());
        }

        /** Sigma itself, to the nodes of an Upstream. */
        static Owner upstream(String id, NodeTls tls) {
            return new Owner(Sources.CertificateOwner.UPSTREAM, id, tls.renewables());
        }

        @Override
        public String toString() {
            return kind == Sources.CertificateOwner.UPSTREAM ? "upstream " + id : id;
        }
    }

    /** A certificate, or what others are measured by, and what was last seen of its files. */
    private static final class Watched {
        private final Owner owner;
        private final Renewable renewable;
        private List<FileStamp> seen;
        private boolean unsettled = true;
        private int looksWrong;
        private volatile @Nullable String said;
        private Instant saidExpiry = Instant.EPOCH;

        Watched(Owner owner, Renewable renewable) {
            this.owner = owner;
            this.renewable = renewable;
            this.seen = stamps();
        }

        private List<FileStamp> stamps() {
            return renewable.files().stream().map(FileStamp::of).toList();
        }

        void look(Instant now) {
            List<FileStamp> stamps = stamps();
            if (unsettled || !stamps.equals(seen) || renewable.isDue(now)) {
                seen = stamps;
                unsettled = stamps.stream().anyMatch(FileStamp::isYoung);
                read();
            }
            expiry(now);
        }

        private void read() {
            try {
                if (renewable.renew()) {
                    LOG.info("{}: takes the new {} in {}{}", owner, renewable.what(), renewable.file(), until());
                    saidExpiry = Instant.EPOCH;
                } else if (said != null) {
                    LOG.info("{}: {} is valid again", owner, renewable.file());
                }
                said = null;
                looksWrong = 0;
            } catch (TlsException e) {
                wrong(String.valueOf(e.getMessage()));
            }
        }

        private String until() {
            Instant end = renewable.notAfter();
            return end.equals(Instant.MAX) ? "" : ", until " + end;
        }

        private void wrong(String why) {
            // The one file may be new and the other not yet.
            looksWrong++;
            unsettled |= looksWrong < LOOKS_WRONG;
            if (looksWrong >= LOOKS_WRONG && !why.equals(said)) {
                said = why;
                LOG.warn("{}: {}; the {} before stays", owner, why, renewable.what());
            }
        }

        /** A fault of Sigma's own or of the JVM's. */
        void failed(Throwable why) {
            unsettled = true;
            String text = why.toString();
            if (!text.equals(said)) {
                said = text;
                LOG.error("{}: {} could not be looked at", owner, renewable.file(), why);
            }
        }

        private void expiry(Instant now) {
            Instant end = renewable.notAfter();
            boolean over = now.isAfter(end);
            boolean saidLately = now.isBefore(saidExpiry.plus(SAY_AGAIN)) && over == saidExpiry.isAfter(end);
            if (saidLately || end.equals(Instant.MAX) || now.isBefore(renewable.expiresSoon())) {
                return;
            }
            saidExpiry = now;
            if (over) {
                LOG.warn("{}: the {} in {} has expired at {}", owner, renewable.what(), renewable.file(), end);
            } else {
                LOG.warn("{}: the {} in {} expires at {}", owner, renewable.what(), renewable.file(), end);
            }
        }

        Sources.Certificate shown() {
            return new Sources.Certificate(
                    owner.kind(), owner.id(), String.valueOf(renewable.file()), renewable.notAfter(), said != null);
        }
    }

    private CertificateWatch(List<Watched> all) {
        this.all = List.copyOf(all);
    }

    /** Of these, looked at by nobody yet. */
    static CertificateWatch of(List<Owner> owners) {
        List<Watched> all = new ArrayList<>();
        for (Owner owner : owners) {
            for (Renewable each : owner.renewables()) {
                all.add(new Watched(owner, each));
            }
        }
        return new CertificateWatch(all);
    }

    /** What there is now, each file once. Any thread. */
    List<Sources.Certificate> shown() {
        Map<List<String>, Sources.Certificate> byFile = new LinkedHashMap<>();
        for (Watched each : all) {
            Sources.Certificate shown = each.shown();
            byFile.putIfAbsent(List.of(shown.owner().name(), shown.ownerId(), shown.file()), shown);
        }
        return List.copyOf(byFile.values());
    }

    /** Watches until it is closed. */
    CertificateWatch start() {
        thread.start();
        return this;
    }

    private Duration lookNow() {
        look(Instant.now());
        return LOOK;
    }

    /** Looks at all files. */
    void look(Instant now) {
        for (Watched each : all) {
            try {
                each.look(now);
            } catch (RuntimeException | Error e) {
                each.failed(e);
            }
        }
    }

    /** Ends it: nothing is replaced any more when this returns, unless the files take longer than two seconds to read. */
    @Override
    public void close() {
        thread.close();
    }
}
