import { textTable } from "../report/text-table.ts";
import type { RecallRow } from "./recall.ts";
import type { SpeedRow } from "./speed.ts";

/** The figures of all parts that have run. */
export interface RetrievalFigures {
  speed: (SpeedRow & { heapMb?: number })[];
  recall: RecallRow[];
}

const SPEED_HEAD = ["answers by", "chunks", "questions", "p50 ms", "p95 ms", "p99 ms", "goal p95", "heap MB"];
const RECALL_HEAD = [
  "recall@5, %",
  "passages",
  "words",
  "without stems",
  "stems are worth",
  "all terms",
  "pruning costs",
  "minisearch",
  "more than minisearch",
];

/** The tables of a run. */
export function resultText({ speed, recall }: RetrievalFigures): string {
  const tables = [speedTable(speed), recallTable(recall.filter(({ what }) => !isOfModel(what))), modelTable(recall)];
  return tables.filter((table) => table !== "").join("\n\n");
}

const speedTable = (speed: RetrievalFigures["speed"]): string =>
  speed.length === 0
    ? ""
    : textTable(
        SPEED_HEAD,
        speed.map(({ what, chunks, questions, p50Ms, p95Ms, p99Ms, goalMs, heapMb }) => [
          what,
          String(chunks),
          String(questions),
          ...[p50Ms, p95Ms, p99Ms].map((ms) => ms.toFixed(1)),
          goalMs === undefined ? "" : String(goalMs),
          heapMb === undefined ? "" : String(heapMb),
        ]),
      );

const isOfModel = (what: string): boolean => /^(?:vectors|fused), /.test(what);

function recallTable(rows: readonly RecallRow[]): string {
  const languages = [...new Set(rows.map(({ language, passages }) => `${language} ${passages}`))];
  if (languages.length === 0) return "";
  return textTable(
    RECALL_HEAD,
    languages.map((each) => {
      const [language = "", passages = ""] = each.split(" ");
      const of = (what: string): number | undefined =>
        rows.find((row) => row.language === language && String(row.passages) === passages && row.what === what)?.recall;
      const [words, bare, all, mini] = ["words", "without_stems", "unpruned", "minisearch"].map(of);
      return [
        language,
        passages,
        percent(words),
        percent(bare),
        difference(words, bare),
        percent(all),
        difference(all, words),
        percent(mini),
        difference(words, mini),
      ];
    }),
  );
}

function modelTable(rows: readonly RecallRow[]): string {
  const ofModel = rows.filter(({ what }) => isOfModel(what));
  return ofModel.length === 0
    ? ""
    : textTable(
        ["recall@5 with a model, %", "passages", "recall"],
        ofModel.map(({ what, passages, recall }) => [what, String(passages), percent(recall)]),
      );
}

const percent = (value: number | undefined): string => (value === undefined ? "" : value.toFixed(1));
const difference = (a: number | undefined, b: number | undefined): string =>
  a === undefined || b === undefined ? "" : `${a >= b ? "+" : ""}${(a - b).toFixed(1)}`;

/** Questions whose passages were not among the first five. */
export const missesText = ({ recall }: RetrievalFigures): string =>
  recall
    .filter(({ what }) => what === "words")
    .flatMap(({ language, misses }) => [
      `${language}:`,
      ...misses.map(({ package: name, question, found }) => `  ${name}: ${question} -> ${found ?? "nothing"}`),
    ])
    .join("\n");
