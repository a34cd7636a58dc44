package net.oooops.sigma.runtime;

import java.util.List;
import net.oooops.sigma.balance.PickContext;
import net.oooops.sigma.upstream.Node;

/**
 * Whoever asks knows nodes by numbers that stay theirs while others come and go; a balancer knows them by where they stand in the
 * list. Between the two stands this, once they differ.
 *
 * <p>Belongs to one Worker; used again for each pick.
 */
final class Renumbered extends Narrowed {
    private final int[] numbers;

    private Renumbered(int[] numbers) {
        this.numbers = numbers;
    }

    /** For nodes in that order. */
    static Renumbered of(List<Node> nodes) {
        return new Renumbered(nodes.stream().mapToInt(Node::number).toArray());
    }

    /** Whether numbers and places are the same. */
    boolean isNeedless() {
        for (int place = 0; place < numbers.length; place++) {
            if (numbers[place] != place) {
                return false;
            }
        }
        return true;
    }

    /** What is asked of {@code context} is asked here, by places, until the next call. */
    PickContext before(PickContext context) {
        asked = context;
        return this;
    }

    @Override
    public boolean excludes(int place) {
        return asked.excludes(numbers[place]);
    }

    @Override
    public int held() {
        int number = asked.held();
        for (int place = 0; place < numbers.length && number >= 0; place++) {
            if (numbers[place] == number) {
                return place;
            }
        }
        return -1;
    }
}
