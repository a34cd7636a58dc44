package net.oooops.sigma.plugin.jars;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import net.oooops.sigma.JarOf;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.testkit.TestContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole plugin of docs/guide/plugins.md is one. */
class GuidePluginTest {
    @TempDir
    private Path folder;

    private static String guide() throws IOException {
        Path here = Path.of("").toAbsolutePath();
        while (!Files.exists(here.resolve("sigma"))) {
            here = Objects.requireNonNull(here.getParent(), "in no checkout");
        }
        return Files.readString(here.resolve("docs/guide/plugins.md"));
    }

    @Test
    void itIsBuiltAndTaken() throws IOException {
        String guide = guide();
        String source = guide.substring(guide.indexOf("package com.example;"));
        new JarOf()
                .source(source.substring(0, source.indexOf("```")))
                .factories("com.example.Teapot")
                .write(folder.resolve("teapot.jar"));

        DropIns read = DropIns.read(folder);
        PluginCatalog catalog = new PluginCatalog(PluginFactory.class.getClassLoader()).with(read);

        assertThat(catalog.problems()).isEmpty();
        assertThat(catalog.composedSchema().unusable()).isEmpty();
        assertThat(read.all().getFirst().factories().getFirst().factory().create(Settings.of(null), new TestContext()))
                .isNotNull();
    }
}
