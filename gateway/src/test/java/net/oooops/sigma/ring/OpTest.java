package net.oooops.sigma.ring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the kernel's results say of the operation. Numbers: errno(3) on Linux. */
class OpTest {
    /** EINTR and EAGAIN say nothing of the socket; EPIPE, ECONNRESET and ECANCELED, or a number of bytes, do. */
    @ParameterizedTest
    @CsvSource({"-4,true", "-11,true", "-32,false", "-104,false", "-125,false", "0,false", "1,false"})
    void whatIsToRepeat(int result, boolean repeated) {
        assertThat(Op.isToRepeat(result)).isEqualTo(repeated);
    }
}
