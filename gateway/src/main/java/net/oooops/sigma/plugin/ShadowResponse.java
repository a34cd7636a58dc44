package net.oooops.sigma.plugin;

import net.oooops.sigma.api.ResponseHead;

/** A response's head whose edits stay here. */
final class ShadowResponse extends ShadowHead<ResponseHead> implements ResponseHead {
    private int status;

    ShadowResponse(ResponseHead real) {
        super(real);
    }

    @Override
    public int status() {
        return status == 0 ? real().status() : status;
    }

    @Override
    public long contentLength() {
        return real().contentLength();
    }

    @Override
    public void status(int other) {
        int now = status();
        boolean valid = other >= 200 && other <= 599;
        boolean bodiless = other == 204 || other == 304 || now == 204 || now == 304;
        if (!valid || (bodiless && other != now)) {
            throw new IllegalArgumentException(
                    "status: " + other + " (expected: 200 to 599; 204 and 304 neither become others nor others them)");
        }
        status = other;
        edit();
    }
}
