package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** h2spec, strict: every rule of RFC 7540 and 7541 that it knows, without TLS and over it. */
class H2SpecTest {
    private static final int CASES = 146;
    private static final Duration DEADLINE = Duration.ofMinutes(2);

    /** A port that speaks HTTP/1.1, too, can't know that a client meant HTTP/2: it answers 400 in HTTP/1.1, which h2spec can't read. */
    private static final String NO_PREFACE = "http2/3.5 Sends invalid connection preface";

    @TempDir
    private static Path folder;

    @AutoClose
    private static final WebNode NODE = new WebNode();

    @AutoClose
    private static Front front;

    @BeforeAll
    static void start() {
        Needed.here(Tool.h2spec().whyNot() == null, "h2spec: " + Tool.h2spec().whyNot());
        front = Front.start(folder, Certificate.make(folder), NODE.port(), NODE.port());
    }

    @Test
    void everyCaseWithoutTls() throws Exception {
        assertThat(failures(front.plainPort())).isSubsetOf(NO_PREFACE);
    }

    @Test
    void everyCaseWhereNothingElseIsSpoken() throws Exception {
        Needed.here(front.h2cPort() > 0, "a port that speaks HTTP/2 only");
        assertThat(failures(front.h2cPort())).isEmpty();
    }

    @Test
    void everyCaseOverTls() throws Exception {
        assertThat(failures(front.tlsPort(), "-t", "-k")).isEmpty();
    }

    private static List<String> failures(int port, String... more) throws Exception {
        Path report = folder.resolve("h2spec-" + port + ".xml");
        List<String> words = new ArrayList<>(Tool.h2spec().command());
        words.addAll(
                List.of("-S", "-h", "127.0.0.1", "-p", String.valueOf(port), "-P", "/json", "-j", report.toString()));
        words.addAll(List.of(more));
        Program.Ran ran = Program.run(folder, Map.of(), DEADLINE, words);
        assertThat(report).as(ran.tail()).exists();
        NodeList cases = DocumentBuilderFactory.newDefaultNSInstance()
                .newDocumentBuilder()
                .parse(report.toFile())
                .getElementsByTagName("testcase");
        assertThat(cases.getLength()).as(ran.tail()).isEqualTo(CASES);
        List<String> failures = new ArrayList<>();
        for (int i = 0; i < cases.getLength(); i++) {
            Element tried = (Element) cases.item(i);
            // Passed, it has nothing in it; otherwise what failed, an error, or that it was skipped.
            if (tried.getElementsByTagName("*").getLength() > 0) {
                failures.add(tried.getAttribute("package") + " " + tried.getAttribute("classname"));
            }
        }
        return failures;
    }
}
