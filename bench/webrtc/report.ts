import type { Spread } from "../harness/statistics.ts";
import { verdictLines } from "../harness/verdict.ts";
import { escaped, page, table } from "../report/html.ts";
import { coresLine, machineLine } from "../report/machine-line.ts";
import { budgetSection, invalidity } from "../report/sections.ts";
import { textTable } from "../report/text-table.ts";
import { BAD_DB } from "./browser/tones.ts";
import { grossExcess } from "./goals.ts";
import { NETWORK_COLUMNS, networkRow } from "./network.ts";
import { STAGES, type ToneRow, type WebrtcResult } from "./result.ts";

// What WebRTC calls cost and how well they are heard, for the terminal and as a page.

interface ResultTable {
  title: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

const SPREAD = ["p50", "p90", "max"];
const spreadCells = ({ p50, p90, max }: Spread): string[] => [p50, p90, max].map((value) => value.toFixed(0));
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(2);
const orNone = (value: number | undefined): string => (value === undefined ? "" : String(value));

const toneRow = (row: ToneRow): string[] => [
  row.direction,
  `${100 * row.lossShare} %`,
  row.fec ? "yes" : "no",
  row.medianDb.toFixed(1),
  row.p10Db.toFixed(1),
  `${row.bad} of ${row.windows}`,
  orNone(row.missing),
  row.concealedShare === undefined ? "" : `${(100 * row.concealedShare).toFixed(2)} %`,
  orNone(row.acceleratedSamples),
  orNone(row.deceleratedSamples),
];

function tablesOf({ start, bargeIn, tones, network, peers, capacity, calls }: WebrtcResult): ResultTable[] {
  const { stages, greetingMs } = start ?? {};
  return [
    {
      title: "start(), in Chromium",
      head: ["ms since start()", ...SPREAD],
      rows: [
        ...(stages === undefined ? [] : STAGES.map((stage) => [stage, ...spreadCells(stages[stage])])),
        ...(greetingMs === undefined ? [] : [["greeting's first sample", ...spreadCells(greetingMs)]]),
      ],
    },
    {
      title: "Barge-in, in Chromium",
      head: ["ms since the caller's first sample", ...SPREAD],
      rows:
        bargeIn === undefined
          ? []
          : [
              ["clear at the page", ...spreadCells(bargeIn.clearMs)],
              ["silence at the page's output", ...spreadCells(bargeIn.silenceMs)],
              ["of it the output and its recording", ...spreadCells(bargeIn.outputMs)],
            ],
    },
    {
      title: `Tones between Chromium and the service, 10 ms jitter, windows of 200 ms, bad below ${BAD_DB} dB`,
      head: [
        "tone",
        "loss",
        "FEC",
        "median, dB",
        "p10, dB",
        "bad",
        "missing",
        "concealed",
        "accelerated",
        "decelerated",
      ],
      rows: tones.map(toneRow),
    },
    {
      title: "What the service hears over a bad network, windows of 20 ms",
      head: NETWORK_COLUMNS,
      rows: network.map(networkRow),
    },
    {
      title: "Transport and Opus both ways",
      head: ["encoder", "peers", "% of a core a peer", "% idle", "MB a peer"],
      rows: peers.map(({ codec, peers: count, cpuPercentPerPeer, idlePercent, bytesPerPeer }) => [
        codec,
        String(count),
        cpuPercentPerPeer.toFixed(2),
        idlePercent.toFixed(2),
        megabytes(bytesPerPeer),
      ]),
    },
    {
      title: "Whole calls in one worker",
      head: [
        "peers",
        "late p50, ms",
        "late p99, ms",
        "loop p99, ms",
        "% of a core",
        "% a call",
        "callers late p99, ms",
      ],
      rows: capacity.map(({ peers: count, lateMs, loopP99Ms, cpuPercent, callersLateP99Ms }) => [
        String(count),
        lateMs.p50.toFixed(1),
        lateMs.p99.toFixed(1),
        loopP99Ms.toFixed(1),
        cpuPercent.toFixed(0),
        (cpuPercent / count).toFixed(2),
        callersLateP99Ms.toFixed(1),
      ]),
    },
    {
      title: "Calls opened and closed",
      head: ["after calls", "resident, MB", "heap, MB", "descriptors"],
      rows:
        calls === undefined
          ? []
          : [calls.before, calls.early, calls.after].map(({ calls: count, rssBytes, heapBytes, descriptors }) => [
              String(count),
              megabytes(rssBytes),
              megabytes(heapBytes),
              String(descriptors),
            ]),
    },
  ].filter(({ rows }) => rows.length > 0);
}

/** The result for the terminal. */
export function webrtcText(result: WebrtcResult): string {
  const gross = result.options.reduced ? grossExcess(result) : [];
  return [
    verdictLines(result.goals).join("\n"),
    ...tablesOf(result).map(({ title, head, rows }) => `${title}\n${textTable(head, rows)}`),
    ...(gross.length > 0 ? [`Missed grossly:\n${gross.join("\n")}`] : []),
  ].join("\n\n");
}

/** And as a page by itself. */
export function webrtcPage(result: WebrtcResult): string {
  const sections = tablesOf(result).map(({ title, head, rows }) => ({
    title,
    body: table(
      head.map((column, at) => ({ title: column, numeric: at > 0 })),
      rows.map((row) => row.map(escaped)),
    ),
  }));
  return page("WebRTC calls", `${machineLine(result.machine)} ${escaped(coresLine(result.cores))}`, [
    ...invalidity(result.problems),
    budgetSection(result.goals),
    ...sections,
  ]);
}

/** What the tables mean, for RESULTS.md. */
export const WEBRTC_EXPLANATION =
  "Datagrams are lost at random in both directions, and take up to the jitter longer than others. What is lost is restored from FEC, or " +
  "concealed. A steady tone is concealed better than FEC restores it, because it goes on as it was; speech is not.";
