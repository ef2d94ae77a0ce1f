"""Before launch: sample sizes, power, the price of privacy, trial runs of a draft."""
