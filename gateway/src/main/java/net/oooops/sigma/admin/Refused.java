package net.oooops.sigma.admin;

/**
 * What an {@link AdminServer} has refused.
 *
 * @param connections closed at once, being more than there may be
 * @param cut connections closed because they lasted for too long
 * @param hosts requests for a host of another name
 * @param pages not sent, as too many were under way
 */
record Refused(long connections, long cut, long hosts, long pages) {}
