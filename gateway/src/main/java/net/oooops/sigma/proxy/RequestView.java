package net.oooops.sigma.proxy;

import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.plugin.RequestHeadView;

/** A request's head as plugins see it, as long as the {@link PluginView} that it belongs to isn't revoked. */
final class RequestView extends RequestHeadView {
    private final PluginView of;
    private final HttpRequestHead head;

    RequestView(PluginView of, HttpRequestHead head) {
        this.of = of;
        this.head = head;
    }

    @Override
    protected HttpRequestHead head() {
        of.check();
        return head;
    }

    @Override
    public void method(String method) {
        of.requireRequestStage();
        super.method(method);
    }

    @Override
    public long contentLength() {
        return of.requestBytes();
    }
}
