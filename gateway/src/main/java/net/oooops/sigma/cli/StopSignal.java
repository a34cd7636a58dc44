package net.oooops.sigma.cli;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.LoggerFactory;

/**
 * SIGTERM, Ctrl-C and SIGHUP (the terminal was closed), as a thing to wait for. The first one asks for the end; a Ctrl-C after it ends
 * the JVM at once. SIGUSR1 is only named in the log. A SIGHUP that was ignored when the JVM was started, as nohup does it, stays so.
 *
 * <p>Handled here rather than by a shutdown hook, with which the JVM would exit with 143 or 130 after an orderly end, too.
 */
final class StopSignal {
    /** What tools that rotate logs send nginx and Apache. Unhandled, it would end the gateway at once. */
    private static final String HABIT = "USR1";

    private static final List<String> NAMES = System.getProperty("os.name", "").startsWith("Windows")
            ? List.of("INT", "TERM")
            : List.of("INT", "TERM", "HUP", HABIT);

    private final CountDownLatch asked = new CountDownLatch(1);
    private final AtomicBoolean first = new AtomicBoolean(true);

    private final boolean ofProcess;

    private StopSignal(boolean ofProcess) {
        this.ofProcess = ofProcess;
    }

    /** One that the process's signals give. */
    static StopSignal ofProcess() {
        return new StopSignal(true);
    }

    /** One that only {@link #ask} gives. */
    static StopSignal byHand() {
        return new StopSignal(false);
    }

    /** Begins to listen for signals. Where the JVM keeps them to itself (-Xrs), they do what they do without this. */
    void listen() {
        if (ofProcess) {
            install();
        }
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
            for (String name : NAMES) {
                Object each = signal.getConstructor(String.class).newInstance(name);
                signal.getMethod("handle", signal, handler).invoke(null, each, own);
            }
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            LoggerFactory.getLogger(StopSignal.class)
                    .warn("signals can't be handled ({}): they end the gateway without drain", e.toString());
        }
    }

    private void received(String name) {
        if (name.equals(HABIT)) {
            LoggerFactory.getLogger(StopSignal.class)
                    .info("SIGUSR1 does nothing: a log that was moved away is opened anew by itself");
            return;
        }
        if (!first.compareAndSet(true, false) && name.equals("INT")) {
            Runtime.getRuntime().halt(Exit.INTERRUPTED);
        }
        asked.countDown();
    }

    /** Asks for the end, as the first signal does. */
    void ask() {
        received("TERM");
    }

    /** Waits until the end is asked for. */
    void await() {
        try {
            asked.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
