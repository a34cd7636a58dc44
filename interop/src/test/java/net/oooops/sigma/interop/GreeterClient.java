package net.oooops.sigma.interop;

import com.alipay.sofa.rpc.config.ConsumerConfig;
import com.alipay.sofa.rpc.core.exception.SofaRpcException;
import com.alipay.sofa.rpc.core.invoke.SofaResponseCallback;
import com.alipay.sofa.rpc.core.request.RequestBase;
import java.util.List;

/** A client of SOFARPC that knows one address and asks no registry. */
final class GreeterClient implements AutoCloseable {
    private static final int RECONNECT_MILLIS = 200;
    private static final int CONNECTIONS = 8;

    private final ConsumerConfig<Greeter> config;
    private final Greeter greeter;

    private GreeterClient(ConsumerConfig<Greeter> config) {
        this.config = config;
        this.greeter = config.refer();
    }

    /** Whose calls wait for their answers. */
    static GreeterClient sync(int port, int timeoutMillis) {
        return new GreeterClient(config(port, timeoutMillis, "sync"));
    }

    /** Whose calls leave a future in the context of the calling thread. */
    static GreeterClient future(int port, int timeoutMillis) {
        return new GreeterClient(config(port, timeoutMillis, "future"));
    }

    /** Whose calls are answered to a callback. */
    static GreeterClient callback(int port, int timeoutMillis, Answers answers) {
        return new GreeterClient(config(port, timeoutMillis, "callback").setOnReturn(new Callback(answers)));
    }

    /** Whose calls want no answer. */
    static GreeterClient oneWay(int port, int timeoutMillis) {
        return new GreeterClient(config(port, timeoutMillis, "oneway"));
    }

    private static ConsumerConfig<Greeter> config(int port, int timeoutMillis, String invokeType) {
        return new ConsumerConfig<Greeter>()
                .setInterfaceId(Greeter.class.getName())
                .setProtocol("bolt")
                .setProxy("jdk")
                .setDirectUrl("bolt://127.0.0.1:" + port)
                .setRegister(false)
                .setSubscribe(false)
                .setFilter(List.of("-consumerTracer", "-pressure"))
                .setConnectionNum(CONNECTIONS)
                .setLazy(true)
                .setRetries(0)
                .setReconnectPeriod(RECONNECT_MILLIS)
                .setTimeout(timeoutMillis)
                .setInvokeType(invokeType);
    }

    Greeter greeter() {
        return greeter;
    }

    @Override
    public void close() {
        config.unRefer();
    }

    @SuppressWarnings("rawtypes") // SOFARPC's setter takes the raw type
    private record Callback(Answers answers) implements SofaResponseCallback {
        @Override
        public void onAppResponse(Object response, String method, RequestBase request) {
            answers.onResponse(response);
        }

        @Override
        public void onAppException(Throwable e, String method, RequestBase request) {
            answers.onException(e);
        }

        @Override
        public void onSofaException(SofaRpcException e, String method, RequestBase request) {
            answers.onException(e);
        }
    }
}
