package net.oooops.sigma.runtime;

import net.oooops.sigma.balance.PickContext;

/**
 * What a request asks for, from fewer nodes: who narrows it says which ones are left.
 *
 * <p>Belongs to one Worker; used again for each pick.
 */
abstract class Narrowed implements PickContext {
    /** Whose choice is narrowed, until the pick is over. */
    PickContext asked = PickContext.NONE;

    @Override
    public long source() {
        return asked.source();
    }

    @Override
    public long key() {
        return asked.key();
    }

    @Override
    public int held() {
        return asked.held();
    }
}
