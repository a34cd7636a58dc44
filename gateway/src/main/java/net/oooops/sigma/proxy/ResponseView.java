package net.oooops.sigma.proxy;

import net.oooops.sigma.api.ResponseHead;
import net.oooops.sigma.http.HttpResponseHead;

/** A response's head as plugins see it: see {@link PluginView}. */
final class ResponseView extends HeadView<HttpResponseHead> implements ResponseHead {
    ResponseView(PluginView of, HttpResponseHead head) {
        super(of, head);
    }

    @Override
    public int status() {
        return head().status();
    }

    @Override
    public long contentLength() {
        return head().contentLength();
    }

    @Override
    public void status(int status) {
        head().status(status);
    }
}
