package net.oooops.sigma.interop;

import com.alipay.remoting.CommandCode;
import com.alipay.remoting.Connection;
import com.alipay.remoting.ProtocolCode;
import com.alipay.remoting.ProtocolManager;
import com.alipay.remoting.RemotingCommand;
import com.alipay.remoting.RemotingContext;
import com.alipay.remoting.rpc.protocol.RpcCommandCode;
import com.alipay.remoting.rpc.protocol.RpcProtocol;
import com.alipay.remoting.rpc.protocol.RpcProtocolV2;
import com.alipay.remoting.rpc.protocol.RpcResponseProcessor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the answers that come to a connection of SOFABolt's clients in this JVM on which nobody waits for them: second ones, and such to calls of
 * another connection. SOFABolt itself logs them and goes on.
 */
final class StrayAnswers extends RpcResponseProcessor {
    private final AtomicInteger count = new AtomicInteger();

    private StrayAnswers() {}

    /** Counts from now on, in the place of an earlier one. */
    static StrayAnswers counted() {
        StrayAnswers counting = new StrayAnswers();
        CommandCode response = RpcCommandCode.RPC_RESPONSE;
        for (byte protocol : new byte[] {RpcProtocol.PROTOCOL_CODE, RpcProtocolV2.PROTOCOL_CODE}) {
            ProtocolManager.getProtocol(ProtocolCode.fromBytes(protocol))
                    .getCommandHandler()
                    .registerProcessor(response, counting);
        }
        return counting;
    }

    int count() {
        return count.get();
    }

    @Override
    public void doProcess(RemotingContext context, RemotingCommand answer) {
        Connection connection = context.getChannelContext()
                .channel()
                .attr(Connection.CONNECTION)
                .get();
        if (connection.getInvokeFuture(answer.getId()) == null) {
            count.incrementAndGet();
        }
        super.doProcess(context, answer);
    }
}
