package net.oooops.sigma.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.ask.FilePatience;

/** A configuration as it is with all that it includes, before it is checked. */
public final class WholeConfig {
    private WholeConfig() {}

    /** It in one text of JSON, with values in the places of variables and secrets. */
    public static String json(Path file, Map<String, String> pluginSchemas) {
        ConfigTexts texts = new ConfigTexts(null, null, FilePatience.ENDLESS);
        ConfigFiles files = new ConfigFiles(new ConfigSchema(pluginSchemas), System::getenv, texts);
        Json root = files.read(List.of(Layer.of(file)));
        if (root == null || !files.problems().isEmpty()) {
            throw new AssertionError(files.problems().sorted());
        }
        return JsonText.of(root);
    }
}
