package net.oooops.sigma.balance;

/** Nodes at random, each as often as its weight says. */
final class RandomChoice implements Balancer {
    private final Draw draw;

    RandomChoice(int[] weights, int seed) {
        draw = new Draw(weights, seed);
    }

    @Override
    public int pick(PickContext context) {
        return draw.next(context, -1);
    }
}
