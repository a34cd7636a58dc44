package net.oooops.sigma.gates;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One fuzz target: of a class named {@code …FuzzTest} a method with {@code @FuzzTest}, or {@code fuzzerTestOneInput}.
 *
 * @param method takes bytes, or what Jazzer makes of them
 */
record FuzzTarget(Method method) {
    private static final String CLASSIC = "fuzzerTestOneInput";

    private static final int CHANGES_MAX = 8;
    private static final int PART_BYTES_MAX = 16;

    /** All of the gateway's, in the order of their files. */
    static List<FuzzTarget> all() {
        Path tests = SourceFile.checkout().resolve("gateway/src/test/java");
        try (Stream<Path> files = Files.walk(tests)) {
            return files.map(file -> tests.relativize(file).toString())
                    .filter(file -> file.endsWith("FuzzTest.java"))
                    .sorted()
                    .map(file -> file.replace('/', '.').replaceFirst("\\.java$", ""))
                    .flatMap(name -> of(name).stream())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<FuzzTarget> of(String name) {
        try {
            return of(Class.forName(name));
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Those of a class; at least one. */
    static List<FuzzTarget> of(Class<?> type) {
        List<FuzzTarget> found = Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(FuzzTest.class)
                        || method.getName().equals(CLASSIC))
                .map(FuzzTarget::new)
                .toList();
        if (found.isEmpty()) {
            throw new IllegalStateException(type + ": no @FuzzTest, nor " + CLASSIC);
        }
        return found;
    }

    String typeName() {
        return method.getDeclaringClass().getName();
    }

    /** Whether Jazzer has to be told the method. */
    boolean isNamed() {
        return !method.getName().equals(CLASSIC);
    }

    @Override
    public String toString() {
        return typeName() + "#" + method.getName();
    }

    /** What is kept for it beside its class, where Jazzer looks for it too. */
    List<byte[]> kept() {
        Path folder = SourceFile.checkout()
                .resolve("gateway/src/test/resources")
                .resolve(typeName().replace('.', '/') + "Inputs")
                .resolve(method.getName());
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            List<byte[]> kept = new ArrayList<>();
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                kept.add(Files.readAllBytes(file));
            }
            return kept;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is kept, nothing at all, and that many more, which follow from these by chance: the same each time. */
    List<byte[]> inputs(int more) {
        List<byte[]> inputs = new ArrayList<>(kept());
        inputs.add(new byte[0]);
        int first = inputs.size();
        SplittableRandom random = new SplittableRandom(toString().hashCode());
        for (int i = 0; i < more; i++) {
            // What was made grows on, every other time: from nothing it comes to something.
            int from = random.nextBoolean() ? random.nextInt(first) : random.nextInt(inputs.size());
            inputs.add(changed(inputs.get(from), random));
        }
        return inputs;
    }

    private static byte[] changed(byte[] input, SplittableRandom random) {
        byte[] next = input;
        for (int changes = random.nextInt(1, CHANGES_MAX + 1); changes > 0; changes--) {
            int from = random.nextInt(next.length + 1);
            int end = Math.min(next.length, from + random.nextInt(PART_BYTES_MAX));
            byte[] part = switch (random.nextInt(4)) {
                case 0 -> new byte[0];
                case 1 -> Arrays.copyOfRange(next, 0, Math.min(next.length, random.nextInt(PART_BYTES_MAX)));
                case 2 -> printable(random);
                default -> bytes(random);
            };
            byte[] changed = new byte[from + part.length + next.length - end];
            System.arraycopy(next, 0, changed, 0, from);
            System.arraycopy(part, 0, changed, from, part.length);
            System.arraycopy(next, end, changed, from + part.length, next.length - end);
            next = changed;
        }
        return next;
    }

    private static byte[] bytes(SplittableRandom random) {
        byte[] part = new byte[random.nextInt(1, PART_BYTES_MAX)];
        random.nextBytes(part);
        return part;
    }

    private static byte[] printable(SplittableRandom random) {
        byte[] part = new byte[random.nextInt(1, PART_BYTES_MAX)];
        for (int i = 0; i < part.length; i++) {
            part[i] = (byte) random.nextInt(' ', 0x7F);
        }
        return part;
    }

    /** Gives it that input; throws what it throws. */
    void run(byte[] input) throws Throwable {
        method.setAccessible(true);
        try {
            boolean asIs = method.getParameterTypes()[0] == byte[].class;
            Object given = asIs ? input : Pieces.of(input);
            method.invoke(receiver(), given);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private @Nullable Object receiver() throws ReflectiveOperationException {
        if (Modifier.isStatic(method.getModifiers())) {
            return null;
        }
        Constructor<?> constructor = method.getDeclaringClass().getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }
}
