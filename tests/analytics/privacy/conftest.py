from hypothesis import settings

# A busy machine is no defect of a formula: examples have no time limit of their own.
settings.register_profile("formulas", deadline=None)
settings.load_profile("formulas")
