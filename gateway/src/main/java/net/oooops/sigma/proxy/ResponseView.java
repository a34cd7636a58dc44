package net.oooops.sigma.proxy;

import net.oooops.sigma.api.ResponseHead;
import net.oooops.sigma.http1.Http1ResponseHead;

/** A response's head as plugins see it: see {@link PluginView}. */
final class ResponseView extends HeadView<Http1ResponseHead> implements ResponseHead {
    ResponseView(PluginView of, Http1ResponseHead head) {
        super(of, head);
    }

    @Override
    public int status() {
        return head().status();
    }

    @Override
    public void status(int status) {
        head().status(status);
    }
}
