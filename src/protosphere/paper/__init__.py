"""The paper's own experiments, figures and claims."""
