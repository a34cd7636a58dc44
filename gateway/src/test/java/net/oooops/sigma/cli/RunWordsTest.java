package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

class RunWordsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "net.oooops.sigma.Sigma",
                "-conf sigma.json",
                "net.oooops.sigma.Sigma -conf sigma.json -options options.json -instance 2",
                "--options o.json --instances 12 --conf c.json",
                "-instances 3 some.Other",
                "--run-dir /run/sigma -conf c.json",
                "-run-dir a",
                "-conf a -conf b",
                "--conf - -instance 1 -conf b",
                "--instance 0 -conf a/b/c.json",
                "--to http://127.0.0.1:3000",
                "-to http://a --to http://b -host c --host d --port 0 -instance 2",
                "some.Other --port none"
            })
    void usualWordsAreReadAsPicocliReadsThem(String typed) {
        String[] words = typed.isEmpty() ? new String[0] : typed.split(" ", -1);
        ParseResult parsed = new CommandLine(new RunCommand().spec()).parseArgs(words);

        assertThat(RunWords.plain(words)).isNotNull().isEqualTo(RunWords.of(parsed));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "-h",
                "-conf",
                "-conf -options",
                "-options a -options b",
                "-options -",
                "-conf --",
                "--port 1 --port 2",
                "--to",
                "--to -host",
                "--to=http://a",
                "-instance two",
                "--run-dir a -run-dir b",
                "-instance 12345",
                "-instance -1",
                "-conf=sigma.json",
                "-cnof sigma.json",
                "-octopus 8",
                "one two"
            })
    void allElseIsLeftToPicocli(String typed) {
        assertThat(RunWords.plain(typed.split(" ", -1))).isNull();
    }

    @Test
    void rareSpellingsAreUnderstood() {
        ParseResult parsed = new CommandLine(new RunCommand().spec()).parseArgs("-conf=sigma.json", "--instance=4");

        assertThat(RunWords.of(parsed))
                .isEqualTo(new RunWords(RunWords.VERTICLE, List.of(Path.of("sigma.json")), null, 4));
    }
}
