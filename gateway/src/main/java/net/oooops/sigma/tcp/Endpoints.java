package net.oooops.sigma.tcp;

import net.oooops.sigma.api.IpAddress;

/**
 * The two ends of a client's connection.
 *
 * @param client where it comes from
 * @param clientPort the client's port
 * @param local where it was made to
 * @param localPort the port there
 */
record Endpoints(IpAddress client, int clientPort, IpAddress local, int localPort) {}
