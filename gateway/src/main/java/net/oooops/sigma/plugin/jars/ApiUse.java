package net.oooops.sigma.plugin.jars;

import java.io.IOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.stream.Stream;
import net.oooops.sigma.plugin.jars.ClassConstants.Use;
import org.jspecify.annotations.Nullable;

/**
 * Whether the classes of a jar were built for this version of Sigma's api, and of Java: else a method that isn't there would show at the first request that comes to
 * it. Nothing of the jar is loaded for that.
 *
 * <p>One thread at a time.
 */
final class ApiUse {
    private static final String API = DropInLoader.API.replace('.', '/');
    private static final int JAVA = 44;
    private static final ClassLoader GATEWAY = ApiUse.class.getClassLoader();

    private final Map<Use, Boolean> known = new HashMap<>();
    private final Map<String, Boolean> knownClasses = new HashMap<>();

    /** @throws Unfit where a class of it can't be used */
    void require(PrivateJar jar) throws Unfit, IOException {
        List<JarEntry> classes;
        try (Stream<JarEntry> all = jar.jar().versionedStream()) {
            classes = all.filter(ApiUse::isChecked).toList();
        }
        for (JarEntry entry : classes) {
            require(entry.getName(), constants(entry, jar));
        }
    }

    /** What is in the api's own packages, the gateway's take the place of. */
    private static boolean isChecked(JarEntry entry) {
        String name = entry.getName();
        return name.endsWith(".class")
                && !name.endsWith("module-info.class")
                && !name.startsWith("META-INF/")
                && !name.startsWith(API);
    }

    private static ClassConstants constants(JarEntry entry, PrivateJar jar) throws Unfit {
        try {
            return ClassConstants.read(jar.bytes(entry));
        } catch (IOException | RuntimeException e) {
            throw new Unfit(entry.getName() + ": no class that can be read: " + e, "a jar as its build made it");
        }
    }

    private void require(String name, ClassConstants constants) throws Unfit {
        int feature = Runtime.version().feature();
        if (constants.major() > feature + JAVA) {
            throw new Unfit(
                    name + ": compiled for Java " + (constants.major() - JAVA),
                    "a jar for Java " + feature + " at most, which runs here: maven.compiler.release");
        }
        for (String type : constants.classes()) {
            if (type.startsWith(API) && !knownClasses.computeIfAbsent(type, each -> find(each) != null)) {
                throw notThere(name, type.replace('/', '.'));
            }
        }
        for (Use use : constants.uses()) {
            if (use.owner().startsWith(API) && !known.computeIfAbsent(use, ApiUse::isThere)) {
                throw notThere(name, use.owner().replace('/', '.') + "." + use.name() + use.descriptor());
            }
        }
    }

    private static Unfit notThere(String name, String what) {
        return new Unfit(name + ": uses " + what + ", which this version of Sigma doesn't have", Unfit.REBUILT);
    }

    private static @Nullable Class<?> find(String type) {
        try {
            return Class.forName(type.replace('/', '.'), false, GATEWAY);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static boolean isThere(Use use) {
        Class<?> owner = find(use.owner());
        if (owner == null) {
            return false;
        }
        if (use.name().equals("<init>")) {
            return Arrays.stream(owner.getDeclaredConstructors())
                    .anyMatch(each -> isOpen(each.getModifiers())
                            && MethodType.methodType(void.class, each.getParameterTypes())
                                    .descriptorString()
                                    .equals(use.descriptor()));
        }
        Deque<Class<?>> types = new ArrayDeque<>(List.of(owner, Object.class));
        while (!types.isEmpty()) {
            Class<?> type = types.pop();
            if (use.isMethod() ? hasMethod(type, use) : hasField(type, use)) {
                return true;
            }
            types.addAll(Arrays.asList(type.getInterfaces()));
            if (type.getSuperclass() != null) {
                types.add(type.getSuperclass());
            }
        }
        return false;
    }

    private static boolean hasMethod(Class<?> type, Use use) {
        for (Method each : type.getDeclaredMethods()) {
            if (each.getName().equals(use.name())
                    && isOpen(each.getModifiers())
                    && MethodType.methodType(each.getReturnType(), each.getParameterTypes())
                            .descriptorString()
                            .equals(use.descriptor())) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasField(Class<?> type, Use use) {
        return Arrays.stream(type.getDeclaredFields())
                .anyMatch(each -> each.getName().equals(use.name())
                        && isOpen(each.getModifiers())
                        && each.getType().descriptorString().equals(use.descriptor()));
    }

    private static boolean isOpen(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    /**
     * That a class has all that it is called for: one that was built when there was less has not.
     *
     * @throws Unfit naming what it lacks
     */
    static void requireWhole(Class<?> type) throws Unfit {
        for (Method each : type.getMethods()) {
            if (Modifier.isAbstract(each.getModifiers())
                    && each.getDeclaringClass().getName().startsWith(DropInLoader.API)) {
                throw new Unfit(
                        type.getName() + ": has no " + each.getName()
                                + MethodType.methodType(each.getReturnType(), each.getParameterTypes())
                                + ", which this version of Sigma calls",
                        Unfit.REBUILT);
            }
        }
    }
}
