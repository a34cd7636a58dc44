package net.oooops.sigma.interop;

import com.alipay.remoting.AsyncContext;
import com.alipay.remoting.BizContext;
import com.alipay.remoting.CommonCommandCode;
import com.alipay.remoting.Connection;
import com.alipay.remoting.ConnectionEventType;
import com.alipay.remoting.RemotingCommand;
import com.alipay.remoting.RemotingContext;
import com.alipay.remoting.rpc.RpcServer;
import com.alipay.remoting.rpc.protocol.AsyncUserProcessor;
import com.alipay.remoting.rpc.protocol.RpcHeartBeatProcessor;
import com.alipay.remoting.rpc.protocol.RpcProtocol;
import com.alipay.remoting.rpc.protocol.RpcProtocolV2;
import com.alipay.remoting.rpc.protocol.SyncUserProcessor;
import io.netty.channel.Channel;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A node that speaks SOFABolt: answers each {@link Ask} as it wants to be, and each {@link BusyAsk} with "thread pool busy". Without a
 * journal it echoes strings and nothing else, for the lab.
 */
public final class BoltNode {
    private BoltNode() {}

    /**
     * Starts it on the loopback address. With a journal it ends with its standard input, else with a signal.
     *
     * @param args port (0: any), then name and journal, or neither
     */
    public static void main(String[] args) throws Exception {
        RpcServer server = new RpcServer("127.0.0.1", Integer.parseInt(args[0]));
        server.startup();
        if (args.length == 1) {
            server.registerUserProcessor(new Echo());
            Lifeline.ready(server.port());
            return;
        }
        answer(server, args[1], new Journal(Path.of(args[2])));
        Lifeline.ready(server.port());
        Lifeline.hold();
    }

    private static void answer(RpcServer server, String name, Journal journal) {
        server.registerUserProcessor(new Answers(name, journal));
        server.registerUserProcessor(new Refusals());
        server.addConnectionEventProcessor(
                ConnectionEventType.CONNECT, (address, connection) -> journal.write(Journal.CONNECTED));
        CountedHeartbeats heartbeats = new CountedHeartbeats(journal);
        server.registerProcessor(RpcProtocol.PROTOCOL_CODE, CommonCommandCode.HEARTBEAT, heartbeats);
        server.registerProcessor(RpcProtocolV2.PROTOCOL_CODE, CommonCommandCode.HEARTBEAT, heartbeats);
    }

    private static final class Answers extends AsyncUserProcessor<Ask> {
        private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
        private final String name;
        private final Journal journal;

        Answers(String name, Journal journal) {
            this.name = name;
            this.journal = journal;
        }

        @Override
        public BizContext preHandleRequest(RemotingContext context, Ask ask) {
            Channel channel = context.getChannelContext().channel();
            int protocol = channel.attr(Connection.PROTOCOL).get().getFirstByte();
            // Not set where the protocol has no version, which is the first.
            Byte version = channel.attr(Connection.VERSION).get();
            journal.write(Journal.form(protocol, version == null ? 1 : version));
            return super.preHandleRequest(context, ask);
        }

        @Override
        public void handleRequest(BizContext bizContext, AsyncContext asyncContext, Ask ask) {
            journal.write(Journal.CALL + ask.text());
            if (ask.isFailing()) {
                throw new IllegalStateException(ask.text());
            }
            String answer = Ask.answer(name, ask.text());
            if (ask.afterMillis() == 0) {
                asyncContext.sendResponse(answer);
            } else {
                later.schedule(() -> asyncContext.sendResponse(answer), ask.afterMillis(), TimeUnit.MILLISECONDS);
            }
        }

        @Override
        public String interest() {
            return Ask.class.getName();
        }
    }

    /** Has no thread free, ever. */
    private static final class Refusals extends SyncUserProcessor<BusyAsk> {
        @Override
        public Object handleRequest(BizContext bizContext, BusyAsk ask) {
            throw new AssertionError("no thread was given");
        }

        @Override
        public Executor getExecutor() {
            return task -> {
                throw new RejectedExecutionException("busy");
            };
        }

        @Override
        public String interest() {
            return BusyAsk.class.getName();
        }
    }

    private static final class Echo extends SyncUserProcessor<String> {
        @Override
        public Object handleRequest(BizContext bizContext, String text) {
            return text;
        }

        @Override
        public boolean processInIOThread() {
            return true;
        }

        @Override
        public String interest() {
            return String.class.getName();
        }
    }

    private static final class CountedHeartbeats extends RpcHeartBeatProcessor {
        private final Journal journal;

        CountedHeartbeats(Journal journal) {
            this.journal = journal;
        }

        @Override
        public void doProcess(RemotingContext context, RemotingCommand heartbeat) {
            journal.write(Journal.HEARTBEAT);
            super.doProcess(context, heartbeat);
        }
    }
}
