package net.oooops.sigma.reachability;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Writes down what classes outside the JDK look up by name. Called by the JDK's own methods, as {@link LookupAgent} changes them, and so on the boot
 * class path, where only the JDK is.
 *
 * <p>Any thread.
 */
public final class Lookups {
    private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();
    /** What is looked up to write something down isn't. */
    private static final ThreadLocal<Boolean> WITHIN = ThreadLocal.withInitial(() -> false);

    private static volatile OutputStream lines = OutputStream.nullOutputStream();
    private static volatile boolean began;

    private Lookups() {}

    /** Where lines go from now on. */
    public static void into(Path file) throws IOException {
        // Loads what is needed below.
        caller("");
        lines = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        began = true;
    }

    /** {@code Class.forName}. */
    public static void type(String name) {
        note("type", name, "");
    }

    /** A field of a class. */
    public static void field(Class<?> of, String name) {
        note("field", of.getName(), name);
    }

    /** A method of a class. */
    public static void method(Class<?> of, String name, Class<?>[] parameters) {
        note("method", of.getName(), name + parameters(parameters));
    }

    /** A constructor of a class. */
    public static void constructor(Class<?> of, Class<?>[] parameters) {
        note("method", of.getName(), "<init>" + parameters(parameters));
    }

    /** All fields, methods or constructors of a class, as {@code what} says. */
    public static void all(Class<?> of, String what) {
        note("all", of.getName(), what);
    }

    /** A resource, relative to a class. */
    public static void resource(Class<?> beside, String name) {
        note(
                "resource",
                "",
                name.startsWith("/")
                        ? name.substring(1)
                        : beside.getPackageName().replace('.', '/') + "/" + name);
    }

    /** A resource of a class loader. */
    public static void resource(String name) {
        note("resource", "", name);
    }

    /** A class that implements interfaces, generated. */
    public static void proxy(Class<?>[] interfaces) {
        note("proxy", Arrays.stream(interfaces).map(Class::getName).collect(Collectors.joining(",")), "");
    }

    /** A class that is generated. */
    public static void defined() {
        note("defined", "", "");
    }

    private static String parameters(Class<?>[] types) {
        return Arrays.stream(types == null ? new Class<?>[0] : types)
                .map(Class::getTypeName)
                .collect(Collectors.joining(",", "(", ")"));
    }

    private static void note(String kind, String type, String member) {
        if (!began || WITHIN.get()) {
            return;
        }
        WITHIN.set(true);
        try {
            caller(kind)
                    .ifPresent(caller -> write(List.of(
                            kind,
                            type,
                            member,
                            caller.getClassName(),
                            caller.getMethodName(),
                            // Its types aren't looked up: one of them may be what is being loaded.
                            caller.getDescriptor(),
                            String.valueOf(caller.getByteCodeIndex()))));
        } finally {
            WITHIN.set(false);
        }
    }

    /** Who called the JDK's method, where that isn't a class of the JDK. */
    private static Optional<StackWalker.StackFrame> caller(String kind) {
        return WALKER.walk(frames -> frames.dropWhile(frame -> frame.getDeclaringClass() == Lookups.class)
                        .skip(1)
                        .findFirst())
                .filter(frame -> !kind.isEmpty()
                        && !frame.getDeclaringClass().getModule().isNamed());
    }

    private static void write(List<String> parts) {
        String line = String.join("\t", parts);
        if (SEEN.add(line)) {
            try {
                // In one piece, whatever other threads write.
                lines.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
