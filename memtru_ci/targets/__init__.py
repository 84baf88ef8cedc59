"""What can be tested: one file for each kind of target; `assembly.targets` makes them by name."""
