import { callsPerCore, colourOf, latencyRows, memoryOf } from "../load/rows.ts";
import { type Bar, bars, type DotRow, dots, legend, stops } from "../report/charts.ts";
import { escaped, list, page, type Section, short, table, whole } from "../report/html.ts";
import { coresLine, machineLine } from "../report/machine-line.ts";
import { budgetSection, invalidity } from "../report/sections.ts";
import { TO_ECHO_MAX, TO_TYPICAL_MAX } from "./budgets.ts";
import type { CompareResult, ContestantResult, Ratio } from "./result.ts";

/** The result of a comparison as a page by itself. */
export function comparePage(result: CompareResult): string {
  const { calls, seconds, rounds } = result.options;
  const subtitle = [
    `${whole(calls)} full-duplex calls of carrier_a against one server at a time, ${rounds} rounds of ${seconds} s for each.`,
    machineLine(result.machine),
    escaped(coresLine(result.cores)),
  ].join(" ");
  return page("Trunkline beside an echo and a typical gateway", subtitle, [
    ...invalidity(result.problems),
    { title: "In short", body: inShort(result) },
    budgetSection(result.budgets),
    cost(result),
    ratioSection(result),
    latency(result),
    everyRound(result),
    { title: "How it was measured", body: list(METHOD) },
    { title: "What is not measured", body: list(NOT_MEASURED) },
  ]);
}

/** In cores. More than this beside the bench, and frames wait for other programs. */
const OTHERS_LOAD_MAX = 0.1;

function inShort(result: CompareResult): string {
  const { contestants, ratios: all, budgets: verdicts } = result;
  const ours = contestants.find(({ name }) => name === "trunkline") as ContestantResult;
  const ratio = (to: string, of = "trunkline"): string => short(ratioOf(all, of, to)?.median ?? Number.NaN);
  const lines = [
    `A frame in and a frame out cost <b>${short(ours.cost.totalUs)} µs</b> of CPU: <b>${ratio("echo")} times</b> what a bare ` +
      `echo of the same bytes costs, and <b>${ratio("typical")} times</b> what a typical gateway costs that only decodes and encodes. ` +
      `By CPU alone, one core would do for about ${whole(callsPerCore(ours))} calls.`,
  ];
  const onWs = contestants.find(({ name }) => name === "trunkline_ws");
  if (onWs !== undefined) {
    lines.push(
      `Where there is no binary of uWebSockets.js, ws serves in its place: then it is ${short(onWs.cost.totalUs)} µs, ` +
        `${short(onWs.cost.totalUs / ours.cost.totalUs)} times as much.`,
    );
  }
  const recorded = contestants.find(({ name }) => name === "trunkline_recorded");
  if (recorded !== undefined) {
    lines.push(
      `With the audio of both sides in the journal it is ${short(recorded.cost.totalUs)} µs, ${ratio("echo", "trunkline_recorded")} times the echo.`,
    );
  }
  const { toStt, written } = ours.latency;
  if (toStt !== undefined && written !== undefined) {
    lines.push(
      `99 of 100 frames were received by the STT within <b>${short(toStt.p99)} ms</b> of being sent, and left within ` +
        `<b>${short(written.p99)} ms</b> of being due.`,
    );
  }
  const conversations = ours.rounds.reduce((sum, round) => sum + round.conversations, 0);
  lines.push(
    `Among the calls were ${conversations} whole conversations, spoken and heard as audio` +
      `${result.problems.length === 0 ? "; each was understood on both sides to the word" : ""}.`,
  );
  const others = Math.max(...contestants.flatMap(({ rounds }) => rounds.map(({ othersLoad }) => othersLoad)));
  if (others > OTHERS_LOAD_MAX) {
    lines.push(
      `<b>The machine was not quiet:</b> other programs had up to ${short(others)} of its ${result.machine.cores} cores meanwhile. ` +
        "Latencies are theirs as much as ours.",
    );
  }
  const missed = verdicts.filter(({ verdict }) => verdict === "missed").length;
  lines.push(
    missed === 0 ? "No budget that this run can speak of is missed." : `<b>Budgets missed: ${missed}</b>, named below.`,
  );
  return list(lines);
}

const ratioOf = (ratios: readonly Ratio[], of: string, to: string): Ratio | undefined =>
  ratios.find((ratio) => ratio.of === of && ratio.to === to);

function cost({ contestants }: CompareResult): Section {
  const rows = contestants.map(
    ({ name, title, cost: { userUs, systemUs, totalUs } }): Bar => ({
      label: title,
      colour: colourOf(name),
      parts: [userUs, systemUs],
      value: `${short(totalUs)} µs = ${short(userUs)} + ${short(systemUs)}`,
    }),
  );
  return {
    title: "CPU time for one frame in and one frame out",
    lead:
      "Of the whole server process, all its threads, in steady state; that of the middle round. Dark: in the program. " +
      "Light: in the kernel, most of it for the sockets.",
    body: bars(rows, "µs", "CPU time per frame pair"),
  };
}

/** Cost against cost, round by round. */
export function ratioSection({ contestants, ratios: all }: CompareResult): Section {
  const roundsOf = (wanted: string) => contestants.find(({ name }) => name === wanted)?.rounds ?? [];
  const budgetOf = (of: string, to: string): { budget?: number } =>
    of === "trunkline" ? { budget: to === "echo" ? TO_ECHO_MAX : TO_TYPICAL_MAX } : {};
  const rows = all.map(({ of, to, median }): DotRow => {
    const references = roundsOf(to);
    return {
      label: `${LABELS[of] ?? of}to the ${to === "echo" ? "bare echo" : "typical gateway"}`,
      colour: colourOf(of),
      values: roundsOf(of).map(
        ({ cost: { totalUs } }, round) => totalUs / (references[round]?.cost.totalUs ?? Number.NaN),
      ),
      median,
      ...budgetOf(of, to),
    };
  });
  return {
    title: "The same as ratios, round by round",
    lead:
      "The servers took turns within each round, so a machine that drifts moves both sides of a ratio. " +
      "Dot: a round. Bar: the median. Dashed: the budget, the median being at or left of it.",
    body: dots(rows, "times", "Ratios of CPU time per frame pair"),
  };
}

/** What stands in front of a ratio of ours. */
const LABELS: Readonly<Record<string, string>> = {
  trunkline: "",
  trunkline_ws: "on ws, ",
  trunkline_recorded: "journaled, ",
};

const STOPS = ["p50", "p90", "p99", "p99.9", "p99.99", "max"];

function latency(result: CompareResult): Section {
  const rows = latencyRows(result);
  const charted = rows.filter((row) => row.charted);
  const values = ({ spread: { p50, p90, p99, p999, p9999, max } }: (typeof rows)[number]): number[] => [
    p50,
    p90,
    p99,
    p999,
    p9999,
    max,
  ];
  const chart = stops(
    STOPS,
    charted.map((row) => ({ title: row.title, colour: row.colour, dashed: row.dashed, values: values(row) })),
    [
      { stop: 2, ms: 2 },
      { stop: 3, ms: 10 },
    ],
    "Latencies of frames",
  );
  const cells = rows.map((row) => [escaped(row.title), ...values(row).map(short), whole(row.spread.count)]);
  const numeric = (title: string) => ({ title, numeric: true });
  return {
    title: "How late frames were",
    lead:
      "Added by the server, the kernel's loopback and the wait for the core included; ms on a logarithmic scale, every single frame " +
      "of all rounds. Dashed lines of ours: due → written. Red: the budgets with 500 calls, p99 2 ms and p99.9 10 ms. The references " +
      "answer each message at once and have nothing that is due: theirs is the way there and back.",
    body:
      legend(charted.map(({ title, colour, dashed }) => ({ title, colour, light: dashed }))) +
      chart +
      table([{ title: "ms" }, ...STOPS.map(numeric), numeric("frames")], cells),
  };
}

function everyRound({ contestants }: CompareResult): Section {
  const rows = contestants.flatMap((contestant) =>
    contestant.rounds.map(({ round, cost: { totalUs }, serverLoad, loopDelayMs, driftMs, generator, othersLoad }) => [
      escaped(contestant.title),
      String(round),
      short(totalUs),
      `${whole(serverLoad * 100)} %`,
      `${short(loopDelayMs.p99)} / ${short(loopDelayMs.max)}`,
      driftMs === undefined ? "–" : short(driftMs),
      `${whole(generator.load * 100)} %`,
      `${short(generator.late.p99)} / ${short(generator.late.max)}`,
      short(othersLoad),
    ]),
  );
  const numeric = (title: string) => ({ title, numeric: true });
  const memory = contestants.map((contestant) => `${escaped(contestant.title)} ${whole(memoryOf(contestant))} KiB`);
  return {
    title: "Every round, and the other end",
    lead:
      "µs: CPU a frame pair; core: how busy the server was. Loop delay: how late its timers were, ms, p99 / max. Drift, ms: by how much " +
      "frames were due later at the end than at the beginning, of the call that moved furthest; a frame is play. Generator: how busy it was, " +
      "and late: due → sent, ms, p99 / max; latencies are counted from the sending and do not contain it. Others: cores that other " +
      `programs of the machine had. Memory that a call added, at most: ${memory.join(", ")}.`,
    body: table(
      [
        { title: "server" },
        numeric("round"),
        numeric("µs"),
        numeric("core"),
        numeric("loop delay"),
        numeric("drift"),
        numeric("generator"),
        numeric("late"),
        numeric("others"),
      ],
      rows,
    ),
  };
}

const METHOD = [
  "<b>The service</b> is the media worker of this repository, compiled as it is for production: gateway, wire, framer, voice detector, " +
    "call machine, ticker and journal are the modules of src, put together once more for the bench. Agents speak without a pause while " +
    "callers speak and pause; the TTS replays speech that was rendered before, the LLM emits sentences, and the STT only counts, because " +
    "engines are not what is measured. Tokens are redeemed in the process itself.",
  "<b>The references</b> get the same bytes at the same pace from the same generator: a bare uWebSockets.js server that sends each message " +
    "back, and a gateway of ws, JSON.parse, Buffer and alawmulaw that decodes each frame to PCM and encodes it again.",
  "<b>CPU</b> is what the kernel charges the server's process (getrusage: all threads, garbage collection and journal writes included), " +
    "over the frames that the generator sent and received in the same time, (in + out) / 2. The bench's own readings of the clock, three a frame pair, " +
    "are to our cost.",
  "<b>Sent → received by the STT</b>: the generator reads the machine's monotonic clock before it writes, the STT reads the same clock when it receives " +
    "the samples. <b>Due → written</b>: from when the ticker's slot was due to the return of the socket's send.",
  "<b>Full callers</b>, a few while all calls are still on and what is measured is over, have a whole carrier, the reference TTS and the reference STT: the load is real, because they are " +
    "understood, and understand, to the word.",
];

const NOT_MEASURED = [
  "Engines: speech recognition, models and synthesis cost what their providers cost.",
  "Networks, TLS and other machines: everything here goes over the loopback of one machine.",
  "How the cost of a call grows with their number: see bench:load.",
  "Drift over ten minutes, unless the run was that long.",
  "The control process: creating calls, redeeming tokens over its socket, and making records when calls are over.",
];
