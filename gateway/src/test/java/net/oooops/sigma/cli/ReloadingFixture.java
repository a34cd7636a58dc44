package net.oooops.sigma.cli;

import io.vertx.core.VertxOptions;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.plugin.PluginCatalog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A gateway in this process, and what reads its files again. */
@SuppressWarnings("NullAway.Init")
abstract class ReloadingFixture {
    @TempDir
    Path folder;

    Gateway gateway;
    Reloading reloading;

    /** Starts it, with one Worker. */
    final void start(Path sigma, PluginCatalog plugins) throws Exception {
        Conf.Written written = Conf.written(List.of(sigma), InputStream.nullInputStream());
        Setup setup = Setup.readToRun(written, plugins);
        gateway = Gateway.start(setup.snapshot(), 1, new VertxOptions());
        reloading = new Reloading(gateway, written, plugins, setup);
    }

    @AfterEach
    void stop() {
        gateway.stop(Duration.ZERO);
    }
}
