import { percentOf } from "../../hearing/pooled.ts";
import type { HearingTable } from "../../hearing/text.ts";
import { whole } from "../../report/html.ts";
import { figuresOf } from "../../turn-taking/case-results.ts";
import type { Figures } from "../../turn-taking/result.ts";
import type { WordTimeErrors } from "../words/errors.ts";
import type { EndOfTurnAnalysis, Point, SpeechGroup } from "./analysis.ts";
import type { EndFinding, EndOfTurnCase } from "./conversations.ts";

/** What came of one case in whole calls. */
export interface EndOfTurnRow extends EndOfTurnCase {
  speech: SpeechGroup;
  line: string;
  turns: number;
  early: number;
  unanswered: number;
  /** From the caller's last clear sample to the answer's first frame, ms. */
  answerMs: Figures;
}

/** The goals are for a quiet line and a transcript without marks; languages that were not used to fit. */
export const isJudged = ({
  speech,
  line,
  rule,
  writing,
  asked,
}: Pick<EndOfTurnRow, "speech" | "line" | "rule" | "writing" | "asked">): boolean =>
  speech === "held out" && line === "clean" && rule === "score" && writing === "plain" && asked === "neutral";

/** All that the bench says of the ends of turns. */
export interface EndOfTurnResult {
  rows: EndOfTurnRow[];
  analysis: EndOfTurnAnalysis;
  wordTimes: WordTimeErrors[];
}

export function rowOf(
  wanted: EndOfTurnCase,
  speech: SpeechGroup,
  line: string,
  findings: readonly EndFinding[],
): EndOfTurnRow {
  const early = findings.filter(({ isEarly }) => isEarly).length;
  const answerMs = figuresOf(findings.map((finding) => finding.answerMs));
  const unanswered = findings.length - early - answerMs.count;
  return { ...wanted, speech, line, turns: findings.length, early, unanswered, answerMs };
}

const ms = (value: number): string => (Number.isFinite(value) ? whole(value) : "–");
const percent = (value: number): string => (Number.isFinite(value) ? value.toFixed(1) : "–");

export const endOfTurnTables = ({ rows, analysis, wordTimes }: EndOfTurnResult): HearingTable[] => [
  endsTable("plain", "ends of turns: a streaming STT without marks and capitals, words 100 ms after their ends", rows),
  endsTable("punctuated", "ends of turns: finals with marks, full stops also at one in five inner ones", rows),
  {
    title: "the curve: early answers and delay as the threshold moves, and with a fixed pause",
    columns: ["speech, rule", ...POINT_COLUMNS],
    rows: analysis.curve.map(({ speech, rule, setting, points }) => [
      `${speech}, ${rule === "score" ? `score ${setting > 0 ? "+" : ""}${setting}` : `pause of ${setting} ms`}`,
      ...cellsOf(points),
    ]),
  },
  {
    title: "the ablation: without one input, refitted, single sentences answered as fast",
    columns: ["speech, without", ...POINT_COLUMNS],
    rows: analysis.ablation.map(({ speech, without, points }) => [`${speech}, ${without}`, ...cellsOf(points)]),
  },
  {
    title: "word times: ends of first sentences against the pause in the recording",
    columns: ["language", "ends", "p50", "p90 ms"],
    rows: wordTimes.map(({ language, ends, p50Ms, p90Ms }) => [language, String(ends), ms(p50Ms), ms(p90Ms)]),
  },
];

function endsTable(writing: EndOfTurnRow["writing"], title: string, rows: readonly EndOfTurnRow[]): HearingTable {
  return {
    title,
    columns: ["speech, line, rule", "caller says", "turns", "too early", "%", "no answer", "p50", "p90 ms"],
    rows: rows
      .filter((row) => row.writing === writing)
      .map(({ speech, line, rule, asked, kind, turns, early, unanswered, answerMs }) => [
        `${speech}, ${line}, ${rule}${asked === "fitting" ? ", asked for it" : ""}`,
        kind,
        ...[turns, early].map(String),
        percent(percentOf(early, turns)),
        String(unanswered),
        ...[answerMs.p50, answerMs.p90].map(ms),
      ]),
  };
}

const SHOWN = ["single sentence", "several sentences", "number", "spelling", "hesitation"] as const;
const POINT_COLUMNS = SHOWN.map((kind) => `${kind}: early %, p50 / p90`);
const cellsOf = (points: readonly Point[]): string[] =>
  SHOWN.map((shown) => {
    const point = points.find(({ kind }) => kind === shown);
    return point === undefined ? "–" : `${percent(point.earlyPercent)}, ${ms(point.p50)} / ${ms(point.p90)}`;
  });
