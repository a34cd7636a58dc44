package net.oooops.sigma.snapshot;

import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.config.PluginConfig;

/**
 * A plugin that couldn't be made.
 *
 * @param plugin what names it in sigma.json, with its place there
 * @param cause what of its settings can't be used
 */
public record PluginProblem(PluginConfig plugin, SettingsException cause) {}
