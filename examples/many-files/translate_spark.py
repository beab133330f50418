"""Translates a text column with Spark.

    spark-submit translate_spark.py --model MODEL --input 'in/*.gz' --output out

Every executor needs the model file, and the Python package of dragoman (`pip install ./python`) or, with --pipe, the
program `dragoman`. The result is a table of Parquet files with the columns `source` and `translation`.
"""

from __future__ import annotations

import argparse
import os
import shlex
from typing import TYPE_CHECKING, Iterator

from pyspark.sql import DataFrame, SparkSession

if TYPE_CHECKING:
    import pandas


def translate_table(model: str, table: DataFrame) -> DataFrame:
    """Adds a column `translation` to a table with a column `source`. Every part of the table loads the model once."""

    def translate(batches: Iterator[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        import dragoman

        translator = dragoman.Translator(model, device="cpu", threads=1)
        for batch in batches:
            batch["translation"] = translator.translate(batch["source"].tolist())
            yield batch

    return table.mapInPandas(translate, schema="source string, translation string")


def translate_by_program(model: str, table: DataFrame) -> DataFrame:
    """The same by the program, which reads lines and writes as many."""
    command = f"dragoman translate --quiet --device cpu --threads 1 --model {shlex.quote(model)}"
    lines = table.rdd.map(lambda row: row.source).cache()
    translations = lines.pipe(command, env={"PATH": os.environ["PATH"]}, checkCode=True)
    return lines.zip(translations).toDF(["source", "translation"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--input", required=True, help="text files, one sentence per line")
    parser.add_argument("--output", required=True, help="folder to write; it must not exist")
    parser.add_argument("--parts", type=int, default=0, help="parts to divide the input into; 0 leaves it as it is")
    parser.add_argument("--pipe", action="store_true", help="use the program instead of the Python package")
    options = parser.parse_args()

    spark = SparkSession.builder.appName("dragoman").getOrCreate()
    table = spark.read.text(options.input).withColumnRenamed("value", "source")
    if options.parts:
        table = table.repartition(options.parts)
    translate = translate_by_program if options.pipe else translate_table
    translate(options.model, table).write.parquet(options.output)
    spark.stop()


if __name__ == "__main__":
    main()
