/**
 * What systemd, or who else follows its interface, is told and gives: how the process stands (sd_notify(3)), and sockets that it has bound
 * (sd_listen_fds(3)).
 *
 * <p>Place in the flow: beside it. {@code cli} calls it, on the thread that runs the gateway.
 */
@NullMarked
package net.oooops.sigma.control.systemd;

import org.jspecify.annotations.NullMarked;
