package net.oooops.sigma.interop;

import com.alipay.remoting.CommonCommandCode;
import com.alipay.remoting.ProtocolCode;
import com.alipay.remoting.ProtocolManager;
import com.alipay.remoting.RemotingCommand;
import com.alipay.remoting.RemotingContext;
import com.alipay.remoting.rpc.HeartbeatAckCommand;
import com.alipay.remoting.rpc.protocol.RpcHeartBeatProcessor;
import com.alipay.remoting.rpc.protocol.RpcProtocol;
import com.alipay.remoting.rpc.protocol.RpcProtocolV2;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the answers to the heartbeats of SOFABolt's clients in this JVM. */
final class HeartbeatAcks extends RpcHeartBeatProcessor {
    private final AtomicInteger count = new AtomicInteger();

    private HeartbeatAcks() {}

    /** Counts from now on, in the place of an earlier one. */
    static HeartbeatAcks counted() {
        HeartbeatAcks counting = new HeartbeatAcks();
        for (byte protocol : new byte[] {RpcProtocol.PROTOCOL_CODE, RpcProtocolV2.PROTOCOL_CODE}) {
            ProtocolManager.getProtocol(ProtocolCode.fromBytes(protocol))
                    .getCommandHandler()
                    .registerProcessor(CommonCommandCode.HEARTBEAT, counting);
        }
        return counting;
    }

    int count() {
        return count.get();
    }

    @Override
    public void doProcess(RemotingContext context, RemotingCommand command) {
        if (command instanceof HeartbeatAckCommand) {
            count.incrementAndGet();
        }
        super.doProcess(context, command);
    }
}
