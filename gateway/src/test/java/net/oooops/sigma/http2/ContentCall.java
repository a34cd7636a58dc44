package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.ClientExchange;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.Refusal;
import org.jspecify.annotations.Nullable;

/** A call whose client is content with whatever comes. */
class ContentCall implements ClientExchange {
    private final HttpResponseHead head = new HttpResponseHead();

    @Override
    public HttpResponseHead responseHead() {
        return head;
    }

    @Override
    public boolean isHeadRequest() {
        return false;
    }

    @Override
    public void onInterimResponse() {}

    @Override
    public void onResponse() {}

    @Override
    public void onResponseBody(ByteBuf in, int count) {
        in.skipBytes(count);
    }

    @Override
    public void onResponseEnd() {}

    @Override
    public void onResponsePause() {}

    @Override
    public void onResponseFault(Fault fault, @Nullable Refusal why) {}

    @Override
    public void onUpstreamWritability(boolean writable) {}
}
