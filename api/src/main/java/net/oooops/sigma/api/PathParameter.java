package net.oooops.sigma.api;

/**
 * A parameter of the Route's path that settings of a plugin name. Immutable.
 *
 * @param name as {@link Exchange#parameter} takes it
 * @param pointer of the setting that names it, relative to the plugin's settings ({@link Settings#pointer})
 */
public record PathParameter(String name, String pointer) {}
