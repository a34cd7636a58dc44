package net.oooops.sigma.gates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import net.oooops.sigma.Needed;
import net.oooops.sigma.plugins.compression.coding.Gzip;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * All that is named for the native binary is there: types, methods, fields and resources, in the form of GraalVM 25. Whether anything is missing
 * {@code ReachabilityTest} asks, as far as that can be seen without a native binary.
 */
class NativeImageTest {
    private static final Path FOLDER = Path.of("src/main/resources/META-INF/native-image");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, Class<?>> PRIMITIVES = Map.of(
            "boolean", boolean.class, "byte", byte.class, "int", int.class, "long", long.class, "void", void.class);

    static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(FOLDER)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void allThatIsNamedIsThere(Path file) throws Exception {
        assertThat(file).hasFileName("reachability-metadata.json");
        JsonNode root = JSON.readTree(Files.readString(file));
        assertThat(root.fieldNames()).toIterable().isSubsetOf("comment", "reflection", "resources", "foreign");
        for (JsonNode entry : root.path("reflection")) {
            assertThat(entry.fieldNames())
                    .toIterable()
                    .isSubsetOf(
                            "condition",
                            "type",
                            "methods",
                            "fields",
                            "jniAccessible",
                            "allPublicMethods",
                            "allPublicConstructors");
            reflected(entry);
        }
        for (JsonNode entry : root.path("resources")) {
            assertThat(entry.fieldNames()).toIterable().containsExactly("glob");
            String glob = entry.get("glob").textValue();
            assertThat(isResource(glob)).as(glob).isTrue();
        }
        calls(root.path("foreign"));
    }

    /** Calls of the system have no names here, only forms: those of the classes that {@link #allCallsAreRegistered} is given. */
    private static void calls(JsonNode foreign) {
        assertThat(foreign.fieldNames()).toIterable().isSubsetOf("downcalls");
        for (JsonNode call : foreign.path("downcalls")) {
            assertThat(call.fieldNames()).toIterable().isSubsetOf("returnType", "parameterTypes", "options");
            assertThat(PRIMITIVES).containsKey(call.get("returnType").textValue());
            for (JsonNode each : call.get("parameterTypes")) {
                assertThat(PRIMITIVES).containsKey(each.textValue());
            }
            JsonNode options = call.path("options");
            assertThat(options.fieldNames()).toIterable().isSubsetOf("firstVariadicArg");
            assertThat(options.path("firstVariadicArg").asInt())
                    .isBetween(0, Math.max(0, call.get("parameterTypes").size() - 1));
        }
    }

    /** What is linked at run time is of a form that is registered. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "net.oooops.sigma.listen.SystemCalls",
                "net.oooops.sigma.plugins.compression.coding.Zlib$Calls",
                "net.oooops.sigma.plugins.authentication.jose.Libcrypto$Calls"
            })
    void allCallsAreRegistered(String caller) throws Exception {
        Needed.here(Gzip.whyNotSystem() == null, "the system's zlib (Debian: zlib1g)");
        Set<String> registered = new HashSet<>();
        for (Path file : files()) {
            for (JsonNode call : JSON.readTree(Files.readString(file)).at("/foreign/downcalls")) {
                StringJoiner form =
                        new StringJoiner(",", "(", ")" + call.get("returnType").textValue());
                call.get("parameterTypes").forEach(each -> form.add(each.textValue()));
                registered.add(form.toString());
            }
        }
        List<String> linked = new ArrayList<>();
        for (Field field : Class.forName(caller).getDeclaredFields()) {
            if (field.getType() == MethodHandle.class) {
                field.setAccessible(true);
                linked.add(((MethodHandle) field.get(null)).type().toString());
            }
        }
        assertThat(linked).isNotEmpty().isSubsetOf(registered);
    }

    private static void reflected(JsonNode entry) throws ReflectiveOperationException {
        JsonNode type = entry.get("type");
        if (type.isObject()) {
            for (JsonNode each : type.get("proxy")) {
                assertThat(type(each.textValue())).isInterface();
            }
            return;
        }
        Class<?> found = type(type.textValue());
        for (JsonNode method : entry.path("methods")) {
            method(found, method);
        }
        for (JsonNode field : entry.path("fields")) {
            assertThat(found.getDeclaredField(field.get("name").textValue())).isNotNull();
        }
    }

    private static void method(Class<?> type, JsonNode method) throws ReflectiveOperationException {
        List<Class<?>> parameters = new ArrayList<>();
        for (JsonNode each : method.get("parameterTypes")) {
            parameters.add(type(each.textValue()));
        }
        String name = method.get("name").textValue();
        Class<?>[] types = parameters.toArray(Class<?>[]::new);
        Executable there =
                name.equals("<init>") ? type.getDeclaredConstructor(types) : type.getDeclaredMethod(name, types);
        assertThat(there).isNotNull();
    }

    private static Class<?> type(String name) throws ClassNotFoundException {
        if (name.endsWith("[]")) {
            return type(name.substring(0, name.length() - 2)).arrayType();
        }
        Class<?> primitive = PRIMITIVES.get(name);
        return primitive == null ? Class.forName(name, false, NativeImageTest.class.getClassLoader()) : primitive;
    }

    /** Whether anything on the class path is meant. */
    private static boolean isResource(String glob) throws IOException {
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
        for (String each : System.getProperty("java.class.path", "").split(File.pathSeparator, -1)) {
            if (Files.isDirectory(Path.of(each)) ? inFolder(Path.of(each), matcher) : inJar(each, matcher)) {
                return true;
            }
        }
        return false;
    }

    private static boolean inFolder(Path folder, PathMatcher matcher) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.anyMatch(path -> matcher.matches(folder.relativize(path)));
        }
    }

    private static boolean inJar(String file, PathMatcher matcher) throws IOException {
        if (!file.endsWith(".jar")) {
            return false;
        }
        try (JarFile jar = new JarFile(file)) {
            return jar.stream().anyMatch(entry -> matcher.matches(Path.of(entry.getName())));
        }
    }

    @Test
    void whatIsNotThereIsFound() throws Exception {
        for (String gone : List.of(
                "{'type': 'io.netty.Gone'}",
                "{'type': 'java.lang.String', 'methods': [{'name': 'gone', 'parameterTypes': []}]}",
                "{'type': 'java.lang.String', 'methods': [{'name': '<init>', 'parameterTypes': ['long']}]}",
                "{'type': 'java.lang.String', 'fields': [{'name': 'gone'}]}")) {
            JsonNode entry = JSON.readTree(gone.replace('\'', '"'));
            assertThatThrownBy(() -> reflected(entry)).isInstanceOf(ReflectiveOperationException.class);
        }
        assertThat(isResource("META-INF/gone*")).isFalse();
    }
}
