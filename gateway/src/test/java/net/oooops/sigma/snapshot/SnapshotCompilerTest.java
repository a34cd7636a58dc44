package net.oooops.sigma.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.plugin.PluginMaker;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever keeps a configuration from being compiled, the next one can be. */
class SnapshotCompilerTest {
    private final List<String> closed = new ArrayList<>();

    /** Says when it is closed. */
    private record Named(String name, List<String> closed) implements Plugin {
        @Override
        public Needs needs() {
            return Needs.REQUEST;
        }

        @Override
        public void close() {
            closed.add(name);
        }
    }

    private Plugin make(String name, @Nullable Object settings) {
        return new Named(String.valueOf(((Map<?, ?>) Objects.requireNonNull(settings)).get("is")), closed);
    }

    /** With a plugin of the router and one of its route. */
    private static SigmaConfig config(String ofRouter, String ofRoute) {
        String json = "{\"proxy-server\": {\"http\": [{\"id\": \"s\", \"host\": \"127.0.0.1\", \"port\": 0}]},"
                + " \"router\": [{\"id\": \"r\", \"proxy-server-id\": \"s\", \"plugin\": {\"named\": {\"is\": \""
                + ofRouter + "\"}}, \"route\": [{\"id\": \"a\", \"path\": \"/*\", \"proxy-pass-id\": \"p\","
                + " \"plugin\": {\"named\": {\"is\": \"" + ofRoute + "\"}}}]}],"
                + " \"proxy-pass\": [{\"id\": \"p\", \"upstream-id\": \"u\"}],"
                + " \"upstream\": [{\"id\": \"u\", \"nodes\": [\"http://127.0.0.1:9\"]}]}";
        ConfigResult result = new ConfigReader(Map.of("named", "{\"type\": \"object\"}"))
                .read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
        if (result instanceof ConfigResult.Valid valid) {
            return valid.config();
        }
        throw new AssertionError(((ConfigResult.Invalid) result).text(json));
    }

    private static RuntimeException unchecked(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return (RuntimeException) thrown;
    }

    static List<Throwable> thrown() {
        return List.of(
                new IllegalStateException("bad"),
                new NoClassDefFoundError("bad"),
                new AssertionError("bad"),
                new StackOverflowError("bad"));
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void whatAFactoryThrowsLeavesNothingOpen(Throwable thrown) {
        Snapshot first = SnapshotCompiler.compile(config("1", "2"), this::make);
        first.begin();
        PluginMaker failing = (name, settings) -> {
            if (Map.of("is", "bad").equals(settings)) {
                throw unchecked(thrown);
            }
            return make(name, settings);
        };

        assertThatThrownBy(() -> SnapshotCompiler.compile(config("3", "bad"), failing, first))
                .isSameAs(thrown);

        assertThat(closed).containsExactly("3");
        try (Snapshot next = SnapshotCompiler.compile(config("1", "4"), this::make, first)) {
            assertThat(next.plugin("named", Map.of("is", "1"), PluginMaker.class))
                    .isSameAs(first.plugin("named", Map.of("is", "1"), PluginMaker.class));
        }
        assertThat(closed).as("what is kept isn't closed").containsExactly("3", "4");
        first.held().end();
        assertThat(closed).containsExactly("3", "4", "1", "2");
    }

    @Test
    void oneInstanceForTwoPlacesLeavesNothingOpen() {
        Snapshot first = SnapshotCompiler.compile(config("1", "2"), this::make);
        first.begin();
        Plugin same = make("named", Map.of("is", "same"));

        assertThatThrownBy(() -> SnapshotCompiler.compile(config("3", "4"), (name, settings) -> same, first))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("one instance for each place");

        assertThat(closed).contains("same");
        SnapshotCompiler.compile(config("1", "2"), this::make, first).close();
    }

    /** A plugin that can't begin, in whichever way, is a problem of its place. */
    @ParameterizedTest
    @MethodSource("thrown")
    void whatAPluginThrowsAtItsStartIsAProblem(Throwable thrown) {
        PluginMaker maker = (name, settings) -> new Plugin() {
            @Override
            public Needs needs() {
                return Needs.REQUEST;
            }

            @Override
            public void start() {
                throw unchecked(thrown);
            }
        };
        try (Snapshot snapshot = SnapshotCompiler.compile(config("1", "2"), maker)) {
            assertThatThrownBy(snapshot::begin)
                    .isInstanceOfSatisfying(
                            SnapshotException.class,
                            e -> assertThat(e.problems().getFirst().found()).contains("can't be started"));
        }
    }
}
