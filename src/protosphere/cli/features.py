"""`protosphere features`."""

from typing import Annotated

from cyclopts import Parameter

import protosphere as ps
from protosphere.cli.arguments import DataDir, Flag, Json, OutputPath, Whole
from protosphere.cli.output import checked_output
from protosphere.cli.screen import print_answer
from protosphere.data import load_dataset
from protosphere.errors import InvalidArgumentError, as_integer, as_positive


def features(
    dataset: str,
    /,
    *,
    model: str,
    output: OutputPath,
    size: Whole | None = None,
    mean: Annotated[
        list[float] | None, Parameter(consume_multiple=True, negative="")
    ] = None,
    deviation: Annotated[
        list[float] | None, Parameter(consume_multiple=True, negative="")
    ] = None,
    batch_size: Whole = 64,
    int8: Flag = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Features of a dataset's images by a network of yours, as a file that `train` takes; stopped, it goes on.

    Args:
        dataset: digits, mnist, cifar100, ..., or the path of an .npz file of images.
        model: A file.onnx, or package.module.network: an nn.Module, or what makes one when called.
        output: The .npz file to write.
        size: Enlarge or shrink images to so many pixels a side; by default what the network says.
        mean: Subtracted from pixels 0 ... 255, one number or one per channel.
        deviation: What they are then divided by.
        batch_size: Images at a time.
        int8: Keep features as bytes, one step a column: a quarter of the size.
    """
    from protosphere.experiments.feature_files import Preparation, write_features
    from protosphere.experiments.feature_networks import feature_network

    target = checked_output(output, (".npz",))
    as_integer("batch_size", batch_size, minimum=1)
    sides = None if size is None else (as_integer("size", size, minimum=1), size)
    for each in deviation or ():
        as_positive("deviation", each)
    network = feature_network(model)
    with ps.progress_bar() as progress:
        images = load_dataset(dataset, data_dir=data_dir, progress=progress)
        channels = (1, network.channels or images.input_shape[0])
        for name, values in (("mean", mean), ("deviation", deviation)):
            if values is not None and len(values) not in channels:
                raise InvalidArgumentError(
                    f"'{name}' must be one number, or one per channel, got {len(values)}"
                )
        preparation = Preparation(
            sides or network.size, tuple(mean or (0.0,)), tuple(deviation or (255.0,))
        )
        train, test, dim = write_features(
            images,
            network,
            preparation,
            output,
            batch_size=batch_size,
            int8=int8,
            progress=progress,
        )
    said = f"{train} training and {test} test vectors of {dim} features: {target}"
    print_answer(
        {"file": str(target), "train": train, "test": test, "features": dim},
        [said],
        json=json,
    )
