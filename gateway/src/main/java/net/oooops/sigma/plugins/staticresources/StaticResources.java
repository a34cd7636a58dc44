package net.oooops.sigma.plugins.staticresources;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import net.oooops.sigma.api.AcceptEncoding;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Response;
import org.jspecify.annotations.Nullable;

/**
 * Answers with files of a folder. What paths led to lately is known, with the contents of what is small, and open files of what is large: that is
 * answered on the event loop, and nothing waits. For all else the exchange is parked, while a thread of the plugin's own looks at the folder.
 */
final class StaticResources implements Plugin {
    /** In the place of a path: none begins like that. */
    private static final String FALLBACK = "fallback";

    private final Rules rules;
    private final Shelf shelf;
    private final Cache cache;
    /** What isn't there: however much of that is asked for, it forces nothing out. */
    private final Cache absent;

    private final Lookers lookers;
    private final LongSupplier nanos;
    private final Answers answers;
    private final String strippedText;
    private final Outcome missing;
    private final Outcome hidden;

    StaticResources(Rules rules, Shelf shelf, Cache.Pair known, Lookers lookers, LongSupplier nanos) {
        this.rules = rules;
        this.shelf = shelf;
        this.cache = known.there();
        this.absent = known.absent();
        this.lookers = lookers;
        this.nanos = nanos;
        this.answers = new Answers(rules.rangesMax(), rules.refusals());
        this.strippedText = rules.stripped().toString();
        this.missing = rules.passes() ? Outcome.CONTINUE : rules.refusals().missing();
        this.hidden = rules.passes() ? Outcome.CONTINUE : rules.refusals().hidden();
    }

    @Override
    public Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        String method = request.method();
        boolean head = method.equals("HEAD");
        if (!head && !method.equals("GET")) {
            return rules.passes() ? Outcome.CONTINUE : rules.refusals().method();
        }
        String path = request.path();
        if (path.equals("/") && strippedText.isEmpty() && exchange.value(Key.CUT_OFF) != null) {
            // Relative links of a page would start from the folder above.
            return redirect(request.receivedPath(), request.receivedQuery());
        }
        if (!path.startsWith(strippedText) || !isFolder(path)) {
            return missing;
        }
        long now = nanos.getAsLong();
        Kept kept = cache.get(path, now);
        if (kept instanceof Kept.Files files && files.coded().isEmpty() && Asked.isPlain(request)) {
            Outcome whole = files.plain().whole();
            if (whole != null) {
                return whole;
            }
        }
        if (kept == null) {
            kept = absent.get(path, now);
        }
        if (kept == null && name(path) == null) {
            kept = Shelf.HIDDEN;
        }
        Asked asked = Asked.of(request, head);
        String received = request.receivedPath();
        String written = received.endsWith("/") ? path : received;
        Outcome known = kept == null ? null : known(kept, written, request.receivedQuery(), asked);
        return known == null ? look(path, written, request.receivedQuery(), asked) : known;
    }

    /** What it names in the folder; null where it can't name anything there. */
    private @Nullable String name(String path) {
        return FileName.of(path, strippedText.length(), rules.dotFiles());
    }

    /** Whether what is cut off ends at a segment's end. */
    private boolean isFolder(String path) {
        int at = strippedText.length();
        return path.length() == at ? at > 0 : path.charAt(at) == '/';
    }

    /** The answer; null where another file has to be looked for, or this one has been closed. */
    private @Nullable Outcome known(Kept kept, String written, @Nullable String query, Asked asked) {
        return switch (kept) {
            case Kept.Redirect _ -> redirect(written, query);
            case Kept.Missing nothing ->
                rules.fallback() != null && asked.acceptsHtml() ? knownFallback(asked) : missing(nothing);
            case Kept.Files files -> {
                int coded = AcceptEncoding.best(asked.acceptEncoding(), files.codings());
                yield answers.of(coded < 0 ? files.plain() : files.coded().get(coded), asked);
            }
        };
    }

    private Outcome missing(Kept.Missing nothing) {
        return nothing.hidden() ? hidden : missing;
    }

    private @Nullable Outcome knownFallback(Asked asked) {
        Kept kept = cache.get(FALLBACK, nanos.getAsLong());
        return kept instanceof Kept.Files ? known(kept, FALLBACK, null, asked) : null;
    }

    /** Relative to what the client asked for, whatever that was rewritten to; the dot keeps it from naming a host or a scheme. */
    private static Outcome redirect(String written, @Nullable String query) {
        String last = written.substring(written.lastIndexOf('/') + 1);
        String location = "./" + last + "/" + (query == null ? "" : "?" + query);
        return Outcome.respond(Response.of(301, Field.of("Location", location)));
    }

    private Outcome look(String path, String written, @Nullable String query, Asked asked) {
        CompletableFuture<Outcome> decided = new CompletableFuture<>();
        try {
            lookers.execute(() -> {
                try {
                    decided.complete(looked(path, written, query, asked));
                } catch (Throwable e) {
                    // Whatever it is: unanswered, the exchange would wait for its timeout.
                    decided.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            return rules.refusals().busy();
        }
        return Outcome.suspend(decided);
    }

    private Outcome looked(String path, String written, @Nullable String query, Asked asked) throws IOException {
        String name = name(path);
        if (name == null) {
            return fallback(asked, Shelf.HIDDEN);
        }
        // Another thread may have looked meanwhile.
        Kept kept = kept(path);
        Outcome answer = kept == null ? null : known(kept, written, query, asked);
        if (answer == null && !(kept instanceof Kept.Missing)) {
            long now = nanos.getAsLong();
            kept = shelf.look(name, path.endsWith("/"));
            try {
                answer = known(kept, written, query, asked);
            } finally {
                (kept instanceof Kept.Missing ? absent : cache).put(path, kept, now);
            }
        }
        return answer == null
                ? fallback(asked, kept instanceof Kept.Missing nothing ? nothing : Shelf.MISSING)
                : answer;
    }

    private @Nullable Kept kept(String path) {
        long now = nanos.getAsLong();
        Kept kept = cache.get(path, now);
        return kept == null ? absent.get(path, now) : kept;
    }

    /** For single-page applications: the page that finds its way by the path itself. */
    private Outcome fallback(Asked asked, Kept.Missing nothing) throws IOException {
        String name = rules.fallback();
        Outcome answer = name == null ? missing(nothing) : knownFallback(asked);
        if (name == null || answer != null) {
            return answer == null ? missing(nothing) : answer;
        }
        long now = nanos.getAsLong();
        Kept kept = shelf.fallback(name);
        try {
            if (kept instanceof Kept.Files) {
                answer = known(kept, FALLBACK, null, asked);
            }
        } finally {
            cache.put(FALLBACK, kept, now);
        }
        return answer == null ? missing(nothing) : answer;
    }

    /** What isn't believed any more goes, and files that nobody asks for. Any thread. */
    void sweep() {
        long now = nanos.getAsLong();
        cache.sweep(now);
        absent.sweep(now);
    }

    @Override
    public void close() {
        lookers.close();
        cache.close();
        absent.close();
    }
}
