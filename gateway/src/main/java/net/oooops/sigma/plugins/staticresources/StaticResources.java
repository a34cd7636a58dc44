package net.oooops.sigma.plugins.staticresources;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.plugins.staticresources.Tree.OpenFile;
import org.jspecify.annotations.Nullable;

/**
 * Answers with files of a folder. What paths led to lately is known, with the contents of what is small: that is answered on the event loop, and
 * nothing waits. For all else the exchange is parked, while a thread of the plugin's own looks at the folder or opens the file.
 */
final class StaticResources implements Plugin {
    private static final Outcome NOT_ALLOWED = Outcome.respond(Response.of(405, Field.of("Allow", "GET, HEAD")));

    private static final Outcome NOT_FOUND = Outcome.refuse(Fault.NO_ROUTE);
    private static final Outcome BUSY = Outcome.refuse(Fault.OVERLOADED);

    private static final int TRIES_MAX = 3;

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

    StaticResources(Rules rules, Shelf shelf, Cache.Pair known, Lookers lookers, LongSupplier nanos) {
        this.rules = rules;
        this.shelf = shelf;
        this.cache = known.there();
        this.absent = known.absent();
        this.lookers = lookers;
        this.nanos = nanos;
        this.answers = new Answers(rules.rangesMax());
        this.strippedText = rules.stripped().toString();
        this.missing = rules.passes() ? Outcome.CONTINUE : NOT_FOUND;
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
            return rules.passes() ? Outcome.CONTINUE : NOT_ALLOWED;
        }
        String path = request.path();
        if (!path.startsWith(strippedText) || !isFolder(path)) {
            return missing;
        }
        Kept kept = cache.get(path, nanos.getAsLong());
        if (kept instanceof Kept.Files files && files.coded().isEmpty() && Asked.isPlain(request)) {
            Outcome whole = files.plain().whole();
            if (whole != null) {
                return whole;
            }
        }
        if (kept == null) {
            kept = absent.get(path, nanos.getAsLong());
        }
        Asked asked = Asked.of(request, head);
        Outcome known = kept == null ? null : known(kept, path, request.query(), asked);
        return known == null ? look(path, request.query(), asked) : known;
    }

    /** Whether what is cut off ends at a segment's end. */
    private boolean isFolder(String path) {
        int at = strippedText.length();
        return path.length() == at ? at > 0 : path.charAt(at) == '/';
    }

    /** The answer, where no file has to be opened or looked for; else null. */
    private @Nullable Outcome known(Kept kept, String path, @Nullable String query, Asked asked) {
        return switch (kept) {
            case Kept.Redirect _ -> redirect(path, query);
            case Kept.Missing _ -> rules.fallback() != null && asked.acceptsHtml() ? knownFallback(asked) : missing;
            case Kept.Files files -> {
                ServedFile file = chosen(files, asked);
                byte[] content = file.content();
                yield content == null ? answers.withoutContent(file, asked) : answers.of(file, asked, content);
            }
        };
    }

    private @Nullable Outcome knownFallback(Asked asked) {
        Kept kept = cache.get(FALLBACK, nanos.getAsLong());
        return kept instanceof Kept.Files ? known(kept, FALLBACK, null, asked) : null;
    }

    private static ServedFile chosen(Kept.Files files, Asked asked) {
        ServedFile coded = Codings.choose(files.coded(), asked.acceptEncoding());
        return coded == null ? files.plain() : coded;
    }

    /** Relative to what the client asked for, whatever that was rewritten to; the dot keeps it from naming a host or a scheme. */
    private static Outcome redirect(String path, @Nullable String query) {
        String last = path.substring(path.lastIndexOf('/') + 1);
        String location = "./" + last + "/" + (query == null ? "" : "?" + query);
        return Outcome.respond(Response.of(301, Field.of("Location", location)));
    }

    private Outcome look(String path, @Nullable String query, Asked asked) {
        CompletableFuture<Outcome> decided = new CompletableFuture<>();
        try {
            lookers.execute(() -> {
                try {
                    decided.complete(looked(path, query, asked));
                } catch (Throwable e) {
                    // Whatever it is: unanswered, the exchange would wait for its timeout.
                    decided.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            return BUSY;
        }
        return Outcome.suspend(decided);
    }

    private Outcome looked(String path, @Nullable String query, Asked asked) throws IOException {
        for (int i = 0; i < TRIES_MAX; i++) {
            Kept kept = kept(path);
            Outcome known = known(kept, path, query, asked);
            if (known != null) {
                return known;
            }
            if (kept instanceof Kept.Missing) {
                return fallback(asked);
            }
            Outcome opened = opened((Kept.Files) kept, asked);
            if (opened != null) {
                return opened;
            }
            cache.drop(path);
        }
        throw new IOException(path + ": a file that is replaced all the time");
    }

    private Kept kept(String path) throws IOException {
        long now = nanos.getAsLong();
        Kept kept = cache.get(path, now);
        if (kept == null) {
            kept = absent.get(path, now);
        }
        if (kept == null) {
            String name = FileName.of(path, strippedText.length(), rules.dotFiles());
            kept = shelf.look(name, path.endsWith("/"));
            (kept instanceof Kept.Missing ? absent : cache).put(path, kept, now);
        }
        return kept;
    }

    /** For single-page applications: the page that finds its way by the path itself. */
    private Outcome fallback(Asked asked) throws IOException {
        String name = rules.fallback();
        Kept kept = cache.get(FALLBACK, nanos.getAsLong());
        for (int i = 0; i < TRIES_MAX && name != null; i++) {
            if (kept == null) {
                kept = shelf.look(name, false);
                cache.put(FALLBACK, kept, nanos.getAsLong());
            }
            if (!(kept instanceof Kept.Files files)) {
                return missing;
            }
            Outcome known = known(files, FALLBACK, null, asked);
            Outcome opened = known == null ? opened(files, asked) : known;
            if (opened != null) {
                return opened;
            }
            kept = null;
        }
        return missing;
    }

    /** The answer with the file open, or null where it is another version by now. */
    private @Nullable Outcome opened(Kept.Files files, Asked asked) throws IOException {
        ServedFile file = chosen(files, asked);
        OpenFile open = shelf.file(file.name());
        if (open == null) {
            return null;
        }
        boolean given = false;
        try {
            if (!file.isSame(open)) {
                return null;
            }
            Outcome answer = answers.of(file, asked, open.channel());
            given = true;
            return answer;
        } finally {
            if (!given) {
                open.channel().close();
            }
        }
    }

    @Override
    public void close() {
        lookers.close();
    }
}
