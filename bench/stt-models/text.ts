import { wordErrorPercent } from "../../src/core/text/word-errors.ts";
import { textTable } from "../report/text-table.ts";
import { errorsOf, type ModelResult, type SttModelsResult } from "./bench.ts";
import { CONDITIONS } from "./speech.ts";

export const COLUMNS = ["model", "speech", "words", ...CONDITIONS.map((condition) => `${condition} %`), "CPU / audio"];

/** Wrong words by model and set of speech, for the terminal. */
export const sttModelsText = (result: SttModelsResult): string =>
  [
    textTable(COLUMNS, sttModelsRows(result)),
    "",
    ...result.models.map(
      ({ name, languages, loadCpuMs }) =>
        `${name}: ${languages === 1 ? "1 language" : `${languages} languages`}, loaded in ${(loadCpuMs / 1_000).toFixed(1)} s of CPU time`,
    ),
  ].join("\n");

export const sttModelsRows = ({ models }: SttModelsResult): string[][] => models.flatMap(rowsOf);

const rowsOf = ({ name, sets }: ModelResult): string[][] =>
  sets.map(({ set, heard }) => [
    name,
    set,
    String(errorsOf(heard).words / CONDITIONS.length),
    ...CONDITIONS.map((condition) => wordErrorPercent(errorsOf(heard, condition)).toFixed(1)),
    (sum(heard.map(({ cpuMs }) => cpuMs)) / sum(heard.map(({ audioMs }) => audioMs))).toFixed(2),
  ]);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
