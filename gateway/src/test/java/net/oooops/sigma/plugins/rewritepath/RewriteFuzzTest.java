package net.oooops.sigma.plugins.rewritepath;

import com.code_intelligence.jazzer.junit.FuzzTest;

class RewriteFuzzTest {

    @FuzzTest
    void whatLeavesIsWhatMayComeIn(byte[] path) {
        RewriteContract.check(path, new RewriteContract.Tally());
    }
}
