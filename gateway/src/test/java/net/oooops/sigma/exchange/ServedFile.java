package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FileBody;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.GeneratedBody;

/** A file that plugins of tests answer with, and what became of each of its channels. */
final class ServedFile {
    final Path path;
    final GeneratedBody content;
    private final List<FileChannel> opened = new CopyOnWriteArrayList<>();

    private ServedFile(Path path, GeneratedBody content) {
        this.path = path;
        this.content = content;
    }

    static ServedFile of(Path folder, long bytes) throws IOException {
        GeneratedBody content = GeneratedBody.of(11, bytes);
        Path path = folder.resolve("served-" + bytes);
        try (var out = Files.newOutputStream(path)) {
            content.writeTo(out);
        }
        return new ServedFile(path, content);
    }

    FileChannel open() throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        opened.add(channel);
        return channel;
    }

    /** The whole of it. */
    Response response() throws IOException {
        FileChannel channel = open();
        return Response.file(
                200,
                List.of(Field.of("Content-Type", "application/octet-stream")),
                FileBody.of(channel, 0, channel.size()));
    }

    /** Answers every request with the whole of it. */
    Probe probe() {
        return Probe.probe().onRequest(exchange -> Outcome.respond(response()));
    }

    /** All that was opened is closed again. */
    void allClosed(int expected) {
        Await.until(
                expected + " opened and closed: " + opened,
                () -> opened.size() == expected && opened.stream().noneMatch(FileChannel::isOpen));
        assertThat(opened).hasSize(expected);
    }
}
