package net.oooops.sigma.balance;

/** The node that the client's cookie names, as long as it can be picked; else the one that another balancer picks. */
final class Sticky implements Balancer {
    private final Balancer otherwise;
    private final int count;

    /** @param count how many nodes there are: the cookie may name one that this Worker hasn't heard of yet */
    Sticky(Balancer otherwise, int count) {
        this.otherwise = otherwise;
        this.count = count;
    }

    @Override
    public int pick(PickContext context) {
        int held = context.held();
        return held >= 0 && held < count && !context.excludes(held) ? held : otherwise.pick(context);
    }

    @Override
    public int keyed(PickContext context) {
        int held = context.held();
        return held >= 0 && !context.excludes(held) ? held : otherwise.keyed(context);
    }

    @Override
    public void started(int node) {
        otherwise.started(node);
    }

    @Override
    public void heard(int node, Heard heard, long afterNanos) {
        otherwise.heard(node, heard, afterNanos);
    }

    @Override
    public void alive(int node) {
        otherwise.alive(node);
    }

    @Override
    public void ended(int node) {
        otherwise.ended(node);
    }
}
