"""The benchmark protocol: which algorithms train how long on how many seeds, how they are measured, and the work.

One task is one training run, or one agent without training: algorithm x ruleset x seed. Its result is one JSON file
that appears whole or not at all, so a command that was killed goes on with the tasks that have none. A result depends
on nothing but the protocol, the ruleset and the seed, and what it says of CPU minutes on the machine.
"""
