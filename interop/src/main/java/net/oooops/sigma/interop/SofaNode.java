package net.oooops.sigma.interop;

import com.alipay.sofa.rpc.config.ProviderConfig;
import com.alipay.sofa.rpc.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A node that speaks SOFARPC over Bolt, and exports {@link Greeter}. */
public final class SofaNode {
    private SofaNode() {}

    /**
     * Starts it on the loopback address.
     *
     * @param args port, name, journal, and how many threads answer calls, none of which wait for one
     */
    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(args[0]);
        int threads = Integer.parseInt(args[3]);
        ServerConfig server = new ServerConfig()
                .setProtocol("bolt")
                .setBoundHost("127.0.0.1")
                .setHost("127.0.0.1")
                .setPort(port)
                .setCoreThreads(threads)
                .setMaxThreads(threads)
                .setQueues(0)
                .setDaemon(true);
        new ProviderConfig<Greeter>()
                .setInterfaceId(Greeter.class.getName())
                .setRef(new Answers(args[1], new Journal(Path.of(args[2]))))
                .setServer(server)
                .setFilter(List.of("-providerTracer", "-pressure"))
                .setRegister(false)
                .export();
        Lifeline.ready(port);
        Lifeline.hold();
    }

    private record Answers(String name, Journal journal) implements Greeter {
        @Override
        public String greet(String text) {
            journal.write(Journal.CALL + text);
            return Ask.answer(name, text);
        }

        @Override
        public String greetAfter(int millis, String text) {
            journal.write(Journal.CALL + text);
            try {
                if (new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS)) {
                    throw new AssertionError("counted down by nobody");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Ask.answer(name, text);
        }

        @Override
        public String refuse(String text) throws GreetingRefused {
            journal.write(Journal.CALL + text);
            throw new GreetingRefused(text);
        }
    }
}
