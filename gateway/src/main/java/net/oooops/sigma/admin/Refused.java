package net.oooops.sigma.admin;

/**
 * What an {@link AdminServer} has refused.
 *
 * @param connections closed because there were more than there may be
 * @param cut connections closed because they took too long to ask, or in all
 * @param hosts requests for a host of another name
 * @param pages not sent, as too many were under way
 */
record Refused(long connections, long cut, long hosts, long pages) {}
