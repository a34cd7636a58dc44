package net.oooops.sigma.plugins.staticresources;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.RouteConfig;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;

/** A folder to be given out, beside something that isn't, and gateways that give it out. */
final class StaticFiles {
    static final String SECRET = "top secret";

    final Path root;
    final Path outside;
    final byte[] large = new byte[10 * 1024 * 1024];

    StaticFiles(Path folder) throws IOException {
        root = Files.createDirectory(folder.resolve("www"));
        outside = Files.createDirectory(folder.resolve("outside"));
        new Random(5).nextBytes(large);
        Files.writeString(outside.resolve("secret.txt"), SECRET);
        Files.writeString(folder.resolve("secret.txt"), SECRET);
        write("index.html", "<p>home");
        write("a.css", "a{}");
        write("empty.txt", "");
        write("letters.txt", "abcdefghijklmnopqrstuvwxyz");
        write("docs/index.html", "<p>docs");
        write("docs/.hidden", SECRET);
        write(".git/config", SECRET);
        write(".well-known/security.txt", "contact");
        write("a b;c.txt", "odd");
        Files.write(root.resolve("large.bin"), large);
    }

    Path write(String name, String content) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    /** A route without an upstream, whose files these are. */
    GatewayBuilder builder(Object... settings) {
        return GatewayFixture.toPorts(1).route(route("/*", "", settings));
    }

    GatewayFixture gateway(Object... settings) {
        return builder(settings).start();
    }

    RouteConfig route(String path, String proxyPassId, Object... settings) {
        Map<String, Object> all = new HashMap<>();
        all.put("root", root.toString());
        for (int i = 0; i < settings.length; i += 2) {
            all.put((String) settings[i], settings[i + 1]);
        }
        return new RouteConfig(
                "files",
                "",
                path,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                proxyPassId,
                List.of(GatewayFixture.plugin("static-resources", all)));
    }

    static RawResponse get(RawClient client, String target, String... fields) throws IOException {
        return ask(client, "GET", target, fields);
    }

    static RawResponse ask(RawClient client, String method, String target, String... fields) throws IOException {
        StringBuilder request = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: a.example\r\n");
        for (String field : fields) {
            request.append(field).append("\r\n");
        }
        return client.send(request + "\r\n").readResponse(method);
    }
}
