package net.oooops.sigma.cli;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.ConfigText;
import net.oooops.sigma.config.CurrentTexts;
import net.oooops.sigma.config.CurrentTexts.Lack;
import net.oooops.sigma.config.KnownRoutes;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.changes.Changes;
import net.oooops.sigma.config.changes.ConfigDiff;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.observe.HiddenTexts;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.Snapshot;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a running gateway follow another configuration: its files as they are now, or an earlier one. Whatever comes of it is in the log, whoever asked.
 *
 * <p>Any thread; it waits.
 */
final class Reloading {
    private static final Logger LOG = LoggerFactory.getLogger(Reloading.class);

    private final Gateway gateway;
    private final Conf.@Nullable Written written;
    /** What it holds by: those of the class path, and of the jars that were dropped in when it took effect. */
    private volatile PluginCatalog plugins;
    /** What the process was started with. */
    private final RuntimeConfig started;

    private volatile List<ConfigText> texts;
    /** Those of the configuration that holds. */
    private volatile KnownRoutes routes;

    private volatile List<Path> files;
    /** All that was read where there was something wrong in it, be it in an earlier configuration that holds; else none. */
    private volatile List<Path> wrong = List.of();
    /** Null where what the files say holds. */
    private volatile @Nullable RolledBack rolledBack;
    /** Whether it was rolled back with the files unknown, and nobody has read them for that since. */
    private final AtomicBoolean unread = new AtomicBoolean();
    /** Where the last thing that the log has of the files is that they were refused: why. Else null. */
    private volatile @Nullable String refused;

    private volatile BiFunction<String, List<ConfigText>, OptionalInt> listener = (who, texts) -> OptionalInt.empty();

    /**
     * What a reload did.
     *
     * @param generation the number of the configuration that holds since, in this process
     * @param number the one that it has in the history, or none where it isn't kept
     * @param changes what is different in it
     * @param jars what is different in the jars of plugins, a line each
     * @param warnings what is right in it but probably not meant, one a line
     */
    record Done(int generation, OptionalInt number, Changes changes, List<String> jars, String warnings) {
        /** In words for whoever asked. */
        String text() {
            // By the number that `history` and `rollback` know it by.
            String holds =
                    number.isPresent() ? number.getAsInt() + " holds" : generation + " holds (not in the history)";
            return warnings + "configuration " + holds + "\n" + told(changes, jars);
        }

        /** For programs. */
        Map<String, @Nullable Object> json() {
            Map<String, @Nullable Object> json = new LinkedHashMap<>();
            json.put("generation", generation);
            json.put("number", number.isPresent() ? number.getAsInt() : null);
            json.put("changes", changes.json());
            json.put("jars", jars);
            json.put("warnings", warnings.lines().toList());
            return json;
        }
    }

    private static String told(Changes changes, List<String> jars) {
        StringBuilder text = new StringBuilder(changes.isNothing() && !jars.isEmpty() ? "" : changes.text());
        jars.forEach(each -> text.append(each).append('\n'));
        return text.toString();
    }

    /**
     * What another configuration would do.
     *
     * @param changes what is different in it
     * @param jars what is different in the jars of plugins, a line each
     */
    record Would(Changes changes, List<String> jars) {
        String text() {
            return told(changes, jars);
        }

        Map<String, Object> json() {
            Map<String, Object> json = new LinkedHashMap<>(changes.json());
            json.put("jars", jars);
            return json;
        }
    }

    /**
     * Of a gateway that was just started.
     *
     * @param written what its configuration is written in; null where that is built in
     * @param plugins what it was started with
     * @param start what it was started with; not kept
     */
    Reloading(Gateway gateway, Conf.@Nullable Written written, PluginCatalog plugins, Setup start) {
        this.gateway = gateway;
        this.written = written;
        this.plugins = plugins;
        this.texts = start.texts();
        this.routes = start.routes();
        this.started = start.config().runtime();
        this.files = start.files();
    }

    /** Has it told, from now on, who had another configuration take effect, and what was read for it; it says which number that has in the history. */
    void listen(BiFunction<String, List<ConfigText>, OptionalInt> to) {
        listener = to;
    }

    /** What the process was started with. */
    RuntimeConfig started() {
        return started;
    }

    /** The plugins that there are for the configuration that holds. */
    PluginCatalog plugins() {
        return plugins;
    }

    /** Whether an earlier configuration holds, and not what the files say. */
    boolean isRolledBack() {
        return rolledBack != null;
    }

    /** The texts of the configuration that holds. */
    List<ConfigText> texts() {
        return texts;
    }

    /**
     * The files that the next reload depends on: all that the last one has read, whatever came of it, those named in others among them, and those
     * that what was rolled back to depends on. So does it on the jars of plugins.
     */
    List<Path> files() {
        Set<Path> all = new LinkedHashSet<>(files);
        RolledBack held = rolledBack;
        if (held != null) {
            all.addAll(held.files());
        }
        all.addAll(wrong);
        all.addAll(plugins.dropIns().files());
        return List.copyOf(all);
    }

    /**
     * Whether the files are to be read once they answer, changed or not: what they said when it was rolled back is unknown, and can be told from an edit
     * only until there is one. True once for each time.
     */
    boolean takeUnread() {
        return unread.getAndSet(false);
    }

    /**
     * Has what the files say now take effect.
     *
     * @param who asks for it
     * @throws Failure where it has problems, or can't take effect: all is as it was then
     */
    Done reload(String who) throws Failure {
        return take(Asking.ofReload(who), null);
    }

    /** The same for one who takes no answer. Nothing is thrown: where it fails, be it with an error of the JVM's, the log says so. */
    void reloadQuietly(String who) {
        try {
            reload(who);
        } catch (Failure e) {
            // It is in the log.
            return;
        } catch (RuntimeException | Error e) {
            LOG.error("{} asked for a reload, which failed", who, e);
        }
    }

    /**
     * The same as {@link #reload} where they say something else than what holds. What was rolled back stays so while the files of configuration say
     * what they did then: what was rolled back to is read again, with the secrets and pages of now. Else nothing is done, or said, but once where the
     * log's last word was that the files are refused. Problems are in the log, those of a file that doesn't answer once.
     *
     * @return whether all files have answered; else what they say may be another thing once they do, with nothing of them changed
     */
    boolean reloadIfOther(String who) {
        boolean answered = true;
        try {
            Following following = following(Asking.ofReload(who), null, true);
            Done done = null;
            try {
                done = following.follow();
            } finally {
                answered = !following.unanswered;
            }
            if (done != null) {
                say(LOG::info, Asking.ofReload(who).log() + ": ", done.text());
            } else if (refused != null && answered) {
                LOG.info(
                        rolledBack == null
                                ? "{}: the files are fine again, and say what holds"
                                : "{}: fine again: the configuration that was rolled back to holds",
                        who);
            }
            refused = done != null || answered ? null : refused;
        } catch (Failure e) {
            if (answered || !e.text().equals(refused)) {
                say(LOG::error, Asking.ofReload(who).refused(), e.text());
            }
            refused = e.text();
        }
        return answered;
    }

    /**
     * Has an earlier configuration take effect once more.
     *
     * @param number the one that it is asked for by
     * @param texts what its files of configuration were
     */
    Done rollBack(String who, int number, List<ConfigText> texts) throws Failure {
        return take(Asking.ofRollback(who, number), texts);
    }

    private Done take(Asking by, @Nullable List<ConfigText> kept) throws Failure {
        try {
            Done done = Objects.requireNonNull(following(by, kept, false).follow(), "a reload that did nothing");
            refused = null;
            say(LOG::info, by.log() + ": ", done.text());
            return done;
        } catch (Failure e) {
            refused = kept == null ? e.text() : refused;
            say(LOG::error, by.refused(), e.text());
            throw e;
        }
    }

    /** Each line by itself, since an event of the log is one line; what is hidden of all of them may stand on several. */
    private static void say(Consumer<String> level, String begin, String text) {
        String before = begin;
        for (String line : HiddenTexts.hide(text).stripTrailing().lines().toList()) {
            level.accept(before + line);
            before = "";
        }
    }

    private Following following(Asking by, @Nullable List<ConfigText> asked, boolean ifOther) throws Failure {
        return new Following(written(), by, asked, ifOther);
    }

    private Conf.Written written() throws Failure {
        Conf.Written there = written;
        if (there == null) {
            throw new Failure(Exit.PROBLEMS, "the configuration is built in (expected: sigma run -conf FILE)");
        }
        return there;
    }

    /** One reload, from what is read to what holds. */
    private final class Following {
        private final Conf.Written there;
        private final Asking by;
        private final @Nullable List<ConfigText> asked;
        private final boolean ifOther;
        private @Nullable Done done;
        /** Whether a file hasn't answered. */
        private boolean unanswered;

        /**
         * @param asked the texts of an earlier configuration; null: the files
         * @param ifOther whether nothing is done where nothing is different, and what was rolled back stays so
         */
        Following(Conf.Written there, Asking by, @Nullable List<ConfigText> asked, boolean ifOther) {
            this.there = there;
            this.by = by;
            this.asked = asked;
            this.ifOther = ifOther;
        }

        /** Null where nothing was to be done. */
        @Nullable Done follow() throws Failure {
            try {
                gateway.reload(this::compile);
            } catch (StartException e) {
                throw new Failure(Exit.PROBLEMS, HiddenTexts.hide(String.valueOf(e.getMessage())));
            }
            return done;
        }

        private Gateway.@Nullable Next compile(Snapshot before) throws StartException {
            // An earlier configuration is taken back with the jars of now.
            PluginCatalog next = asked == null ? plugins.again() : plugins;
            List<String> jars = next.dropIns().changesFrom(plugins.dropIns());
            RolledBack held = asked != null ? rolledBack(asked) : ifOther ? stillRolledBack() : null;
            Setup setup = setup(next, before, held);
            RolledBack same = held == null && ifOther ? sameAsRolledBack(setup) : null;
            if (same != null) {
                // The files were written between both times that they were read.
                setup.snapshot().close();
                held = same;
                setup = setup(next, before, held);
            }
            Changes changes = ConfigDiff.between(before.config(), setup.config(), started);
            if (ifOther && jars.isEmpty() && changes.isNothing()) {
                rolledBack = held;
                setup.snapshot().close();
                return null;
            }
            return next(next, setup, held, new Told(changes, jars));
        }

        private Gateway.Next next(PluginCatalog next, Setup setup, @Nullable RolledBack held, Told told) {
            return new Gateway.Next(setup.snapshot(), (but, generation) -> {
                texts = setup.texts();
                routes = setup.routes();
                plugins = next;
                rolledBack = held == null ? null : held.with(setup.files());
                wrong = List.of();
                if (asked != null && held != null && held.isUnknown()) {
                    unread.set(true);
                    LOG.warn("what the files say isn't known, as not all of them could be read: what they say once they"
                            + " can counts as rolled back (expected: another edit then, or `sigma reload`)");
                }
                String warnings = setup.warnings() + HiddenTexts.hide(but);
                done = new Done(generation, tell(by), told.changes, told.jars, warnings);
            });
        }

        private Setup setup(PluginCatalog next, Snapshot before, @Nullable RolledBack held) throws StartException {
            List<ConfigText> kept = asked == null && held != null ? texts : asked;
            return Reloading.setup(there, new With(next, new Setup.Before(before, routes), kept), result -> {
                files = kept == null ? result.files() : files;
                if (asked == null) {
                    wrong = result instanceof ConfigResult.Valid ? List.of() : result.files();
                }
                unanswered |= result instanceof ConfigResult.Invalid invalid && invalid.unanswered();
            });
        }

        private @Nullable RolledBack rolledBack(List<ConfigText> to) {
            return RolledBack.of(rolledBack, Setup.texts(there, plugins), texts, to);
        }

        /** What was rolled back, where the files of configuration still mean that, or can't be asked; else null. */
        private @Nullable RolledBack stillRolledBack() {
            RolledBack held = rolledBack;
            if (held == null) {
                return null;
            }
            CurrentTexts now = Setup.texts(there, plugins);
            if (now.lack() == Lack.UNANSWERED) {
                unanswered = true;
                return held;
            }
            if (held.isUnknown()) {
                return now.lack() == Lack.NONE ? held.saidBy(now.texts()) : held;
            }
            if (held.isSaidBy(now.texts())) {
                return held;
            }
            if (Setup.meant(there, plugins, now.texts()) instanceof ConfigResult.Valid other
                    && isMeant(held, other.config())) {
                files = other.files();
                return held.saidBy(now.texts());
            }
            return null;
        }

        /** What was rolled back, where the files meant that when they were read to take effect. */
        private @Nullable RolledBack sameAsRolledBack(Setup setup) {
            RolledBack held = rolledBack;
            return held != null && (held.isSaidBy(setup.texts()) || isMeant(held, setup.config()))
                    ? held.saidBy(setup.texts())
                    : null;
        }

        /** Both with the secrets of now: only what the files of configuration say is to count. */
        private boolean isMeant(RolledBack held, SigmaConfig other) {
            return held.from().stream()
                    .anyMatch(from -> Setup.meant(there, plugins, from) instanceof ConfigResult.Valid valid
                            && ConfigDiff.between(valid.config(), other, started)
                                    .isNothing());
        }
    }

    /** What whoever asked is told of. */
    private record Told(Changes changes, List<String> jars) {}

    /** What a configuration is read with. */
    private record With(
            PluginCatalog plugins,
            Setup.Before before,
            @Nullable List<ConfigText> kept) {}

    private static Setup setup(Conf.Written there, With with, Consumer<ConfigResult> onRead) throws StartException {
        try {
            return Setup.readToRun(there, with.plugins, with.before, with.kept, onRead);
        } catch (Failure e) {
            throw new StartException(e.text().stripTrailing(), e);
        } catch (OutOfMemoryError e) {
            throw new StartException(tooLarge(e), e);
        }
    }

    /** The JVM has one error for all kinds of memory. */
    private static String tooLarge(OutOfMemoryError e) {
        String said = String.valueOf(e.getMessage());
        if (!said.contains("heap space") && !said.contains("GC overhead")) {
            return "the memory isn't enough: " + said;
        }
        long mebibytes = Runtime.getRuntime().maxMemory() >> 20;
        return "the heap of " + mebibytes + " MiB is too small for the configuration that holds and another one"
                + " (expected: more at the next start, as by SIGMA_JAVA_OPTS=-Xmx" + 4 * mebibytes + "m)";
    }

    /** It holds already: whoever hears of it can't undo that. */
    private OptionalInt tell(Asking by) {
        try {
            return listener.apply(by.kept(), texts);
        } catch (RuntimeException | Error e) {
            LOG.error("{}, which took effect; what was to be done then failed", by.log(), e);
            return OptionalInt.empty();
        }
    }

    /**
     * What would change, with nothing changed.
     *
     * @param other where it is written
     */
    Would changes(Conf.Written other) throws Failure {
        try {
            SigmaConfig before = gateway.config();
            PluginCatalog there = plugins;
            PluginCatalog next = there.again();
            List<String> jars = next.dropIns().changesFrom(there.dropIns());
            Setup setup = Setup.readToCompare(other, next);
            setup.snapshot().close();
            return new Would(ConfigDiff.between(before, setup.config(), started), jars);
        } catch (OutOfMemoryError e) {
            throw new Failure(Exit.PROBLEMS, tooLarge(e));
        }
    }

    /**
     * What an earlier configuration means, with the secrets, pages and certificates of now.
     *
     * @param texts what its files of configuration were
     * @throws Failure where it has problems by now
     */
    SigmaConfig meant(List<ConfigText> texts) throws Failure {
        Conf.Written there = written();
        try {
            ConfigResult result = Setup.meant(there, plugins, texts);
            if (result instanceof ConfigResult.Valid valid) {
                return valid.config();
            }
            String problems = ((ConfigResult.Invalid) result).text(there.name());
            throw new Failure(Exit.PROBLEMS, HiddenTexts.hide(problems));
        } catch (OutOfMemoryError e) {
            throw new Failure(Exit.PROBLEMS, tooLarge(e));
        }
    }
}
