"""Every option of a run, once: `memtru.yml` is this model, inputs and command line override it."""
