import type { Schema } from "../../../client/src/index.ts";
import { durationText, numberText } from "../../app/format.ts";

export type Status = Schema<"Status">;
export type Part = Status["configuration"][number];

/** Something that an operator should look at. `bad`: calls suffer from it; `warn`: they may. */
export interface Fault {
  tone: "bad" | "warn";
  text: string;
}

/** A job that is due for longer waits for something that does not work. */
const DUE_SECONDS_MAX = 60;

/** What is wrong with the service, the worst first; empty where nothing is. */
export function faultsOf(status: Status): readonly Fault[] {
  const faults = [...serviceFaults(status), ...providerFaults(status), ...jobFaults(status)];
  return [...faults.filter(({ tone }) => tone === "bad"), ...faults.filter(({ tone }) => tone === "warn")];
}

function serviceFaults({ newCalls, database, disk, nodes, workers, silentWorkers, configuration }: Status): Fault[] {
  const gone = nodes.filter(({ state }) => state === "gone").length;
  const idle = workers.filter(({ acceptsCalls }) => !acceptsCalls).length;
  const lacking = configuration.filter(({ state }) => state === "missing").length;
  return [
    ...when(!newCalls.accepted, "bad", `${newCalls.message}`),
    ...when(database.state === "lost", "bad", "the database does not answer, and nothing is written"),
    ...when(disk.state === "low", "bad", "the disk is nearly full, and new calls are refused"),
    ...when(gone > 0, "bad", `${count(gone, "node is", "nodes are")} gone: others record the calls`),
    ...when(workers.length === 0, "bad", "no media worker is connected"),
    ...when(idle > 0 && workers.length > 0, "warn", `${count(idle, "worker takes", "workers take")} no calls`),
    ...when(
      silentWorkers > 0,
      "warn",
      `${count(silentWorkers, "worker did", "workers did")} not answer within half a second`,
    ),
    ...when(
      lacking > 0,
      "warn",
      `${count(lacking, "part", "parts")} of the configuration ${lacking === 1 ? "is" : "are"} missing`,
    ),
  ];
}

const providerFaults = ({ providers }: Status): Fault[] =>
  providers.flatMap(({ stage, provider, circuitBreaker, openInWorkers }) =>
    when(
      circuitBreaker === "open",
      "warn",
      `${stageText(stage)} of ${provider} keeps failing in ${count(openInWorkers, "worker", "workers")}: calls use the fallbacks`,
    ),
  );

const jobFaults = ({ jobs: { dead, oldestDueSeconds } }: Status): Fault[] => [
  ...when(dead > 0, "warn", `${count(dead, "job has", "jobs have")} failed for good`),
  ...when(
    oldestDueSeconds > DUE_SECONDS_MAX,
    "warn",
    `a job has been due for ${durationText(oldestDueSeconds * 1_000, { tenths: false })}`,
  ),
];

const when = (isSo: boolean, tone: Fault["tone"], text: string): Fault[] =>
  isSo ? [{ tone, text: `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.` }] : [];

const count = (number: number, one: string, more: string): string =>
  `${numberText(number)} ${number === 1 ? one : more}`;

/** What a provider is used for, as people name it. */
export const stageText = (stage: string): string => stage.toUpperCase();

/** Providers in the order in which a turn needs them. */
export const byStage = (providers: readonly Status["providers"][number][]): readonly Status["providers"][number][] =>
  providers.toSorted((one, other) => STAGES.indexOf(one.stage) - STAGES.indexOf(other.stage));

const STAGES: readonly Status["providers"][number]["stage"][] = ["stt", "llm", "tts"];

/** Parts of the configuration with what is missing first. */
export const missingFirst = (parts: readonly Part[]): readonly Part[] =>
  parts.toSorted((one, other) => RANKS[one.state] - RANKS[other.state]);

const RANKS: Readonly<Record<Part["state"], number>> = { missing: 0, optional: 1, ready: 2 };
