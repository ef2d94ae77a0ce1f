"""Central differential privacy: curves, accounts, the lattice, thresholds, audits.

Noise itself is in ``analytics.privacy.mechanisms``, which loads OpenDP and is imported by name.
"""

from analytics.privacy.accounting import Adjacency, Budget, Cost, split, total
from analytics.privacy.concentrated import (
    delta_from,
    epsilon_from,
    mu_with,
    published_epsilon,
    published_mu,
    renyi_epsilon,
    rho_for,
    rho_of,
    rho_of_lattice,
)
from analytics.privacy.errors import (
    AccountingError,
    AuditError,
    BudgetError,
    BudgetExceeded,
    NoiseError,
    QuantisationError,
)
from analytics.privacy.gaussian import (
    compose,
    delta_of,
    epsilon_of,
    for_groups,
    log_delta,
    mu_for,
    mu_of,
    sigma_for,
)
from analytics.privacy.lattice import charged_mu, lattice_sd_for
from analytics.privacy.membership import MembershipAudit, audit_membership
from analytics.privacy.quantisation import GRID, quantise, weigh_words
from analytics.privacy.subsampling import subsampled_delta, subsampled_epsilon
from analytics.privacy.thresholds import lattice_threshold, weighted_threshold

__all__ = [
    "GRID",
    "AccountingError",
    "Adjacency",
    "AuditError",
    "Budget",
    "BudgetError",
    "BudgetExceeded",
    "Cost",
    "MembershipAudit",
    "NoiseError",
    "QuantisationError",
    "audit_membership",
    "charged_mu",
    "compose",
    "delta_from",
    "delta_of",
    "epsilon_from",
    "epsilon_of",
    "for_groups",
    "lattice_sd_for",
    "lattice_threshold",
    "log_delta",
    "mu_for",
    "mu_of",
    "mu_with",
    "published_epsilon",
    "published_mu",
    "quantise",
    "renyi_epsilon",
    "rho_for",
    "rho_of",
    "rho_of_lattice",
    "sigma_for",
    "split",
    "subsampled_delta",
    "subsampled_epsilon",
    "total",
    "weigh_words",
    "weighted_threshold",
]
