package net.oooops.sigma.cli;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * What is said of a gateway on the command line instead of in a file, as it was typed.
 *
 * @param to where requests go
 * @param hosts which hosts are taken; none for any
 * @param port where it listens, null where it isn't said
 */
record FirstWords(
        List<String> to, List<String> hosts, @Nullable String port) {

    static final FirstWords NONE = new FirstWords(List.of(), List.of(), null);

    FirstWords {
        to = List.copyOf(to);
        hosts = List.copyOf(hosts);
    }

    /** What picocli understood. */
    static FirstWords of(ParseResult words) {
        return new FirstWords(
                words.matchedOptionValue("-to", List.of()),
                words.matchedOptionValue("-host", List.of()),
                words.matchedOptionValue("-port", null));
    }

    /** Has a command take them. */
    static void addTo(CommandSpec spec) {
        spec.addOption(several("to", "URL")
                .description(
                        "Where all requests go, such as http://127.0.0.1:3000; given several times, to each in turn. "
                                + "Nodes over TLS get their own Host. With tcp, tls or udp in place of http, it is sessions that go there.")
                .build());
        spec.addOption(several("host", "NAME")
                .description(
                        "With --to: the virtual host that is taken, such as shop.example.com; may be given several times. "
                                + "Without: every host.")
                .build());
        spec.addOption(Help.option("port", "N")
                .type(String.class)
                .description("With --to: the port to listen on. Without: " + FirstConfig.PORT_DEFAULT + ".")
                .build());
    }

    private static OptionSpec.Builder several(String name, String label) {
        return Help.option(name, label).type(List.class).auxiliaryTypes(String.class);
    }

    /** {@code --to URL}, once for each; empty where none is said. */
    String text() {
        return to.stream().map(url -> "--to " + url).collect(Collectors.joining(" "));
    }

    boolean isEmpty() {
        return to.isEmpty() && hosts.isEmpty() && port == null;
    }
}
