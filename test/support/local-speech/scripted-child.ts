import type { Clock } from "../../../src/core/clock.ts";
import type { SpeechTask } from "../../../src/speech/local/jobs.ts";
import type { SpeechChildEvents, StartSpeechChild } from "../../../src/speech/local/pool/child.ts";

/** How the children of a scripted pool behave. */
export interface ChildScript {
  /** What a child understands. By default `heard`. */
  transcribe?: (task: SpeechTask) => string;
  /** How probable the end of a turn is. By default 0.5. */
  judge?: (task: SpeechTask) => number;
  /** How long a job takes, ms; undefined for a child that hangs. By default 100. */
  passMs?: (task: SpeechTask) => number | undefined;
  /** How long loading takes, ms; a text for a model that cannot be loaded. By default 0. */
  loadMs?: () => number | string;
  residentBytes?: () => number;
}

/** A child process that a test plays. */
export interface ScriptedSpeechChild {
  readonly pid: number;
  /** The tasks that it was given. */
  readonly tasks: SpeechTask[];
  isAlive: boolean;
  /** The system ends it. */
  die(): void;
}

/** Starts children that exist only in this process; what they do takes time of `clock`. */
export function scriptedChildren(clock: Clock, script: ChildScript = {}) {
  const {
    transcribe = heard,
    judge = () => 0.5,
    passMs = () => 100,
    loadMs = () => 0,
    residentBytes = () => 200_000_000,
  } = script;
  const started: ScriptedSpeechChild[] = [];
  const start: StartSpeechChild = (events) => {
    const child = { pid: started.length + 1, tasks: [] as SpeechTask[], isAlive: true, die: () => exit("SIGKILL") };
    started.push(child);
    let stop = (_id: number): void => {};
    let cancelAnswer = (): void => {};
    const exit = (signal: string | null): void => {
      if (!child.isAlive) return;
      child.isAlive = false;
      cancelAnswer();
      clock.after(0, () => events.onExit({ exitCode: signal === null ? 1 : null, signal }));
    };
    const used = () => ({ residentBytes: residentBytes(), cpuMs: child.tasks.length * 100 });
    const send: SpeechChildEvents["onMessage"] = (message) => child.isAlive && events.onMessage(message);
    const loading = loadMs();
    if (typeof loading === "string") {
      clock.after(0, () => {
        send({ kind: "unusable", reason: loading });
        exit(null);
      });
    } else {
      clock.after(loading, () => send({ kind: "ready", model: "scripted", languages: ["en"], ...used() }));
    }
    return {
      pid: undefined,
      kill: () => exit("SIGKILL"),
      send(message) {
        if (message.kind === "stop") {
          stop(message.id);
          return;
        }
        const { id, task } = message;
        child.tasks.push(task);
        const tookMs = passMs(task);
        const answer = (isStopped: boolean): void => {
          stop = () => {};
          if (task.kind === "end-of-turn") {
            send({ kind: "judged", id, probability: judge(task), passMs: tookMs ?? 0, ...used() });
            return;
          }
          const hypothesis = { text: transcribe(task), averageLogProbability: -0.1, isStopped };
          send({ kind: "done", id, hypothesis, passMs: tookMs ?? 0, ...used() });
        };
        if (tookMs === undefined) return;
        cancelAnswer = clock.after(tookMs, () => answer(false));
        stop = (stopped) => {
          if (stopped !== id) return;
          cancelAnswer();
          // Between two tokens.
          clock.after(5, () => answer(true));
        };
      },
    };
  };
  return { start, started };
}

/** The level of audio that says a word: 100, 200 and so on stand for these. */
const WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
/** Audio of one word, ms. */
const WORD_MS = 300;

/** The word of each level: half a second of 100 is `one`. Parts of words of less than 100 ms are not understood. */
export function heard({ samples, rateHz }: Pick<SpeechTask, "samples" | "rateHz">): string {
  const words: string[] = [];
  const shortest = rateHz / 10;
  for (let start = 0; start < samples.length; ) {
    const level = Math.abs(samples[start] as number);
    let end = start;
    while (end < samples.length && Math.abs(samples[end] as number) === level) end += 1;
    const word = WORDS[level / 100 - 1];
    if (word !== undefined && end - start >= shortest) words.push(word);
    start = end;
  }
  return words.join(" ");
}

/** Audio in which `heard` finds these words, with pauses of `pauseMs` between them. Numbers repeat after ten. */
export function spoken(words: number, rateHz: number, pauseMs = 0): Int16Array {
  const wordSamples = (WORD_MS * rateHz) / 1_000;
  const pauseSamples = (pauseMs * rateHz) / 1_000;
  const audio = new Int16Array(words * (wordSamples + pauseSamples));
  for (let word = 0; word < words; word += 1) {
    const start = word * (wordSamples + pauseSamples);
    audio.fill(100 * ((word % WORDS.length) + 1), start, start + wordSamples);
  }
  return audio;
}

/** The text of `spoken`. */
export const spokenText = (words: number): string =>
  Array.from({ length: words }, (_, word) => WORDS[word % WORDS.length]).join(" ");
