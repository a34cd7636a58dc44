package net.oooops.sigma.cli;

import static net.oooops.sigma.races.AtOnce.require;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.races.AtOnce;
import net.oooops.sigma.races.Race;

/** Reloads and upgrades are asked for while others are under way. */
final class TurnsRaces {
    private final AtomicInteger files = new AtomicInteger();
    private final AtomicInteger held = new AtomicInteger();
    private final AtomicInteger reloads = new AtomicInteger();
    private final AtomicInteger upgrades = new AtomicInteger();
    private final Turns turns = new Turns(this::reload);

    private TurnsRaces() {}

    private void reload() {
        reloads.incrementAndGet();
        held.set(files.get());
    }

    private void changeAndAsk() {
        files.incrementAndGet();
        turns.reload();
    }

    private void upgrade() {
        upgrades.incrementAndGet();
        throw new IllegalStateException("an upgrade that fails as nobody expected");
    }

    /** Whoever changes files and asks then has them take effect, also behind an upgrade; and none is done more often than it is asked for. */
    @Race
    static void whatIsAskedForIsDone() throws InterruptedException {
        TurnsRaces model = new TurnsRaces();
        Thread worker = new Thread(model.turns::work);
        worker.start();
        AtOnce.run(
                () -> {
                    model.changeAndAsk();
                    model.changeAndAsk();
                },
                () -> {
                    model.turns.add(model::upgrade);
                    model.changeAndAsk();
                });
        CountDownLatch done = new CountDownLatch(1);
        model.turns.add(done::countDown);
        done.await();
        worker.interrupt();
        worker.join();
        require(model.held.get() == 3, "what the files say last: " + model.held);
        require(model.reloads.get() >= 1 && model.reloads.get() <= 3, "three reloads at most: " + model.reloads);
        require(model.upgrades.get() == 1, "one upgrade: " + model.upgrades);
    }
}
