package net.oooops.sigma.testkit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/** What an upstream has seen. Written by all of its connections' threads, read by the test's. */
final class Recording {
    private final int requestsKept;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<ReceivedRequest> requests = new ArrayList<>();
    private final List<UpstreamConnection> connections = new ArrayList<>();
    private final AtomicInteger heads = new AtomicInteger();
    private final AtomicInteger whole = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private final List<String> failures = new CopyOnWriteArrayList<>();

    Recording(int requestsKept) {
        this.requestsKept = requestsKept;
    }

    /** Makes a connection known under the next number. */
    UpstreamConnection add(ConnectionMaker maker) throws IOException {
        lock.lock();
        try {
            UpstreamConnection connection = maker.make(connections.size());
            connections.add(connection);
            open.incrementAndGet();
            return connection;
        } finally {
            lock.unlock();
        }
    }

    /** Makes a connection of that number. */
    @FunctionalInterface
    interface ConnectionMaker {
        UpstreamConnection make(int number) throws IOException;
    }

    ReceivedRequest add(byte[] head, int connection, int numberOnConnection) {
        lock.lock();
        try {
            var place = new ReceivedRequest.Place(connection, heads.get(), numberOnConnection);
            ReceivedRequest request = ReceivedRequest.parse(head, place);
            if (requests.size() < requestsKept) {
                requests.add(request);
            }
            heads.incrementAndGet();
            return request;
        } finally {
            lock.unlock();
        }
    }

    void requestRead() {
        whole.incrementAndGet();
    }

    void connectionEnded() {
        open.decrementAndGet();
    }

    void failed(String failure) {
        failures.add(failure);
    }

    int heads() {
        return heads.get();
    }

    int whole() {
        return whole.get();
    }

    int open() {
        return open.get();
    }

    List<String> failures() {
        return List.copyOf(failures);
    }

    List<ReceivedRequest> requests() {
        lock.lock();
        try {
            return List.copyOf(requests);
        } finally {
            lock.unlock();
        }
    }

    List<UpstreamConnection> connections() {
        lock.lock();
        try {
            return List.copyOf(connections);
        } finally {
            lock.unlock();
        }
    }

    int connectionCount() {
        lock.lock();
        try {
            return connections.size();
        } finally {
            lock.unlock();
        }
    }
}
