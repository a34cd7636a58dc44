package net.oooops.sigma.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import javax.crypto.SecretKey;
import net.oooops.sigma.ask.FilePatience;
import net.oooops.sigma.memory.Descriptors;
import org.jspecify.annotations.Nullable;

/**
 * Reads sigma.json, with the files that it includes: texts to a tree with places, checked against the schema with those of the plugins in it, then for what a schema
 * cannot say, then made into records.
 *
 * <p>For one thread at a time.
 */
public final class ConfigReader {

    /** The longest file that is read; all that one includes may be twice as long, together. */
    public static final int FILE_BYTES_MAX = 32 << 20;

    private final ComposedSchema schema;
    private final PluginTrial trial;
    private boolean onThisMachine;
    private boolean inThisProcess;
    private boolean serving;
    private @Nullable AccessLogConfig open;
    private FilePatience patience = FilePatience.ENDLESS;
    private Environment environment = System::getenv;
    private @Nullable List<ConfigText> kept;
    private KnownRoutes known = KnownRoutes.NONE;
    private Consumer<Secrets> onSecrets = secrets -> {};

    /** @param pluginSchemas the JSON Schema texts of the plugins that may be used, by name */
    public ConfigReader(Map<String, String> pluginSchemas) {
        this(pluginSchemas, PluginTrial.NONE);
    }

    /**
     * @param pluginSchemas the JSON Schema texts of the plugins that may be used, by name
     * @param trial asked about all settings that those schemas have nothing against
     */
    public ConfigReader(Map<String, String> pluginSchemas, PluginTrial trial) {
        this(new ComposedSchema(pluginSchemas), trial);
    }

    /**
     * @param schema which others may have, too
     * @param trial asked about all settings that it has nothing against
     */
    public ConfigReader(ComposedSchema schema, PluginTrial trial) {
        this.schema = schema;
        this.trial = trial;
    }

    /** Has it look also at what only the machine knows that the gateway is to run on: whether the access log's file can be written. */
    public ConfigReader onThisMachine() {
        onThisMachine = true;
        return this;
    }

    /** Has it look also at what only the process knows that is to run it: how many file descriptors it may have. */
    public ConfigReader inThisProcess() {
        inThisProcess = true;
        return this;
    }

    /** Has it leave the file of that access log alone, which is written already: where it doesn't answer, another configuration of the same log isn't to wait for it. */
    public ConfigReader logging(@Nullable AccessLogConfig to) {
        open = to;
        return this;
    }

    /** Says that it reads in a process that serves already: then it waits for no file without end, as it does for those of the first reading, and variables are those of its start. */
    public ConfigReader again() {
        patience = FilePatience.BOUNDED;
        serving = true;
        return this;
    }

    /** Has it wait that long for files, in a process that serves nobody yet. */
    public ConfigReader waiting(FilePatience how) {
        patience = how;
        return this;
    }

    /** Has it read these instead of the files of configuration that they were in; secrets, pages and the like are read from where they are. */
    public ConfigReader insteadOfFiles(List<ConfigText> texts) {
        kept = List.copyOf(texts);
        return this;
    }

    /** Has it take routes as they were read before, where their text is the same. */
    public ConfigReader knowing(KnownRoutes before) {
        known = before;
        return this;
    }

    /** Has it tell the secrets that it reads, before anybody else gets them. */
    public ConfigReader telling(Consumer<Secrets> to) {
        onSecrets = to;
        return this;
    }

    /** Has it find variables here instead of in the environment of the process. */
    ConfigReader in(Environment other) {
        environment = other;
        return this;
    }

    /**
     * Reads a file, which its places call by the path given. A file that is missing or cannot be read is a problem like any other.
     */
    public ConfigResult read(Path file) {
        return read(List.of(Layer.of(file)));
    }

    /**
     * Reads the bytes of a file, which its places have no name for.
     *
     * @param json UTF-8, with or without a byte order mark
     * @param folder what paths of files named in it are relative to
     */
    public ConfigResult read(byte[] json, Path folder) {
        return read(List.of(Layer.of("", json, folder)));
    }

    /**
     * Reads several files to one configuration: objects of a later one are merged into those of the earlier ones, arrays of things with an id by these
     * ids; anything else takes the place of what was there.
     *
     * @param layers at least one
     */
    public ConfigResult read(List<Layer> layers) {
        // In layers, a route may be another one than its text says.
        ConfigFiles files = files(layers.size() == 1 ? known : null);
        Json root = files.read(layers);
        onSecrets.accept(files.secrets());
        return check(root, files);
    }

    /** What is in these and in what they include, as far as they are there; whether it makes sense isn't looked at. */
    public CurrentTexts texts(List<Layer> layers) {
        ConfigFiles files = files(null);
        files.read(layers);
        onSecrets.accept(files.secrets());
        return new CurrentTexts(files.texts(), files.lack());
    }

    private ConfigFiles files(@Nullable KnownRoutes routes) {
        Environment variables = serving ? environment.ofServing() : environment;
        return new ConfigFiles(schema.get(), variables, new ConfigTexts(kept, routes, patience));
    }

    private ConfigResult check(@Nullable Json root, ConfigFiles read) {
        Problems problems = read.problems();
        Secrets secrets = read.secrets();
        if (root == null) {
            return invalid(read);
        }
        Set<Path> files = read.files();
        schema.get().check(root, problems);
        HttpsDefaults.fillIn(root);
        new MeaningCheck(root, problems).check();
        NamedFile.Reading named = new NamedFile.Reading(files, problems, patience);
        PageReader ofErrors = new PageReader(named);
        ofErrors.fillIn(root);
        new PluginCheck(trial, schema.get(), problems).check(root);
        if (onThisMachine) {
            new LogFileCheck(named, open).check(root);
        }
        Map<Integer, ErrorPage> pages = ofErrors.read(root);
        Map<String, SecretKey> stickyKeys = new StickyKeyReader(named).read(root);
        Problems warnings = new Problems();
        CertificateReader certificates = new CertificateReader(problems, warnings);
        Map<String, TlsConfig> tls = new TlsReader(named, warnings, certificates).read(root);
        NodeTlsReader ofNodes = new NodeTlsReader(problems, warnings, certificates);
        Map<String, NodeTlsConfig> nodeTls = ofNodes.read(root);
        List<RedisConfig> redis = new RedisReader(problems, ofNodes).read(root);
        Map<String, List<NodeConfig>> nodes = new NodesFileReader(files, problems, schema.get(), patience).read(root);
        if (!problems.isEmpty()) {
            return invalid(read);
        }
        SigmaConfig config =
                ConfigBuilder.build(root, new ConfigBuilder.Files(pages, stickyKeys, tls, nodeTls, nodes, redis));
        if (inThisProcess) {
            new DescriptorCheck(warnings, Descriptors.all()).check(root);
        }
        WarningCheck ofParts = new WarningCheck(schema.get());
        List<Problem> warned = secrets.hide(ofParts.check(root, warnings));
        return new ConfigResult.Valid(
                config,
                warned,
                pointer -> place(root, pointer),
                secrets,
                List.copyOf(files),
                read.texts(),
                read.routes(ofParts.warnings()));
    }

    private static ConfigResult invalid(ConfigFiles read) {
        Problems problems = read.problems();
        List<Problem> shown = read.secrets().hide(problems.sorted());
        boolean unanswered = problems.isUnanswered() || read.lack() == CurrentTexts.Lack.UNANSWERED;
        return new ConfigResult.Invalid(shown, problems.omittedCount(), List.copyOf(read.files()), unanswered);
    }

    /** The JSON Schema (2020-12) of sigma.json with those of the plugins in it, for editors: with variables and secrets wherever they may be. */
    public String composedSchema() {
        return JsonText.of(PublishedSchema.of(schema.get()));
    }

    private static Place place(Json root, String pointer) {
        Json nearest = root.at(pointer);
        Place found = nearest.place();
        String beyond = pointer.substring(nearest.pointer().length());
        return new Place(found.file(), found.line(), found.column(), found.pointer() + beyond);
    }
}
