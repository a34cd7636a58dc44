package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
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
                "some.Other --port none",
                "--log-format json",
                "-log-format text -conf a"
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
                "--log-format xml",
                "--log-format JSON",
                "--log-format json --log-format json",
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

    /** Another process is started with them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "some.Other",
                "-conf sigma.json",
                "-conf a/b.json -conf - -conf /c.json",
                "-options options.json",
                "-instance 0",
                "-instances 12",
                "-run-dir /run/sigma",
                "-watch",
                "--watch some.Other",
                "--to http://a --to udp://b:53",
                "--host a --host b",
                "--port 0",
                "--plugins plugins -conf a",
                "-plugins /opt/sigma/plugins",
                "--log-format json",
                "-log-format text",
                "some.Other -conf a --conf b -options c -instance 3 --run-dir d --watch",
                "--to http://127.0.0.1:3000 --host a.example --port 8080 -instance 2 --watch --run-dir r -options o"
            })
    void theWordsThatSayTheSameAreReadAsTheSame(String typed) {
        RunWords understood = Objects.requireNonNull(
                RunWords.plain(typed.isEmpty() ? new String[0] : typed.split(" ", -1)), "not plain");

        List<String> words = understood.words();

        assertThat(words).first().isEqualTo("run");
        String[] said = words.subList(1, words.size()).toArray(String[]::new);
        assertThat(RunWords.plain(said)).isEqualTo(understood);
        assertThat(RunWords.of(new CommandLine(new RunCommand().spec()).parseArgs(said)))
                .isEqualTo(understood);
    }

    /** Each option that there is: one that is new isn't forgotten. */
    @Test
    void noOptionIsLeftOut() {
        RunWords all = new RunWords(
                "some.Other",
                List.of(Path.of("a")),
                Path.of("b"),
                3,
                Path.of("c"),
                true,
                new FirstWords(List.of("http://d"), List.of("e"), "5"),
                Path.of("f"),
                LogFormat.JSON);
        assertThat(RunWords.plain(all.words().subList(1, all.words().size()).toArray(String[]::new)))
                .isEqualTo(all);

        List<String> options = new RunCommand()
                .spec().options().stream()
                        .filter(option -> !option.usageHelp() && !option.versionHelp())
                        .map(OptionSpec::longestName)
                        .toList();
        assertThat(options).hasSize(10);
    }

    /** Names may have spaces, and be anything but what an option looks like. */
    @Test
    void namesArePassedOnAsTheyAre() {
        RunWords odd = new RunWords(RunWords.VERTICLE, List.of(Path.of("a b/c\"d.json")), Path.of("é $HOME"), null);

        assertThat(RunWords.plain(odd.words().subList(1, odd.words().size()).toArray(String[]::new)))
                .isEqualTo(odd);
    }

    /** Only picocli reads such a one, and only so. */
    @Test
    void oneThatLooksLikeAnOptionIsReadAsTheSameToo() {
        String[] typed = {"-conf=-a.json", "--run-dir=-b", "-options=-c.json"};
        RunWords understood = RunWords.of(new CommandLine(new RunCommand().spec()).parseArgs(typed));

        String[] said = understood.words().subList(1, understood.words().size()).toArray(String[]::new);

        assertThat(RunWords.of(new CommandLine(new RunCommand().spec()).parseArgs(said)))
                .isEqualTo(understood);
    }
}
