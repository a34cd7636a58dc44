package net.oooops.sigma.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Thousands of exchanges wait to be used again after many were under way at once: none holds what its last request was made of. */
class SpareExchangeTest {
    private static final int LARGE_BYTES = 30_000;
    private static final int KEPT_BYTES = 4096;

    @Test
    void aLargeRequestIsForgottenAtItsEnd() {
        RequestSide request = new RequestSide();
        request.head.append(new byte[LARGE_BYTES], 0, LARGE_BYTES);
        request.end();
        assertThat(request.head.bytes().length).isLessThanOrEqualTo(KEPT_BYTES);
        assertThat(request.head.length()).isZero();
    }

    @Test
    void aLargeResponseIsForgottenAtItsEnd() {
        ResponseSide response = new ResponseSide();
        response.beginOwn(200, new byte[LARGE_BYTES]);
        response.head.append(new byte[LARGE_BYTES], 0, LARGE_BYTES);
        response.end();
        assertThat(response.head.bytes().length).isLessThanOrEqualTo(KEPT_BYTES);
        assertThat(response.ownBody()).isNull();
    }
}
