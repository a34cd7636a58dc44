package net.oooops.sigma.proxy;

import net.oooops.sigma.api.ResponseHead;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.plugin.HeadView;

/** A response's head as plugins see it: as a {@link RequestView}. */
final class ResponseView extends HeadView<HttpResponseHead> implements ResponseHead {
    private final PluginView of;
    private final HttpResponseHead head;

    ResponseView(PluginView of, HttpResponseHead head) {
        this.of = of;
        this.head = head;
    }

    @Override
    protected HttpResponseHead head() {
        of.check();
        return head;
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
