package net.oooops.sigma.interop;

import com.alipay.remoting.InvokeCallback;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A callback of SOFABolt that keeps whatever it is told, so that a second answer would be seen. */
final class Answers implements InvokeCallback {
    private static final int WAIT_SECONDS = 20;

    private final CompletableFuture<Object> first = new CompletableFuture<>();
    private final List<Object> all = new ArrayList<>();

    @Override
    public synchronized void onResponse(Object result) {
        all.add(result);
        first.complete(result);
    }

    @Override
    public synchronized void onException(Throwable e) {
        all.add(e);
        first.complete(e);
    }

    @Override
    @Nullable public Executor getExecutor() {
        return null;
    }

    /** The first thing that it was told: an answer or an exception. */
    Object await() throws Exception {
        return first.get(WAIT_SECONDS, TimeUnit.SECONDS);
    }

    /** Everything that it was told until now. */
    synchronized List<Object> all() {
        return List.copyOf(all);
    }
}
