package net.oooops.sigma.cli;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/**
 * What the process is asked for by signals, as a thing to wait for: SIGTERM and Ctrl-C ask for its end, and a Ctrl-C after one of them ends the JVM at
 * once. SIGUSR2 asks for an upgrade, where the JVM leaves it to us. SIGHUP asks to read the configuration again; where the terminal that the process was started from is gone, that is what it says, and asks
 * for the end. SIGUSR1 is only named in the log. A SIGHUP that was ignored when the JVM was started, as nohup does it, stays so.
 *
 * <p>Handled here rather than by a shutdown hook, with which the JVM would exit with 143 or 130 after an orderly end, too.
 */
final class Signals {
    /** What it can be asked for. */
    enum Wish {
        STOP,
        RELOAD,
        UPGRADE,
        /** Another process serves. */
        HAND_OVER
    }

    /** What tools that rotate logs send nginx and Apache. Unhandled, it would end the gateway at once. */
    private static final String HABIT = "USR1";

    /** What nginx is asked by to start its new version. */
    private static final String UPGRADE = "USR2";

    private static final String UPGRADE_NUMBER = "12";

    private static final Path TERMINAL = Path.of("/dev/tty");

    private static final List<String> NAMES = System.getProperty("os.name", "").startsWith("Windows")
            ? List.of("INT", "TERM")
            : List.of("INT", "TERM", "HUP", HABIT);

    private final BlockingQueue<Wish> wishes = new LinkedBlockingQueue<>();
    private final AtomicBoolean first = new AtomicBoolean(true);

    private final boolean ofProcess;
    private volatile boolean hadTerminal;
    private volatile boolean endsAtOnce;

    private Signals(boolean ofProcess) {
        this.ofProcess = ofProcess;
    }

    /**
     * Those of the process, from now on, on a thread of its own: until then a SIGHUP, which is to have a configuration read that is about to be
     * read anyway, ends the JVM. One that asks for the end does so at once, until {@link #endAtOnce} says otherwise.
     */
    static Signals ofProcess() {
        Signals signals = new Signals(true);
        signals.endsAtOnce = true;
        Thread.ofPlatform().daemon().name("sigma-signals").start(signals::listen);
        return signals;
    }

    /** Those that only {@link #ask} and {@link #reload} give. */
    static Signals byHand() {
        return new Signals(false);
    }

    /** Begins to listen for signals. Where the JVM keeps them to itself (-Xrs), they do what they do without this. */
    private void listen() {
        hadTerminal = hasTerminal();
        install();
    }

    private void install() {
        try {
            // By name: javac warns of sun.misc, and no annotation can stop it. It is JDK API all the same
            // (jdk.unsupported).
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object own = Proxy.newProxyInstance(
                    handler.getClassLoader(), new Class<?>[] {handler}, (proxy, method, args) -> {
                        if (method.getName().equals("handle")) {
                            received(String.valueOf(signal.getMethod("getName").invoke(args[0])));
                            return null;
                        }
                        return method.getName().equals("hashCode")
                                ? (Object) System.identityHashCode(proxy)
                                : proxy == args[0];
                    });
            for (String name : names()) {
                Object each = signal.getConstructor(String.class).newInstance(name);
                signal.getMethod("handle", signal, handler).invoke(null, each, own);
            }
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            LoggerFactory.getLogger(Signals.class)
                    .warn("signals can't be handled ({}): they end the gateway without drain", e.toString());
        }
    }

    /** The JVM stops its threads by SIGUSR2, where it isn't told to take another one. */
    private static List<String> names() {
        String own = System.getenv("_JAVA_SR_SIGNUM");
        boolean free = (own != null && !own.isEmpty() && !own.equals(UPGRADE_NUMBER))
                || System.getProperty(Main.BINARY) != null;
        return free && NAMES.contains(HABIT)
                ? Stream.concat(NAMES.stream(), Stream.of(UPGRADE)).toList()
                : NAMES;
    }

    private void received(String name) {
        if (name.equals(UPGRADE)) {
            wishes.add(Wish.UPGRADE);
            return;
        }
        if (name.equals(HABIT)) {
            LoggerFactory.getLogger(Signals.class)
                    .info("SIGUSR1 does nothing: a log that was moved away is opened anew by itself");
            return;
        }
        if (name.equals("HUP") && !(hadTerminal && !hasTerminal())) {
            reload();
            return;
        }
        if (endsAtOnce && ofProcess) {
            Runtime.getRuntime().exit(Exit.ofSignal(name));
        }
        if (!first.compareAndSet(true, false) && name.equals("INT")) {
            Runtime.getRuntime().halt(Exit.INTERRUPTED);
        }
        wishes.add(Wish.STOP);
    }

    /** Whether the process belongs to a terminal that is there. */
    private static boolean hasTerminal() {
        try (SeekableByteChannel _ = Files.newByteChannel(TERMINAL)) {
            return true;
        } catch (IOException | SecurityException e) {
            return false;
        }
    }

    /** Whether a signal that asks for the end ends the process itself: nothing is served yet, and what it waits for may never come. */
    void endAtOnce(boolean whether) {
        endsAtOnce = whether;
    }

    /** Asks for the end, as the first signal does. */
    void ask() {
        received("TERM");
    }

    /** Asks to read the configuration again. */
    void reload() {
        if (!wishes.contains(Wish.RELOAD)) {
            wishes.add(Wish.RELOAD);
        }
    }

    /** Another process serves. */
    void handOver() {
        wishes.add(Wish.HAND_OVER);
    }

    /** Whether its end is asked for, so that the next {@link #await} says so, or one after that. */
    boolean isToStop() {
        return wishes.contains(Wish.STOP);
    }

    /** Waits for what it is asked for next. */
    Wish await() {
        try {
            return wishes.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Wish.STOP;
        }
    }
}
