"""The lab's experiments. `cli` reads the command line and calls one of them:

    cli ─▶ road | extra | chaos | alloc | idle | startup | stall ─▶ bench (folder, processes, ports)
                                                                 ├▶ proxies, sigma (what is started, and how)
                                                                 ├▶ verify (is the answer right, are connections kept)
                                                                 ├▶ load (wrk, ab) and measure (what a run cost)
                                                                 └▶ report, chart, bounds (what is written)

Standard library only, Linux only: what a run cost is read from /proc.
"""
