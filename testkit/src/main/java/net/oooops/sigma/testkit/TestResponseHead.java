package net.oooops.sigma.testkit;

import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.ResponseHead;

/** The response's head of a {@link TestExchange}. For one thread at a time. */
public final class TestResponseHead extends TestHead implements ResponseHead {
    private static final FieldName CONTENT_LENGTH = FieldName.of("Content-Length");

    private int status;

    TestResponseHead(int status, String... fields) {
        super(fields);
        this.status = status;
    }

    @Override
    public int status() {
        return status;
    }

    /** What the field says. */
    @Override
    public long contentLength() {
        String length = value(CONTENT_LENGTH);
        return length == null ? -1 : Long.parseLong(length);
    }

    @Override
    public void status(int status) {
        if (status < 200 || status > 599 || endsWithHead(status) || endsWithHead(this.status)) {
            throw new IllegalArgumentException("status: " + status + " in the place of " + this.status
                    + " (expected: 200 to 599, neither 204 nor 304)");
        }
        this.status = status;
    }

    private static boolean endsWithHead(int status) {
        return status == 204 || status == 304;
    }
}
