package net.oooops.sigma.upstream;

import org.jspecify.annotations.Nullable;

/**
 * Those who wait for something of one node, in the order in which they came. Each is in it by a {@link Link} that it has for as long as it
 * lives: so nothing is allocated, and who leaves from anywhere costs the same, however many there are.
 *
 * <p>Called on one event loop only.
 *
 * @param <E> who waits
 */
public final class Line<E> {
    /**
     * What one is in a line by: in one at a time. Who is in several at once has a link for each.
     *
     * @param <E> who waits
     */
    public static final class Link<E> {
        private final E owner;
        private @Nullable Link<E> before;
        private @Nullable Link<E> after;
        /** The line that it is in, or was in last: left standing, for a reference that is written with each request costs a store fence. */
        private @Nullable Line<E> line;

        private boolean linked;

        /** That of one who isn't in line yet. */
        public Link(E owner) {
            this.owner = owner;
        }

        /** Whether it is in a line. */
        public boolean isInLine() {
            return linked;
        }

        /** Who came next after it, or null. */
        public @Nullable E after() {
            return ownerOf(after);
        }
    }

    private @Nullable Link<E> first;
    private @Nullable Link<E> last;
    private int size;

    private static <E> @Nullable E ownerOf(@Nullable Link<E> link) {
        return link == null ? null : link.owner;
    }

    /** Comes, and is last. */
    public void add(Link<E> link) {
        if (link.linked) {
            throw new IllegalStateException("in line already: " + link.owner);
        }
        Link<E> before = last;
        link.before = before;
        link.linked = true;
        if (link.line != this) {
            link.line = this;
        }
        if (before == null) {
            first = link;
        } else {
            before.after = link;
        }
        last = link;
        size++;
    }

    /** Leaves; whether it was in this line. */
    public boolean remove(Link<E> link) {
        if (!has(link)) {
            return false;
        }
        Link<E> before = link.before;
        Link<E> after = link.after;
        if (before == null) {
            first = after;
        } else {
            before.after = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.before = before;
        }
        link.before = null;
        link.after = null;
        link.linked = false;
        size--;
        return true;
    }

    /** Whether it is in this line. */
    public boolean has(Link<E> link) {
        return link.linked && link.line == this;
    }

    /** Who came first, or null. */
    public @Nullable E first() {
        return ownerOf(first);
    }

    /** Takes out who came first, or returns null. */
    public @Nullable E poll() {
        Link<E> link = first;
        if (link != null) {
            remove(link);
        }
        return ownerOf(link);
    }

    /** Whether nobody is in it. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** How many are in it. */
    public int size() {
        return size;
    }
}
