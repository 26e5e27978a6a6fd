"""Run an experiment: learn, segment, count, score, compare, write the run folder."""
