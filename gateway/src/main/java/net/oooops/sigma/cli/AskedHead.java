package net.oooops.sigma.cli;

import java.util.function.LongSupplier;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.plugin.RequestHeadView;

/** The head of a {@link DryRun} as plugins see it. One thread. */
final class AskedHead extends RequestHeadView {
    private final HttpRequestHead head;
    private final LongSupplier length;

    /** @param length of the body as {@link net.oooops.sigma.api.RequestHead#contentLength} has it */
    AskedHead(HttpRequestHead head, LongSupplier length) {
        this.head = head;
        this.length = length;
    }

    @Override
    protected HttpRequestHead head() {
        return head;
    }

    @Override
    public long contentLength() {
        return length.getAsLong();
    }
}
