package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong usage is told by what was typed and what to type. */
class MisreadTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "check -cnof shop.json | -cnof: no option of sigma check (did you mean -conf?)",
                "check -c shop.json | -c: no option of sigma check (did you mean -conf?)",
                "check --config=shop.json | --config: no option of sigma check (did you mean -conf?)",
                "init --prot 80 | --prot: no option of sigma init (did you mean --port?)",
                "init -prot 80 | -prot: no option of sigma init (did you mean -port?)",
                "fmt --daemon | --daemon: no option of sigma fmt (expected: one of --check, --help)",
                "explain --daemonize | --daemonize: no option of sigma explain (expected: one of -conf, --plugins, --header,",
                "version now | now: a word too many for sigma version (expected: options alone)",
                "drain a:1 b:1 | b:1: a word too many for sigma drain (expected: NODE and options alone)",
                "weight a:1 2 3 | 3: a word too many for sigma weight (expected: NODE N and options alone)",
                "reload shop.json | shop.json: a word too many for sigma reload (expected: -conf shop.json)",
                "run shop.json b.yaml | b.yaml: a word too many for sigma run (expected: -conf b.yaml)",
                "run -conf | -conf: nothing behind it (expected: -conf FILE)",
                "run --conf --watch | --conf: nothing behind it (expected: --conf FILE)",
                "stop --pid | --pid: nothing behind it (expected: --pid N)",
                "stop --pid 1 --pid 2 | --pid: a second time (expected: once)",
                "stop --pid one | --pid: one (expected: the number of a process)",
                "stop --pid=one | --pid: one (expected: the number of a process)",
                "run -instances two | -instances: two (expected: 1 to 1024)",
                "run --log-format xml | --log-format: xml (expected: text or json)",
                "status --json=yes | --json=yes (expected: --json alone)",
                "explain | URL: missing (expected: GET http://host[:port]/path)",
                "--verbose | --verbose: no option of sigma (expected: one of --version, --help)",
                "--vresion | --vresion: no option of sigma (did you mean --version?)",
            })
    void whatCannotBeReadIsToldByWhatToType(String typed, String told) {
        Shell shell = new Shell();

        assertThat(Main.execute(typed.split(" "), shell.console())).isEqualTo(Exit.USAGE);

        assertThat(shell.err()).startsWith(told);
        assertThat(shell.err().lines()).hasSize(2);
        assertThat(shell.out()).isEmpty();
    }
}
