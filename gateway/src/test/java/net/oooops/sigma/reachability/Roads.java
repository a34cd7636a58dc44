package net.oooops.sigma.reachability;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import net.oooops.sigma.cli.Main;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;

/** Gateways in JVMs of their own, each asked for all that it does on its roads, with {@link LookupAgent} beside it. */
final class Roads {
    private static final Duration START = Duration.ofSeconds(60);
    private static final String PACKAGE = LookupAgent.class.getPackageName().replace('.', '/');

    private static final String CONFIG = """
            {
              "proxy-server": {
                "http": {"id": "plain", "host": "127.0.0.1", "port": PORT0},
                "https": {"id": "tls", "host": "127.0.0.1", "port": PORT1},
                "tcp": [{"id": "tcp", "host": "127.0.0.1", "port": PORT2, "proxy-pass-id": "sessions"}],
                "udp": [{"id": "udp", "host": "127.0.0.1", "port": PORT3, "proxy-pass-id": "datagrams"}],
                "bolt": [{"id": "bolt", "host": "127.0.0.1", "port": PORT4}],
                "admin": {"port": PORT5}
              },
              "router": [
                {"id": "a", "proxy-server-id": "plain", "plugin": {"x-frame": "DENY"}, "route": [
                  {"id": "b", "path": "/*", "plugin": {
                    "rewrite-path": {"regexp": "^/a", "replacement": "/b"},
                    "headers": {
                      "when": "request.path.matches('^/') && request.headers['x'] == '' && inNet(client.address, ['127.0.0.1'])",
                      "response": {"remove": ["Server"]}
                    }
                  }, "proxy-pass-id": "pages"}
                ]},
                {"id": "c", "proxy-server-id": "tls", "route": [{"id": "d", "path": "/*", "proxy-pass-id": "pages"}]},
                {"id": "e", "proxy-server-id": "bolt", "route": [{"id": "f", "class-name": "*", "proxy-pass-id": "calls"}]}
              ],
              "proxy-pass": [
                {"id": "pages", "upstream-id": "pages"},
                {"id": "sessions", "upstream-id": "sessions"},
                {"id": "datagrams", "upstream-id": "datagrams"},
                {"id": "calls", "upstream-id": "calls"}
              ],
              "upstream": [
                {"id": "pages", "nodes": ["http://localhost:NODE"], "health": {"active": {"http": {"path": "/"}, "interval": "1s"}}},
                {"id": "sessions", "nodes": ["tcp://127.0.0.1:NODE"]},
                {"id": "datagrams", "nodes": ["udp://127.0.0.1:NODE"]},
                {"id": "calls", "nodes": ["bolt://127.0.0.1:NODE"]}
              ],
              "timeouts": {"drain": "100ms"},
              "runtime": {"transport": "TRANSPORT"}
            }
            """;

    private static final String LOG = """
            <configuration>
              <statusListener class="ch.qos.logback.core.status.NopStatusListener"/>
              <contextListener class="ch.qos.logback.classic.jul.LevelChangePropagator"/>
              <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
                <target>System.err</target>
                <encoder><charset>UTF-8</charset><pattern>%d %-5level [%thread] %logger{36} %mdc %ex{full} %replace(%msg){'zzz','z'}%n</pattern></encoder>
                <filter class="ch.qos.logback.classic.filter.ThresholdFilter"><level>DEBUG</level></filter>
                <filter class="ch.qos.logback.classic.filter.LevelFilter">
                  <level>ERROR</level><onMatch>ACCEPT</onMatch><onMismatch>NEUTRAL</onMismatch>
                </filter>
              </appender>
              <appender name="json" class="ch.qos.logback.core.FileAppender">
                <file>FOLDER/json.log</file>
                <encoder class="ch.qos.logback.classic.encoder.JsonEncoder"/>
              </appender>
              <appender name="layout" class="ch.qos.logback.core.FileAppender">
                <file>FOLDER/layout.log</file>
                <layout class="ch.qos.logback.classic.PatternLayout"><pattern>%msg%n</pattern></layout>
              </appender>
              <appender name="rolled" class="ch.qos.logback.core.rolling.RollingFileAppender">
                <file>FOLDER/rolled.log</file>
                <rollingPolicy class="ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy">
                  <fileNamePattern>FOLDER/rolled-%d{yyyy-MM-dd}.%i.log.gz</fileNamePattern>
                  <maxFileSize>10MB</maxFileSize><maxHistory>5</maxHistory><totalSizeCap>1GB</totalSizeCap>
                </rollingPolicy>
                <encoder class="ch.qos.logback.classic.encoder.PatternLayoutEncoder"><pattern>%msg%n</pattern></encoder>
              </appender>
              <appender name="daily" class="ch.qos.logback.core.rolling.RollingFileAppender">
                <file>FOLDER/daily.log</file>
                <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">
                  <fileNamePattern>FOLDER/daily-%d.log</fileNamePattern>
                </rollingPolicy>
                <encoder><pattern>%msg%n</pattern></encoder>
              </appender>
              <appender name="window" class="ch.qos.logback.core.rolling.RollingFileAppender">
                <file>FOLDER/window.log</file>
                <rollingPolicy class="ch.qos.logback.core.rolling.FixedWindowRollingPolicy">
                  <fileNamePattern>FOLDER/window.%i.log</fileNamePattern><minIndex>1</minIndex><maxIndex>3</maxIndex>
                </rollingPolicy>
                <triggeringPolicy class="ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy">
                  <maxFileSize>5MB</maxFileSize>
                </triggeringPolicy>
                <encoder><pattern>%msg%n</pattern></encoder>
              </appender>
              <appender name="async" class="ch.qos.logback.classic.AsyncAppender">
                <queueSize>512</queueSize><appender-ref ref="rolled"/>
              </appender>
              <appender name="syslog" class="ch.qos.logback.classic.net.SyslogAppender">
                <syslogHost>127.0.0.1</syslogHost><facility>USER</facility><suffixPattern>%msg</suffixPattern>
              </appender>
              <root level="INFO">
                <appender-ref ref="out"/><appender-ref ref="json"/><appender-ref ref="layout"/><appender-ref ref="async"/>
                <appender-ref ref="daily"/><appender-ref ref="window"/><appender-ref ref="syslog"/>
              </root>
            </configuration>
            """;

    private final Path folder;
    private final String classPath;
    private final Path agent;
    private final Path lines;

    /**
     * With files of theirs in that folder.
     *
     * @param classPath of the gateways
     */
    Roads(Path folder, List<Path> classPath) throws IOException {
        this.folder = folder;
        this.classPath = classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        this.lines = folder.resolve("lookups");
        this.agent = folder.resolve("agent.jar");
        Path boot = folder.resolve("lookups.jar");
        Manifest words = new Manifest();
        words.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        words.getMainAttributes().putValue("Premain-Class", LookupAgent.class.getName());
        words.getMainAttributes().putValue("Can-Retransform-Classes", "true");
        words.getMainAttributes().putValue("Boot-Class-Path", boot.getFileName().toString());
        jar(agent, words, "LookupAgent");
        jar(boot, new Manifest(), "Lookups");
    }

    /** A jar with the class of that name, and those in it. */
    private static void jar(Path file, Manifest words, String name) throws IOException {
        Path classes = Path.of("target/test-classes", PACKAGE);
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file), words);
                var all = Files.newDirectoryStream(classes, name + "{,$*}.class")) {
            for (Path each : all) {
                jar.putNextEntry(new JarEntry(PACKAGE + "/" + each.getFileName()));
                Files.copy(each, jar);
            }
        }
    }

    /** What all of them have looked up, as {@link Lookups} writes it. */
    List<String> lookups() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"))) {
            Path log = Files.writeString(folder.resolve("log.xml"), LOG.replace("FOLDER", folder.toString()));
            take(node, "epoll", "-Dlogback.configurationFile=" + log);
            take(node, "io_uring");
            take(node, "nio", "-Dio.netty.handler.ssl.noOpenSsl=true");
        }
        return Files.readAllLines(lines).stream().distinct().toList();
    }

    private void take(ScriptedUpstream node, String transport, String... options) throws Exception {
        int[] ports = FreePorts.several(6);
        String config = CONFIG.replace("NODE", String.valueOf(node.port())).replace("TRANSPORT", transport);
        for (int i = 0; i < ports.length; i++) {
            config = config.replace("PORT" + i, String.valueOf(ports[i]));
        }
        Path conf = Files.writeString(folder.resolve("sigma.json"), config);
        Path out = folder.resolve(transport + ".out");
        Process process = started(conf, out, List.of(options));
        try {
            Await.until("listening", START, () -> said(out).contains("workers") || !process.isAlive());
            assertThat(process.isAlive()).as(said(out)).isTrue();
            ask(ports);
            Files.writeString(conf, config.replace("\"/b\"", "\"/c\""));
            signal(process, "HUP");
            Await.until("reloaded", START, () -> said(out).lines().anyMatch(line -> line.endsWith(" holds")));
            signal(process, "TERM");
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(said(out)).isTrue();
            assertThat(process.exitValue()).as(said(out)).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    private Process started(Path conf, Path out, List<String> options) throws IOException {
        // Whoever runs this in the background may have it ignore them.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT,HUP"));
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Dio.netty.noUnsafe=false",
                "-javaagent:" + agent + "=" + lines));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, Main.class.getName(), "run", "-conf", conf.toString()));
        command.addAll(List.of("--run-dir", folder.resolve("run").toString()));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
    }

    private static void ask(int[] ports) throws Exception {
        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        try (HttpClient client = HttpClient.newBuilder().sslContext(trusting).build()) {
            for (HttpClient.Version version : HttpClient.Version.values()) {
                for (String place : List.of("http://127.0.0.1:" + ports[0], "https://localhost:" + ports[1])) {
                    HttpRequest request = HttpRequest.newBuilder(URI.create(place + "/a"))
                            .version(version)
                            .build();
                    assertThat(client.send(request, BodyHandlers.ofString()).body())
                            .isEqualTo("yes");
                }
            }
            HttpRequest metrics = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports[5] + "/metrics"))
                    .build();
            assertThat(client.send(metrics, BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);
        }
        try (RawClient session = RawClient.connect(ports[2])) {
            session.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(session.readResponse().bodyText()).isEqualTo("yes");
        }
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.send(new DatagramPacket(new byte[1], 1, InetAddress.getLoopbackAddress(), ports[3]));
        }
        try (RawClient calls = RawClient.connect(ports[4])) {
            calls.send("no call");
            calls.readUntilClose();
        }
    }

    private static void signal(Process process, String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    private static String said(Path out) {
        try {
            return Files.readString(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
