package net.oooops.sigma.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.Layer;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The option {@code -conf}: the files that make a configuration, of which {@code -} is standard input. */
final class Conf {
    /** What stands for standard input. */
    static final String INPUT = "-";

    private static final String INPUT_NAME = "standard input";

    private Conf() {}

    /**
     * The option of the command line.
     *
     * @param description what its file is for
     */
    static OptionSpec option(String description) {
        return Help.option("conf", "FILE")
                .type(List.class)
                .auxiliaryTypes(Path.class)
                .description(description + " Given several times, later files override earlier ones; " + INPUT
                        + " is standard input.")
                .build();
    }

    /** The files that are named, in their order; none where the option isn't there. */
    static List<Path> of(ParseResult words) {
        return words.matchedOptionValue("-conf", List.of());
    }

    /** How they are called where one name is wanted. */
    static String name(List<Path> files) {
        StringBuilder names = new StringBuilder();
        for (Path file : files) {
            names.append(names.isEmpty() ? "" : ", ").append(isInput(file) ? INPUT_NAME : file.toString());
        }
        return names.toString();
    }

    /** How a gateway is called that runs with that one. */
    static String shown(Path file) {
        return isInput(file) ? INPUT_NAME : AskedGateway.absolute(file);
    }

    /** Whether one of them is standard input. */
    static boolean isWithInput(List<Path> files) {
        return files.stream().anyMatch(Conf::isInput);
    }

    /** That those are there which are to be read. */
    static void requireFiles(List<Path> files) throws Failure {
        for (Path file : files) {
            if (!isInput(file)) {
                Setup.requireFile("-conf", file);
            }
        }
    }

    private static boolean isInput(Path file) {
        return file.toString().equals(INPUT);
    }

    /**
     * What makes a configuration. It may be read again: standard input is what it was.
     *
     * @param layers at least one
     * @param name how they are called where one name is wanted
     */
    record Written(List<Layer> layers, String name) {}

    /** What is to be read; standard input is, here. */
    static Written written(List<Path> files, InputStream in) throws Failure {
        return new Written(layers(files, in), name(files));
    }

    private static List<Layer> layers(List<Path> files, InputStream in) throws Failure {
        List<Layer> layers = new ArrayList<>();
        boolean read = false;
        for (Path file : files) {
            if (isInput(file) && read) {
                throw new Failure(Exit.USAGE, "-conf -: a second time (expected: standard input once)");
            }
            if (isInput(file)) {
                read = true;
                layers.add(Layer.of(INPUT_NAME, input(in), Path.of("").toAbsolutePath()));
            } else {
                Setup.requireFile("-conf", file);
                layers.add(Layer.of(file));
            }
        }
        return layers;
    }

    private static byte[] input(InputStream in) throws Failure {
        try {
            return in.readNBytes(ConfigReader.FILE_BYTES_MAX + 1);
        } catch (IOException e) {
            throw new Failure(Exit.USAGE, "-conf -: " + e + " (expected: standard input that can be read)");
        }
    }
}
