import { type Bar, bars, type Colour, legend } from "../report/charts.ts";
import { escaped, list, page, type Section, short, table, whole } from "../report/html.ts";
import { machineLine } from "../report/machine-line.ts";
import { budgetSection } from "../report/sections.ts";
import { goalsOf } from "./budgets.ts";
import type { CaseResult, Group, SttMode, TurnsResult } from "./result.ts";
import { casesOf, interruptedTable, percent, type TurnsTable, unwantedTable } from "./rows.ts";

/** The result of the bench of turn taking as a page by itself. */
export function turnsPage(result: TurnsResult): string {
  const { calls, cases, seed, tookS, machine } = result;
  const subtitle =
    `${whole(sum(cases.map((one) => one.calls)))} calls in virtual time, ${calls} for each case and STT, half as many where there is noise; ` +
    `seed ${seed}, in ${whole(tookS)} s. ` +
    `All speech is synthesised. ${machineLine(machine)}`;
  return page("Trunkline, turn by turn", subtitle, [
    budgetSection(goalsOf(result)),
    interruptions(result),
    inNoise(result),
    unwanted(result, ["sounds", "echo"], "What should not stop the agent", SOUNDS_LEAD),
    unwanted(result, ["noise"], "Noise, and no speech", NOISE_LEAD),
    { title: "How it was measured", body: list(METHOD) },
    { title: "What is not measured", body: list(NOT_MEASURED) },
  ]);
}

const COLOURS: Readonly<Record<SttMode, Colour>> = { partials: "ours", finals: "extra" };

const sttModes = legend([
  { title: "STT with interim transcripts", colour: COLOURS.partials },
  { title: "STT with final transcripts only", colour: COLOURS.finals },
]);

function interruptions(result: TurnsResult): Section {
  const rows = casesOf(result, ["interruptions"]).flatMap((one): Bar[] => {
    const { toLastSentMs, toSilenceMs } = one.interruption ?? {};
    if (toLastSentMs === undefined || toSilenceMs === undefined || toLastSentMs.count === 0) return [];
    const { p50, p90 } = toLastSentMs;
    return [
      {
        label: one.title,
        colour: COLOURS[one.sttMode],
        parts: [Math.max(0, p50), p90 - Math.max(0, p50)],
        value: `${whole(p50)}, ${whole(p90)}; silence ${whole(toSilenceMs.p50)}, ${whole(toSilenceMs.p90)}`,
      },
    ];
  });
  return {
    title: "The caller interrupts",
    lead:
      "From the first sample of the caller's voice to the last sample of the agent that leaves, ms: dark to the median, light to " +
      "the 90th percentile. Silence is when the caller hears nothing any more, after what had been sent ahead. " +
      "<b>Stopped</b>: paused or interrupted in time; <b>interrupted</b>: the reply was cancelled, which takes a word, or 1,100 ms of speech where the " +
      "STT emits no words. <b>Paused first</b>: falsely, before the caller began; <b>calls</b>: those in which the agent was speaking then. <b>Words lost</b>: the caller's. Times in the table: p50 / p90.",
    body:
      sttModes + bars(rows, "ms", "How fast the agent stops") + tableOf(interruptedTable(result, ["interruptions"])),
  };
}

function inNoise(result: TurnsResult): Section {
  const rows = casesOf(result, ["in noise"]).flatMap((one): Bar[] => {
    if (one.interruption === undefined) return [];
    const { calls, stopped, interrupted, toLastSentMs } = one.interruption;
    const share = (part: number): number => (100 * part) / one.calls;
    const inTime = toLastSentMs.count === 0 ? "" : `p50 ${whole(toLastSentMs.p50)} ms; `;
    return [
      {
        label: one.title,
        colour: COLOURS[one.sttMode],
        parts: [share(interrupted), share(stopped - interrupted)],
        value: `${inTime}${percent(calls, one.calls)} % free`,
      },
    ];
  });
  return {
    title: "The caller interrupts in noise",
    lead:
      "Calls in which the agent stopped, %: dark those in which it was interrupted, light those in which it was only paused. After the bars the " +
      "median to the last sample, and the share of calls in which the agent was free to be interrupted: the noise had neither paused " +
      "nor interrupted it. The reference STT is an instrument: its words travel as data under the speech and are lost in " +
      "noise that a person would hear through, and a reply that is paused without a word resumes. Where it emits no words, only the " +
      "VAD is measured.",
    body:
      sttModes +
      bars(rows, "%", "Interruptions that were noticed in noise") +
      tableOf(interruptedTable(result, ["in noise"])),
  };
}

const SOUNDS_LEAD =
  "Calls in which the agent was stopped by something that wants no answer, %: dark interrupted, light only paused, after which it " +
  "resumes from the same sample. After the bars, how long it was paused. A word that a pause splits counts as lost.";
const NOISE_LEAD =
  "The same for noise that begins with the call; after the bars, how often it was paused in a minute of the agent's speech.";

function unwanted(result: TurnsResult, groups: readonly Group[], title: string, lead: string): Section {
  const isNoise = groups.includes("noise");
  const rows = casesOf(result, groups).map((one): Bar => {
    const { calls, falselyPaused, falselyInterrupted } = one;
    const onlyPaused = Math.max(0, falselyPaused - falselyInterrupted);
    return {
      label: one.title,
      colour: COLOURS[one.sttMode],
      parts: [(100 * falselyInterrupted) / calls, (100 * onlyPaused) / calls],
      value: isNoise ? `${short((one.falsePauses * 60_000) / one.agentMs)} a minute` : pausedFor(one),
    };
  });
  return { title, lead, body: sttModes + bars(rows, "%", title) + tableOf(unwantedTable(result, groups)) };
}

const pausedFor = ({ falsePauseMs, falselyInterrupted, calls }: CaseResult): string =>
  `${falsePauseMs.count === 0 ? "never paused" : `paused p50 ${whole(falsePauseMs.p50)} ms`}${falselyInterrupted === 0 ? "" : `, interrupted ${percent(falselyInterrupted, calls)} %`}`;

const tableOf = ({ columns, rows }: TurnsTable): string =>
  table(
    columns.map((title, column) => ({ title, numeric: column > 1 })),
    rows.map((row) =>
      row.map((cell, column) => (column > 1 ? escaped(cell) : `<span class="name">${escaped(cell)}</span>`)),
    ),
  );

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const METHOD = [
  "<b>The chain</b> is the service's own: carrier_a's emulator speaks and plays; its messages go to the gateway's connection, " +
    "through the wire, the framer, the VAD and the call machine with its default parameters, and the ticker sends what is due. " +
    "Lacking are sockets and networks, which take no time here. Time is virtual, so the machine has no part in the figures.",
  "<b>The speech</b> is eSpeak's, in four English voices, 0 to 6 dB below what they give. Callers who interrupt and the agent are the reference TTS, " +
    "which carries its words as data; the mm-hm that is not understood and the people in the babble are plain. Coughs are bursts of breath " +
    "with the resonances of a throat, made from chance. Nothing here was recorded.",
  "<b>The line</b> is mu-law at 8,000 Hz, with noise of -60 dBFS on it. Levels of noise are dBFS, or below the speech without its " +
    "pauses; it sounds from the beginning of the call. Babble is six people. The echo is what the carrier played, 50 to 300 ms later.",
  "<b>Times</b> count from the first sample of the caller's voice, which the carrier hands on with the frame that it is in: up to 20 ms are the " +
    "carrier's. Caller, carrier and service have their beats at random.",
  "<b>The STTs</b>: the reference STT, which emits each word at its end; and the same with final transcripts only.",
  "<b>The answer</b> is timed from the last sample of the caller's voice to the first of the answer; LLM and TTS take no time.",
];

const NOT_MEASURED = [
  "People, microphones and rooms.",
  "Real speech recognition: it is later than the reference STT, and better in noise.",
  "Networks: their delay comes on top, there and back.",
];
