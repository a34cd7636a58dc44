package net.oooops.sigma.names;

import static net.oooops.sigma.races.AtOnce.require;

import io.netty.channel.DefaultEventLoop;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.races.AtOnce;
import net.oooops.sigma.races.Race;

/** Workers use names, leave them and read what is known, while answers come. */
final class NamesRaces {
    private static final String NAME = "a.sigma.test";
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final LastAnswers last = new LastAnswers(() -> Set.of(NAME));
    private final NameOutages outages = new NameOutages();
    /** Its event loop has nothing to do. */
    private final NameAsker asker = new NameAsker(
            new DefaultEventLoop(),
            NameResolution.Sockets.NIO,
            new NameResolution.Settings(MINUTE, 1, 300, MINUTE, null),
            outages,
            last);

    private NamesRaces() {}

    private static List<InetAddress> address(String text) {
        return List.of(Objects.requireNonNull(IpAddress.parse(text)).inetAddress());
    }

    /** Each has the one that there is as long as it uses it, and the last one lets it go. */
    @Race
    static void aNameIsThereWhileSomebodyUsesIt() {
        NamesRaces model = new NamesRaces();
        AtOnce.Part worker = () -> {
            HostName mine = model.asker.use(NAME);
            HostName again = model.asker.use(NAME);
            require(again == mine, "one for all");
            again.leave();
            HostName third = model.asker.use(NAME);
            require(third == mine, "still there");
            third.leave();
            mine.leave();
        };
        AtOnce.run(worker, worker, worker);
        require(model.asker.usedCount() == 0, "nobody uses it");
    }

    /** A Worker that finds nothing takes the last answer of another process, while the first one of this one comes. */
    @Race
    static void anAnswerIsNotTakenBackByAnOlderOne() {
        NamesRaces model = new NamesRaces();
        List<InetAddress> older = address("127.0.0.1");
        List<InetAddress> newer = address("127.0.0.2");
        model.last.learnt(NAME, older);
        HostName host = model.asker.use(NAME);
        AtOnce.Part worker = () -> {
            List<InetAddress> read = host.answer().known().all();
            require(read.equals(older) || read.equals(newer), "an answer: " + read);
        };
        AtOnce.run(worker, worker, () -> host.onAddresses(newer, new NameQuestions.Manner(60, true, true)));
        require(host.answer().known().all().equals(newer), "the newer one");
    }

    /** The last one leaves a name as there is no answer for it. */
    @Race
    static void aNameThatNobodyUsesDoesNotFail() {
        NamesRaces model = new NamesRaces();
        HostName host = model.asker.use(NAME);
        AtOnce.run(host::leave, () -> host.onNone(new IllegalStateException("no such name")));
        require(model.outages.failingCount() == 0, "failing: " + model.outages.failingCount());
    }
}
