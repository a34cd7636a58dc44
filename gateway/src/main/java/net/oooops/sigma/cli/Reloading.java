package net.oooops.sigma.cli;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.ConfigText;
import net.oooops.sigma.config.KnownRoutes;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.changes.Changes;
import net.oooops.sigma.config.changes.ConfigDiff;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.observe.HiddenTexts;
import net.oooops.sigma.plugin.PluginCatalog;
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
    private static final String ASKED = " asked for a reload";
    private static final String REFUSED = ASKED + ", and all stays as it was: ";

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
    /** Null where what the files say holds. */
    private volatile @Nullable RolledBack rolledBack;
    /** Whether the last thing that the log has of the files is that they were refused. */
    private volatile boolean refused;

    private volatile BiFunction<String, List<ConfigText>, OptionalInt> listener = (who, texts) -> OptionalInt.empty();

    /**
     * What was rolled back, and isn't taken again before it is something else.
     *
     * @param from what the files of configuration say
     * @param files that what was rolled back to depends on
     */
    private record RolledBack(List<ConfigText> from, List<Path> files) {}

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
            String kept = number.isPresent() ? " (number " + number.getAsInt() + " of the history)" : "";
            return warnings + "configuration " + generation + " holds" + kept + "\n" + told(changes, jars);
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
            all.addAll(held.files);
        }
        all.addAll(plugins.dropIns().files());
        return List.copyOf(all);
    }

    /**
     * Has what the files say now take effect.
     *
     * @param who asks for it
     * @throws Failure where it has problems, or can't take effect: all is as it was then
     */
    Done reload(String who) throws Failure {
        return take(who, null);
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
     * log's last word was that the files are refused. Problems are in the log.
     */
    void reloadIfOther(String who) {
        try {
            Done done = follow(who, null, true);
            if (done != null) {
                say(LOG::info, who + ASKED + ": ", done.text());
            } else if (refused) {
                LOG.info(
                        rolledBack == null
                                ? "{}: the files are fine again, and say what holds: configuration {}"
                                : "{}: fine again: configuration {}, which was rolled back to, holds",
                        who,
                        gateway.generation());
            }
            refused = false;
        } catch (Failure e) {
            refused = true;
            say(LOG::error, who + REFUSED, e.text());
        }
    }

    /**
     * Has an earlier configuration take effect once more.
     *
     * @param texts what its files of configuration were
     */
    Done rollBack(String who, List<ConfigText> texts) throws Failure {
        return take(who, texts);
    }

    private Done take(String who, @Nullable List<ConfigText> kept) throws Failure {
        try {
            Done done = Objects.requireNonNull(follow(who, kept, false), "a reload that did nothing");
            refused = false;
            say(LOG::info, who + ASKED + ": ", done.text());
            return done;
        } catch (Failure e) {
            refused = refused || kept == null;
            say(LOG::error, who + REFUSED, e.text());
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

    /**
     * @param asked the texts of an earlier configuration; null: the files
     * @param ifOther whether nothing is done where nothing is different, null then, and what was rolled back stays so
     */
    private @Nullable Done follow(String who, @Nullable List<ConfigText> asked, boolean ifOther) throws Failure {
        Conf.Written there = written;
        if (there == null) {
            throw new Failure(Exit.PROBLEMS, "the configuration is built in (expected: sigma run -conf FILE)");
        }
        AtomicReference<@Nullable Done> done = new AtomicReference<>();
        try {
            gateway.reload(before -> {
                // An earlier configuration is taken back with the jars of now.
                PluginCatalog next = asked == null ? plugins.again() : plugins;
                List<String> jars = next.dropIns().changesFrom(plugins.dropIns());
                RolledBack held = asked != null ? rolledBack(there, asked) : ifOther ? stillRolledBack(there) : null;
                List<ConfigText> kept = asked == null && held != null ? texts : asked;
                Setup setup = setup(there, new With(next, new Setup.Before(before, routes), kept), result -> {
                    files = kept == null ? result.files() : files;
                });
                Changes changes = ConfigDiff.between(before.config(), setup.config(), started);
                if (ifOther && jars.isEmpty() && changes.isNothing()) {
                    rolledBack = held;
                    setup.snapshot().close();
                    return null;
                }
                return new Gateway.Next(setup.snapshot(), (but, generation) -> {
                    texts = setup.texts();
                    routes = setup.routes();
                    plugins = next;
                    rolledBack = held == null ? null : new RolledBack(held.from, setup.files());
                    done.set(new Done(generation, tell(who), changes, jars, setup.warnings() + HiddenTexts.hide(but)));
                });
            });
        } catch (StartException e) {
            throw new Failure(Exit.PROBLEMS, HiddenTexts.hide(String.valueOf(e.getMessage())));
        }
        return done.get();
    }

    /** What is rolled back by going to an earlier configuration; null where the files say that one. */
    private @Nullable RolledBack rolledBack(Conf.Written there, List<ConfigText> to) {
        List<ConfigText> from = Setup.texts(there, plugins);
        return from.equals(to) ? null : new RolledBack(from, List.of());
    }

    /** What was rolled back, where the files of configuration still mean that; else null. */
    private @Nullable RolledBack stillRolledBack(Conf.Written there) {
        RolledBack held = rolledBack;
        if (held == null) {
            return null;
        }
        List<ConfigText> now = Setup.texts(there, plugins);
        if (now.equals(held.from)) {
            return held;
        }
        // Both with the secrets of now: only what the files of configuration say is to count.
        if (Setup.meant(there, plugins, held.from) instanceof ConfigResult.Valid from
                && Setup.meant(there, plugins, now) instanceof ConfigResult.Valid other
                && ConfigDiff.between(from.config(), other.config(), started).isNothing()) {
            files = other.files();
            return new RolledBack(now, held.files);
        }
        return null;
    }

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
    private OptionalInt tell(String who) {
        try {
            return listener.apply(who, texts);
        } catch (RuntimeException | Error e) {
            LOG.error("{} asked for a reload, which took effect; what was to be done then failed", who, e);
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
}
