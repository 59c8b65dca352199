import type { TurnParameters } from "../../../src/call/parameters.ts";
import { CARRIER_RATE_HZ, FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { Random } from "../../../test/support/random.ts";
import type { Layer } from "../../turn-taking/caller-line.ts";
import { runTrial, type TrialTools } from "../../turn-taking/trial.ts";
import { TTS_WORD_MS } from "../ideal-providers.ts";
import type { Speaker, SpokenKind, TimedUtterance } from "./callers.ts";
import type { AskedBefore, Writing } from "./examples.ts";
import { streamingStt } from "./streaming-stt.ts";

// The ends of turns in whole calls, through the whole service but its sockets, in virtual time.

/** How turns end: by the score, or by the fixed pauses of before. */
export type EndRule = "score" | "pauses";

export interface EndOfTurnCase {
  rule: EndRule;
  writing: Writing;
  asked: AskedBefore;
  kind: SpokenKind;
}

/** What came of one turn. Times are ms. */
export interface EndFinding {
  isEarly: boolean;
  /** From the last clear sample to the answer's first frame; NaN where it was early or never came. */
  answerMs: number;
}

const FIRST_MS = 1_000;
const TURNS_A_CALL = 6;
const NEUTRAL = "Yes, that is right.";
/** What the agent asks before numbers and spellings. */
const QUESTIONS: Readonly<Record<string, Partial<Record<SpokenKind, string>>>> = {
  en: { number: "What is your number?", spelling: "Can you spell that?" },
  es: { number: "¿Cuál es su número?", spelling: "¿Lo puede deletrear?" },
  fr: { number: "Quel est votre numéro ?", spelling: "Pouvez-vous l'épeler ?" },
  it: { number: "Qual è il suo numero?", spelling: "Può dirmi le lettere?" },
  ru: { number: "Назовите ваш номер.", spelling: "Скажите по буквам." },
};
const BY_PAUSES: Partial<TurnParameters> = { turnWaitMsMin: 0, turnWaitMsMax: 0 };
const samplesOf = (ms: number): number => Math.round((ms * CARRIER_RATE_HZ) / 1_000);
const msOf = (samples: number): number => (samples * 1_000) / CARRIER_RATE_HZ;

/** So many turns of each speaker; the same seed gives the same callers whatever the rule is. */
export async function endsOf(
  tools: TrialTools,
  speakers: readonly Speaker[],
  turnsEach: number,
  layersOf: (random: Random) => Layer[],
  wanted: EndOfTurnCase,
  seed: number,
): Promise<EndFinding[]> {
  const findings: EndFinding[] = [];
  for (const speaker of speakers) {
    const random = new Random(seed);
    const lineRandom = random.fork();
    for (let turns = 0; turns < turnsEach; turns += TURNS_A_CALL) {
      const said = Array.from({ length: Math.min(TURNS_A_CALL, turnsEach - turns) }, () =>
        speaker.draw(wanted.kind, random),
      );
      findings.push(...(await converse(tools, speaker.language, said, layersOf(lineRandom), wanted, random)));
    }
  }
  return findings;
}

async function converse(
  tools: TrialTools,
  language: string,
  utterances: readonly TimedUtterance[],
  layers: Layer[],
  { rule, writing, asked, kind }: EndOfTurnCase,
  random: Random,
): Promise<EndFinding[]> {
  const answer = (asked === "fitting" ? QUESTIONS[language]?.[kind] : undefined) ?? NEUTRAL;
  const betweenMs = 2_000 + answer.split(" ").length * TTS_WORD_MS;
  const phaseMs = random.between(0, FRAME_MS);
  const starts: number[] = [];
  let end = samplesOf(FIRST_MS);
  for (const { clearEnd } of utterances) {
    starts.push(end);
    end += clearEnd + samplesOf(betweenMs);
  }
  const samples = new Float32Array(end);
  for (const [index, { samples: sound }] of utterances.entries()) {
    const start = starts[index] as number;
    samples.set(sound.subarray(0, Math.min(sound.length, end - start)), start);
  }
  const words = utterances.flatMap(({ words: spoken }, index) =>
    spoken.map(({ text, to }) => ({ text, to: to + (starts[index] as number) })),
  );
  const firstFramesMs: number[] = [];
  let lastTurnId = 0;
  await runTrial({
    tools,
    sttMode: "partials",
    scene: { sounds: { layers, utterance: { samples, at: 0 } }, said: "everything" },
    greeting: "",
    answer,
    spec: { firstSpeaker: "user", language, languagePinned: true },
    ...(rule === "pauses" && { parameters: BY_PAUSES }),
    phaseMs,
    stt: streamingStt(words, writing),
    untilMs: phaseMs + msOf(end),
    onSent: (atMs, turnId) => {
      if (turnId !== lastTurnId) firstFramesMs.push(atMs);
      lastTurnId = turnId;
    },
  });
  return utterances.map(({ clearEnd }, index) => {
    const start = starts[index] as number;
    const endMs = phaseMs + msOf(start + clearEnd);
    const nextMs = phaseMs + msOf(starts[index + 1] ?? end);
    const own = firstFramesMs.filter((atMs) => atMs >= phaseMs + msOf(start) && atMs < nextMs);
    const isEarly = own.some((atMs) => atMs < endMs);
    return { isEarly, answerMs: isEarly ? Number.NaN : (own[0] ?? Number.NaN) - endMs };
  });
}
