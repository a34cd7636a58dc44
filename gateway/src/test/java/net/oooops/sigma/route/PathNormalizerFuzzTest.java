package net.oooops.sigma.route;

import com.code_intelligence.jazzer.junit.FuzzTest;

class PathNormalizerFuzzTest {

    @FuzzTest
    void everyPathKeepsTheContract(byte[] raw) {
        PathContract.check(raw);
    }
}
