/**
 * What operators see: counters of every Worker, the access log, and the form of the gateway's own log.
 *
 * <p>Place in the flow: beside every stage; roads compose them. {@link net.oooops.sigma.observe.WorkerCounters} and an
 * {@link net.oooops.sigma.observe.AccessLog.Appender} belong to one Worker and are written on its event loop alone, without
 * locks and without allocation. {@link net.oooops.sigma.observe.CountersView} may be asked on any thread. The file of the access
 * log is touched by a thread of its own.
 */
@NullMarked
package net.oooops.sigma.observe;

import org.jspecify.annotations.NullMarked;
