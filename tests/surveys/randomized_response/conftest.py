from hypothesis import settings

# A busy machine is no defect of a formula: examples have no time limit of their own. They are the
# same few in every run; `make audit` looks for many new ones.
settings.register_profile("formulas", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("formulas")
