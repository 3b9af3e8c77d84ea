"""Command `protosphere features`, which writes the features of a dataset's images to a file.

The function of the command has these arguments, whose help texts are not in its docstring:

- `data_dir` is the folder that is searched first for the dataset. If it is None, only the default folders are searched.
- `json` is True to print JSON, and False to print text.
"""

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
    """Compute the features of a dataset's images with your network, and write them to a file that `train` can read.

    If the command is interrupted, the same command continues where it stopped.

    Args:
        dataset: Name of a dataset, such as digits, mnist or cifar100, or the path of an .npz file with images.
        model: Path of an .onnx file, or package.module.network, the import name of an nn.Module.
            It may also be the import name of a function that returns an nn.Module.
        output: Path of the .npz file to write.
        size: Height and width in pixels to which images are resized. The default is the input size of the network.
        mean: Number that is subtracted from pixel values (0 to 255), or one number per channel. The default is 0.
        deviation: Number by which pixels are divided after the mean is subtracted, or one number per channel.
            The default is 255.
        batch_size: Number of images in a batch.
        int8: Store features as int8 with one step size per column, which needs a quarter of the space of float32.
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
        channels = network.channels or images.input_shape[0]
        _check_channels("mean", mean, channels)
        _check_channels("deviation", deviation, channels)
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
    record = {"file": str(target), "train": train, "test": test, "features": dim}
    line = f"{train} training and {test} test vectors of {dim} features: {target}"
    print_answer(record, [line], json=json)


def _check_channels(name: str, values: list[float] | None, channels: int) -> None:
    if values is not None and len(values) not in (1, channels):
        raise InvalidArgumentError(
            f"'{name}' must be one number, or one per channel, got {len(values)}"
        )
