package net.oooops.sigma.reachability;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandler;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the gateway looks up by name is registered for a native image, as far as that can be seen without one. That what is registered is there,
 * {@code NativeImageTest} asks.
 *
 * <p>Lookups by native code and by method handles, and those on roads that {@link Roads} doesn't take, aren't seen.
 */
@Tag("long")
@Timeout(240)
class ReachabilityTest {
    private static final Path OWN = Path.of("src/main/resources/META-INF/native-image/net.oooops.sigma");
    private static final Path CLASSES = Path.of("target/classes");
    private static final ClassLoader LOADER = ReachabilityTest.class.getClassLoader();

    /** What is asked for in vain, as ends of what {@link LookedUp} says, where that does no harm. */
    private static final Set<String> IN_VAIN = Set.of(
            // The algorithms of a provider that Netty tries where BoringSSL isn't there. The fat jar has none of them,
            // so that it is in vain on a
            // JVM, too; the JDK's TLS does without.
            "by org.bouncycastle.jcajce.provider.symmetric.util.ClassUtil.loadClass",
            // How much memory outside the heap there may be. GraalVM has a method in that field's place; Netty takes
            // the bound of the heap then.
            "field java.nio.Bits MAX_MEMORY, by io.netty.util.internal.PlatformDependent0$5.run");

    private static List<JsonObject> entries(String section) {
        try (Stream<Path> all = Files.walk(OWN)) {
            List<JsonObject> entries = new ArrayList<>();
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                JsonArray found = new JsonObject(Files.readString(file)).getJsonArray(section, new JsonArray());
                found.forEach(each -> entries.add((JsonObject) each));
            }
            return entries;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The class path without the tests' own classes. */
    private static List<Path> classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(each -> !each.contains("test-classes"))
                .map(Path::of)
                .toList();
    }

    private static Class<?> named(String file) throws ClassNotFoundException {
        String name = file.replace(File.separatorChar, '.').replaceFirst("\\.class$", "");
        return Class.forName(name, false, LOADER);
    }

    /** Else Netty hands it each event, wanted or not. */
    @Test
    void allHandlersAreRegistered() throws Exception {
        Set<String> registered = entries("reflection").stream()
                .map(each -> String.valueOf(each.getValue("type")))
                .collect(Collectors.toSet());
        Set<String> handlers = new TreeSet<>();
        try (Stream<Path> all = Files.walk(CLASSES)) {
            for (Path each :
                    all.filter(path -> path.toString().endsWith(".class")).toList()) {
                Class<?> type = named(CLASSES.relativize(each).toString());
                if (ChannelHandler.class.isAssignableFrom(type) && !Modifier.isAbstract(type.getModifiers())) {
                    handlers.add(type.getName());
                }
            }
        }
        assertThat(handlers).hasSizeGreaterThan(15).isSubsetOf(registered);
    }

    private static boolean isMissing(LookedUp each, Metadata registered) {
        return !each.isOfAnnotation()
                && !registered.has(each)
                && each.isAsked(LOADER)
                && each.exists(LOADER)
                && !each.isConstant(LOADER);
    }

    @Test
    void whatIsLookedUpIsRegistered(@TempDir Path folder) throws Exception {
        Needed.transport(Transport.EPOLL);
        Needed.transport(Transport.IO_URING);
        Metadata registered = Metadata.of(classPath());
        Set<String> missing = new TreeSet<>();
        Set<String> kinds = new TreeSet<>();
        Set<String> inVain = new TreeSet<>();

        for (String line : new Roads(folder, classPath()).lookups()) {
            LookedUp each = LookedUp.of(line);
            kinds.add(each.kind());
            if (isMissing(each, registered)) {
                Optional<String> known =
                        IN_VAIN.stream().filter(each.toString()::endsWith).findAny();
                known.ifPresentOrElse(inVain::add, () -> missing.add(each.toString()));
            }
        }

        assertThat(missing).isEmpty();
        // Else it is no longer in vain.
        assertThat(inVain).containsExactlyInAnyOrderElementsOf(IN_VAIN);
        // The agent has seen something of each; and no class was made.
        assertThat(kinds).containsExactly("all", "field", "method", "proxy", "resource", "type");
    }
}
