"""Benchmarks, a module each: `add_options(parser)`, and `run(args)`, which gives the list of results; one may have a
`print_results(results)` of its own."""
