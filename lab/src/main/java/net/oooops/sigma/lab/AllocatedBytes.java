package net.oooops.sigma.lab;

import com.sun.management.ThreadMXBean;
import com.sun.tools.attach.VirtualMachine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Tells how many bytes each thread of another JVM of this user has allocated on the heap since it started. Needs nothing of that JVM: its
 * local JMX agent is started by attaching to it.
 *
 * <p>Run as {@code java AllocatedBytes.java PID}. Prints {@code ready}, then for each line read one line of JSON,
 * {@code [["thread name", bytes], …]}; ends at the end of input. What JMX itself allocates there is on threads of its own, named
 * {@code RMI …} and {@code JMX …}. Virtual threads are not among them.
 */
public final class AllocatedBytes {

    private AllocatedBytes() {}

    /**
     * Attaches, then answers until the end of input.
     * @param arguments the process id
     * @throws Exception where the process is not a JVM of this user, or ends
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 1) {
            System.err.println("arguments: " + arguments.length + " (expected: 1, the process id)");
            System.exit(2);
        }
        try (JMXConnector connector = connect(arguments[0])) {
            MBeanServerConnection remote = connector.getMBeanServerConnection();
            ThreadMXBean threads = ManagementFactory.newPlatformMXBeanProxy(
                    remote, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
            answer(threads);
        }
    }

    // The address comes from the JVM attached to, which this user started; nothing that a client of it sends can change
    // it.
    @SuppressWarnings("BanJNDI")
    private static JMXConnector connect(String pid) throws Exception {
        return JMXConnectorFactory.connect(new JMXServiceURL(startAgent(pid)));
    }

    private static String startAgent(String pid) throws Exception {
        VirtualMachine machine = VirtualMachine.attach(pid);
        try {
            return machine.startLocalManagementAgent();
        } finally {
            machine.detach();
        }
    }

    private static void answer(ThreadMXBean threads) throws IOException {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("ready");
        while (input.readLine() != null) {
            System.out.println(snapshot(threads));
        }
    }

    private static String snapshot(ThreadMXBean threads) {
        long[] ids = threads.getAllThreadIds();
        long[] allocated = threads.getThreadAllocatedBytes(ids);
        ThreadInfo[] described = threads.getThreadInfo(ids);
        var entries = new StringJoiner(", ", "[", "]");
        for (int i = 0; i < ids.length; i++) {
            // A thread that has ended meanwhile has no description and -1 bytes.
            if (described[i] != null && allocated[i] >= 0) {
                entries.add("[\"" + quoted(described[i].getThreadName()) + "\", " + allocated[i] + "]");
            }
        }
        return entries.toString();
    }

    private static String quoted(String name) {
        return name.replace("\\", "\\\\").replace("\"", "\\\"");
    }
}
