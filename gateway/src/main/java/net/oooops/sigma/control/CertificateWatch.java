package net.oooops.sigma.control;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.ask.FileAnswers;
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
 * was there in place; what stays wrong is said once. It also says what is about to expire. Where nobody shows any, there is no
 * thread, or it sleeps.
 *
 * <p>{@link #look} is for one thread; {@link #follow} and {@link #close} for any, one at a time; {@link #shown} for any.
 */
final class CertificateWatch implements AutoCloseable {
    static final Duration LOOK = Duration.ofSeconds(1);
    /** Until there is something to look at, for which it is woken. */
    private static final Duration LONG = Duration.ofDays(1);

    /** Files that are wrong for so many looks stay so. */
    private static final int LOOKS_WRONG = 3;

    private static final Duration SAY_AGAIN = Duration.ofDays(1);

    private static final Logger LOG = LoggerFactory.getLogger(CertificateWatch.class);

    private volatile List<Shelf> all = List.of();
    private final LookingThread thread = new LookingThread("sigma-certificates", LOG, this::lookNow);
    private boolean started;

    /**
     * Who shows certificates.
     *
     * @param kind what it is
     * @param id its id
     * @param tls how it shows them: the same object where these are the same
     * @param renewables what it has of files that may change
     * @param selfSigned whether one is nobody else's
     */
    record Owner(Sources.CertificateOwner kind, String id, Object tls, List<Renewable> renewables, boolean selfSigned) {
        /** A server, to its clients. */
        static Owner listener(String id, ServerTls tls) {
            return new Owner(
                    Sources.CertificateOwner.LISTENER,
                    id,
                    tls,
                    tls.renewables(),
                    tls.config().isSelfSigned());
        }

        /** Sigma itself, to the nodes of an Upstream. */
        static Owner upstream(String id, NodeTls tls) {
            return new Owner(Sources.CertificateOwner.UPSTREAM, id, tls, tls.renewables(), false);
        }

        private boolean isSame(Owner other) {
            return kind == other.kind && id.equals(other.id) && tls == other.tls;
        }

        @Override
        public String toString() {
            return kind == Sources.CertificateOwner.UPSTREAM ? "upstream " + id : id;
        }
    }

    /** What somebody shows, as it is watched. */
    private record Shelf(Owner owner, List<Watched> all) {
        static Shelf of(Owner owner) {
            if (owner.selfSigned()) {
                LOG.warn(
                        "{}: shows a self-signed certificate for localhost, which nobody else trusts: not for the public",
                        owner.id());
            }
            return new Shelf(
                    owner,
                    owner.renewables().stream()
                            .map(each -> new Watched(owner, each))
                            .toList());
        }
    }

    /** A certificate, or what others are measured by, and what was last seen of its files. */
    private static final class Watched {
        private final Owner owner;
        private final Renewable renewable;
        private List<FileStamp> seen = List.of();
        private boolean unsettled = true;
        /** Whether one of its files hasn't answered, which was said. */
        private boolean unanswered;

        private int looksWrong;
        private volatile @Nullable String said;
        private Instant saidExpiry = Instant.EPOCH;

        Watched(Owner owner, Renewable renewable) {
            this.owner = owner;
            this.renewable = renewable;
        }

        /** Null where one of its files doesn't answer: what has changed nobody knows. */
        private @Nullable List<FileStamp> stamps() {
            List<FileStamp> stamps = new ArrayList<>();
            try {
                for (Path file : renewable.files()) {
                    stamps.add(FileStamp.asked(file));
                }
                unanswered = false;
                return stamps;
            } catch (FileAnswers.Unanswered e) {
                if (!unanswered) {
                    unanswered = true;
                    LOG.warn("{}: {}: {}; the {} before stays", owner, e.getFile(), e.getReason(), renewable.what());
                }
            } catch (IOException e) {
                LOG.debug("{}: closed while it was looked at", owner, e);
            }
            return null;
        }

        void look(Instant now) {
            List<FileStamp> stamps = stamps();
            if (stamps == null) {
                unsettled = true;
            } else if (unsettled || !stamps.equals(seen) || renewable.isDue(now)) {
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

    /** Of nobody yet. */
    CertificateWatch() {}

    /** Of these, looked at by nobody yet. */
    static CertificateWatch of(List<Owner> owners) {
        CertificateWatch watch = new CertificateWatch();
        watch.take(owners);
        return watch;
    }

    /** Watches those of these from now on, until it is closed; of those that it has watched before what was seen stays. */
    void follow(List<Owner> owners) {
        take(owners);
        if (!started && !owners.isEmpty()) {
            started = true;
            thread.start();
        } else {
            thread.wake();
        }
    }

    private void take(List<Owner> owners) {
        List<Shelf> before = all;
        List<Shelf> now = new ArrayList<>();
        for (Owner owner : owners) {
            now.add(before.stream()
                    .filter(shelf -> shelf.owner().isSame(owner))
                    .findFirst()
                    .orElseGet(() -> Shelf.of(owner)));
        }
        all = List.copyOf(now);
    }

    /** What there is now, each file once: where one is used for several things, what is worst of them. Any thread. */
    List<Sources.Certificate> shown() {
        Map<List<String>, Sources.Certificate> byFile = new LinkedHashMap<>();
        for (Shelf shelf : all) {
            for (Watched each : shelf.all()) {
                Sources.Certificate shown = each.shown();
                byFile.merge(
                        List.of(shown.owner().name(), shown.ownerId(), shown.file()), shown, Sources.Certificate::and);
            }
        }
        return List.copyOf(byFile.values());
    }

    private Duration lookNow() {
        look(Instant.now());
        return all.isEmpty() ? LONG : LOOK;
    }

    /** Looks at all files. */
    void look(Instant now) {
        for (Shelf shelf : all) {
            for (Watched each : shelf.all()) {
                look(each, now);
            }
        }
    }

    private static void look(Watched each, Instant now) {
        try {
            each.look(now);
        } catch (RuntimeException | Error e) {
            each.failed(e);
        }
    }

    /** Ends it: nothing is replaced any more when this returns, unless the files take longer than two seconds to read. */
    @Override
    public void close() {
        thread.close();
    }
}
