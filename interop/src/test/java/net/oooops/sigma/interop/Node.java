package net.oooops.sigma.interop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.oooops.sigma.testkit.FreePorts;

/** A node of SOFABolt or SOFARPC in a JVM of its own, with its journal. */
final class Node implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("ready (\\d+)");
    private static final int THREADS = 300;

    private final String name;
    private final Child child;
    private final Path journal;
    private final int port;

    private Node(String name, Child child, Path journal) {
        this.name = name;
        this.child = child;
        this.journal = journal;
        this.port = Integer.parseInt(child.awaitSaid(READY));
    }

    /** A node of SOFABolt. */
    static Node bolt(Path folder, String name) {
        return boltOn(0, folder, name);
    }

    /** A node of SOFABolt at a given port. */
    static Node boltOn(int port, Path folder, String name) {
        Path journal = folder.resolve(name + ".journal");
        return new Node(name, start(BoltNode.class, folder, name, port, journal.toString()), journal);
    }

    /** A node of SOFARPC. */
    static Node sofa(Path folder, String name) {
        return sofa(folder, name, THREADS);
    }

    /** A node of SOFARPC with so many threads. */
    static Node sofa(Path folder, String name, int threads) {
        Path journal = folder.resolve(name + ".journal");
        Child child = start(SofaNode.class, folder, name, FreePorts.one(), journal.toString(), String.valueOf(threads));
        return new Node(name, child, journal);
    }

    private static Child start(Class<?> program, Path folder, String name, int port, String... more) {
        List<String> words = Stream.concat(
                        Stream.of(
                                "-cp",
                                System.getProperty("java.class.path"),
                                program.getName(),
                                String.valueOf(port),
                                name),
                        Stream.of(more))
                .toList();
        return Child.java(folder, name, words);
    }

    String name() {
        return name;
    }

    int port() {
        return port;
    }

    /** What it answers. */
    String answer(String text) {
        return Ask.answer(name, text);
    }

    /** The texts of the calls that it took, in order; also after its end. */
    List<String> calls() {
        return lines().filter(line -> line.startsWith(Journal.CALL))
                .map(line -> line.substring(Journal.CALL.length()))
                .toList();
    }

    /** How often a line is in its journal. */
    long count(String line) {
        return lines().filter(line::equals).count();
    }

    private Stream<String> lines() {
        try {
            return Files.exists(journal) ? Files.readAllLines(journal).stream() : Stream.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stops it where it is: its connections stay, and nothing comes from them. */
    void freeze() {
        child.freeze();
    }

    /** Ends it as a power cut would. */
    void kill() {
        child.kill();
    }

    @Override
    public void close() {
        child.close();
    }
}
