"""The fast learner: `compiled` where there are kernels, else `indexed`."""
