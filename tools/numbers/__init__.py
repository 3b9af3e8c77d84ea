"""Every measured number on a page of the documentation has a command that makes it again.

Each file below has one idea:

* `maker.py`: a **maker** is a command that a reader can type, together with the numbers that pages show of its answer.
  All makers are in `makers/`, in one file for each subject.
* `run.py`: it runs a command with `--json`. The **answer** of a maker is the JSON that its command prints. If the
  command takes hours, the answer is computed from the table in `results/` that the command wrote.
* `record.py`: the **record** of a maker is the file `results/numbers/MAKER.json`. It keeps the answer, the command, the
  seeds, the versions of the software, and the defaults on which the answer depends.
* `pages.py`: a page shows a number between two comments, `<!-- number: MAKER.NAME -->93.0 to 94.9%<!-- /number -->`.
  The text between the comments is written from the record.
* `defaults.py`: a **probe** describes one default of the package by a few numbers. If a default changes and records are
  not made again, `tests/tools/test_numbers.py` fails.
* `command.py`: `python -m tools numbers` (or `make numbers`) runs every maker again and shows which numbers changed.
  With `--write`, it keeps the new answers and writes the pages.

To show a new number on a page:

1. Write a maker, or add a name to an existing maker.
2. Put the two comments on the page, with the command near them.
3. Run `python -m tools numbers MAKER --write`.
"""
