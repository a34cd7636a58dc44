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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts the answers that come to a connection of SOFABolt's clients in this JVM on which nobody waits for them: second ones, and such to calls of
 * another connection. SOFABolt itself logs them and goes on. They are counted by the port that they come from: a test beside this one may well give up
 * waiting for an answer of its own.
 */
final class StrayAnswers extends RpcResponseProcessor {
    private final Map<Integer, Integer> counts = new ConcurrentHashMap<>();

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

    /** How many came from that port. */
    int count(int port) {
        return counts.getOrDefault(port, 0);
    }

    @Override
    public void doProcess(RemotingContext context, RemotingCommand answer) {
        Connection connection = context.getChannelContext()
                .channel()
                .attr(Connection.CONNECTION)
                .get();
        if (connection.getInvokeFuture(answer.getId()) == null) {
            counts.merge(connection.getRemotePort(), 1, Integer::sum);
        }
        super.doProcess(context, answer);
    }
}
