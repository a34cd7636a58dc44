package net.oooops.sigma.control.socket;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;

/**
 * Who is at the other end of a connection.
 *
 * @param name the user's, as the kernel says
 * @param isAllowed whether that one may ask
 */
record Peer(String name, boolean isAllowed) {
    private static final String ROOT = "root";

    /** The owner of the folder may ask, and root. Rights of files let no others in: this looks once more. */
    static Peer of(SocketChannel channel, Path folder) throws IOException {
        String owner = Files.getOwner(folder).getName();
        if (!channel.supportedOptions().contains(ExtendedSocketOptions.SO_PEERCRED)) {
            return new Peer(owner, true);
        }
        UnixDomainPrincipal peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
        String name = peer.user().getName();
        return new Peer(name, name.equals(owner) || name.equals(ROOT));
    }
}
