package net.oooops.sigma.cli;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.config.changes.Changes;
import net.oooops.sigma.config.changes.ConfigDiff;
import net.oooops.sigma.control.socket.Answer;
import net.oooops.sigma.control.socket.LivingGateways;
import net.oooops.sigma.control.socket.Presence;
import net.oooops.sigma.control.socket.Refused;
import net.oooops.sigma.control.socket.RunFolder;
import net.oooops.sigma.control.socket.SocketClient;
import net.oooops.sigma.control.socket.SocketFault;

/**
 * What of a configuration a gateway that runs takes by no reload. Whoever only checks a file needs no gateway: where none runs, several do, or it can't be
 * asked, nothing is said.
 */
final class RestartNote {
    /** The word by which a gateway is asked what it was started with. */
    static final String RUNTIME = "runtime";

    /** What it was started with, in the answer. */
    static final String STARTED = "started";

    /** For how long one that hangs keeps a check waiting. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private RestartNote() {}

    /**
     * One line with a line end, or an empty text.
     *
     * @param folder in which gateways are looked for
     */
    static String of(RuntimeConfig runtime, RunFolder folder) {
        try {
            List<Presence> living = LivingGateways.seenIn(folder);
            if (living.size() != 1) {
                return "";
            }
            Presence one = living.getFirst();
            Answer answer = SocketClient.ask(one.socket(), RUNTIME, Map.of(), PATIENCE);
            List<String> settings = answer.json().get(STARTED) instanceof Map<?, ?> started
                    ? ConfigDiff.restart(started, runtime)
                    : List.of();
            return settings.isEmpty() ? "" : "note: in " + one.text() + " this " + Changes.restartText(settings) + "\n";
        } catch (Refused | SocketFault e) {
            // One of another version, another user's, one that hangs or has ended meanwhile.
            return "";
        }
    }
}
