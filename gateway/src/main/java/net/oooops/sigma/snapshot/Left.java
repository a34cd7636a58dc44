package net.oooops.sigma.snapshot;

/**
 * What a plugin leaves to the one at its place in another process.
 *
 * @param owner the server, router, route or proxy-pass that it stands at, by kind and id
 * @param plugin its name
 * @param number of those of that name there, from 0
 * @param bytes in Base64
 */
public record Left(String owner, String plugin, int number, String bytes) {}
