"""Fixed class prototypes on the hypersphere: spherical codes with certificates.

A spherical code is a set of unit vectors, the prototypes. The certificate of a code states its maximum cosine, and a
lower bound on the maximum cosine of any code with as many points in the same dimension.

>>> import protosphere as ps
>>> ps.construct("simplex", num_classes=10, dim=9)
SphericalCode(simplex, K=10, n=9, max cosine -1/9 = converse (rankin_simplex))
"""

from protosphere import bounds
from protosphere.assignment import (
    Taxonomy,
    assign,
    level_cosines,
    similarity_from_confusion,
    similarity_from_embeddings,
    similarity_from_features,
    similarity_from_names,
    similarity_from_table,
    taxonomy,
)
from protosphere.bounds import Bound
from protosphere.constructions import (
    Construction,
    add_classes,
    available,
    best,
    compose,
    construct,
    describe,
    from_embeddings,
)
from protosphere.constructions.codes_from_files import certify, from_points, load
from protosphere.constructions.comparison import Comparison, compare
from protosphere.errors import (
    CertificateError,
    InfeasibleError,
    InvalidArgumentError,
    ProtosphereError,
    StorageError,
)
from protosphere.progress import progress_bar
from protosphere.spherical.certificate import Certificate
from protosphere.spherical.placement import Placement
from protosphere.spherical.provenance import Provenance
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.statistics import CodeStatistics, code_statistics
from protosphere.version import __version__

__all__ = [
    "Bound",
    "Certificate",
    "CertificateError",
    "CodeStatistics",
    "Comparison",
    "Construction",
    "InfeasibleError",
    "InvalidArgumentError",
    "Placement",
    "ProtosphereError",
    "Provenance",
    "SphericalCode",
    "StorageError",
    "Taxonomy",
    "__version__",
    "add_classes",
    "assign",
    "available",
    "best",
    "bounds",
    "certify",
    "code_statistics",
    "compare",
    "compose",
    "construct",
    "describe",
    "from_embeddings",
    "from_points",
    "level_cosines",
    "load",
    "progress_bar",
    "similarity_from_confusion",
    "similarity_from_embeddings",
    "similarity_from_features",
    "similarity_from_names",
    "similarity_from_table",
    "taxonomy",
]
