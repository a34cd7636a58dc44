package net.oooops.sigma.races;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import kotlin.Unit;
import org.jspecify.annotations.Nullable;
import org.pastalab.fray.core.TestRunner;
import org.pastalab.fray.core.command.Configuration;
import org.pastalab.fray.core.command.ExecutionInfo;
import org.pastalab.fray.core.command.LambdaExecutor;
import org.pastalab.fray.core.command.NetworkDelegateType;
import org.pastalab.fray.core.command.SystemTimeDelegateType;
import org.pastalab.fray.core.observers.TimelineCoverageType;
import org.pastalab.fray.core.randomness.ControlledRandom;
import org.pastalab.fray.core.scheduler.POSScheduler;

/**
 * Runs models under many schedules, in the JVM that {@link InstrumentedJdk} begins. Which schedules these are follows from {@code sigma.races.seed}: what was found once is
 * found again.
 *
 * <p>Each argument is a class, or one model of a class: {@code net.oooops.sigma.upstream.EjectionRaces#name}.
 */
public final class Interleaved {
    /** Begins each line that is an outcome. */
    public static final String MARK = "race ";

    /** Follows its name. */
    public static final String PASSED = " passed";

    /** As well. */
    public static final String FAILED = " failed";

    static final String SEED = "sigma.races.seed";
    static final String TIMES = "sigma.races.times";

    /** Of one model. */
    private static final int SECONDS_MAX = 3600;
    /** A model that has come no further in that time waits for ever: where it waits with a limit, Fray lets it do so. */
    private static final long STILL_SECONDS = 60;

    private static final AtomicLong BEGUN = new AtomicLong();

    private Interleaved() {}

    /** Exits with 1 where a model failed. */
    @SuppressWarnings("SystemOut") // What it is read by.
    public static void main(String[] args) throws ReflectiveOperationException {
        Thread.ofPlatform().daemon().name("watch").start(Interleaved::watch);
        boolean failed = false;
        for (String each : args) {
            String[] named = each.split("#", 2);
            for (Method model : models(Class.forName(named[0]))) {
                if (named.length == 1 || model.getName().equals(named[1])) {
                    failed |= !explore(model);
                }
            }
        }
        System.exit(failed ? 1 : 0);
    }

    /** How many times as many schedules as models say. */
    public static int times() {
        return Integer.getInteger(TIMES, 1);
    }

    @SuppressWarnings("SystemOut") // As above.
    private static void watch() {
        long seen = -1;
        while (seen != BEGUN.get()) {
            seen = BEGUN.get();
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(STILL_SECONDS));
        }
        System.out.println("no schedule has ended for " + STILL_SECONDS + " s");
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            System.out.println(thread);
            Arrays.stream(stack).forEach(each -> System.out.println("    " + each));
        });
        Runtime.getRuntime().halt(1);
    }

    /** Those of a class by their names, as arguments. */
    public static List<String> names(Class<?> type) {
        return models(type).stream().map(Interleaved::name).toList();
    }

    /** Those of a class, in the order of their names. */
    private static List<Method> models(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Race.class))
                .sorted(Comparator.comparing(Method::getName))
                .toList();
    }

    @SuppressWarnings("SystemOut") // As above.
    private static boolean explore(Method model) {
        model.setAccessible(true);
        String name = name(model);
        int schedules = model.getAnnotation(Race.class).schedules() * times();
        long begun = System.nanoTime();
        Throwable found = new TestRunner(configuration(model, schedules)).run();
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
        System.out.println(System.lineSeparator() + MARK + name + (found == null ? PASSED : FAILED) + " (" + schedules
                + " schedules, " + millis + " ms)");
        if (found != null) {
            found.printStackTrace(System.out);
        }
        return found == null;
    }

    private static String name(Method model) {
        return model.getDeclaringClass().getName() + "#" + model.getName();
    }

    private static Configuration configuration(Method model, int schedules) {
        Random seeds = new Random(Long.getLong(SEED, 1));
        LambdaExecutor executor = new LambdaExecutor(() -> {
            BEGUN.incrementAndGet();
            invoke(model);
            return Unit.INSTANCE;
        });
        return new Configuration(
                // Volatile fields are read and written between other threads' steps, too.
                new ExecutionInfo(executor, false, true, -1),
                Path.of(System.getProperty("fray.workDir"), name(model).replace('#', '.')),
                schedules,
                SECONDS_MAX,
                new POSScheduler(),
                () -> new ControlledRandom(new ArrayList<>(), new ArrayList<>(), new Random(seeds.nextLong())),
                true,
                false,
                true,
                false,
                false,
                false,
                NetworkDelegateType.NONE,
                SystemTimeDelegateType.NONE,
                TimeUnit.MICROSECONDS.toNanos(100),
                false,
                true,
                false,
                false,
                false,
                false,
                TimelineCoverageType.NONE);
    }

    private static void invoke(Method model) {
        try {
            model.invoke(null);
        } catch (InvocationTargetException e) {
            raise(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void raise(@Nullable Throwable thrown) {
        switch (thrown) {
            case Error error -> throw error;
            case RuntimeException exception -> throw exception;
            case null, default -> throw new IllegalStateException(thrown);
        }
    }
}
