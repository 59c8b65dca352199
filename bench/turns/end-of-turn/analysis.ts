import { FEATURES } from "../../../src/call/turn-taking/end-of-turn/features.ts";
import { BIAS, WEIGHTS } from "../../../src/call/turn-taking/end-of-turn/weights.ts";
import type { VoiceActivityDetection } from "../../../src/media/voice-activity/detector.ts";
import type { Speaker, SpokenKind } from "./callers.ts";
import { pausesOfSpeakers } from "./corpus.ts";
import { developmentExamples, type Example, exampleOf } from "./examples.ts";
import { fitWeights } from "./fit.ts";
import { firesAtMs, type Outcome, outcomesOf, quietMsOf, type Weights } from "./judge.ts";

// How delay and early answers depend on each other, and on each input. Over the pauses of all prompts, without the call around them.

export type SpeechGroup = "development" | "held out";

/** Early answers and delays of one kind, ms. */
export interface Point {
  kind: SpokenKind;
  earlyPercent: number;
  p50: number;
  p90: number;
}

export interface CurvePoint {
  speech: SpeechGroup;
  /** `score`: by so much the score was shifted; `pause`: so long a fixed pause from the last voiced frame, ms. */
  rule: "score" | "pause";
  setting: number;
  points: Point[];
}

/** The score without one input, refitted and shifted so that single sentences are answered after the same time. */
export interface AblationRow {
  speech: SpeechGroup;
  without: string;
  points: Point[];
}

export interface EndOfTurnAnalysis {
  pauses: number;
  curve: CurvePoint[];
  ablation: AblationRow[];
}

const SHIFTS = [3, 2, 1.5, 1, 0.5, 0, -0.5, -1, -2];
const PAUSES_MS = [100, 140, 180, 220, 260, 300, 340, 380, 420, 500];
/** Shifts are found so exactly. */
const SHIFT_STEPS = 24;
const SHIFT_MAX = 6;
const SEED = 1;
const NOTHING = "nothing";
const ENERGY = "the level: since when it is quiet, sounds that come back";

export function analyseEndOfTurn(
  speakers: Readonly<Record<SpeechGroup, readonly Speaker[]>>,
  detection: VoiceActivityDetection,
): EndOfTurnAnalysis {
  const developmentPauses = pausesOfSpeakers(speakers.development, detection, SEED);
  const heldOutPauses = pausesOfSpeakers(speakers["held out"], detection, SEED);
  const training = developmentExamples(developmentPauses);
  const groups: { speech: SpeechGroup; examples: Example[] }[] = [
    { speech: "development", examples: developmentPauses.map((pause) => exampleOf(pause, "neutral", "plain")) },
    { speech: "held out", examples: heldOutPauses.map((pause) => exampleOf(pause, "neutral", "plain")) },
  ];
  return {
    pauses: developmentPauses.length + heldOutPauses.length,
    curve: groups.flatMap(({ speech, examples }) => curveOf(speech, examples)),
    ablation: ablationOf(training, groups),
  };
}

const ownWeights = (): Weights => Float64Array.from([...WEIGHTS, BIAS]);

const shifted = (weights: Weights, shift: number): Weights =>
  weights.map((weight, at) => (at === weights.length - 1 ? weight + shift : weight));

const pointsBy = (examples: readonly Example[], weights: Weights): Point[] =>
  outcomesOf(examples, (example) => firesAtMs(example, quietMsOf(example, weights))).map(pointOf);

const pointOf = ({ kind, utterances, early, delaysMs }: Outcome): Point => ({
  kind,
  earlyPercent: (100 * early) / utterances,
  p50: quantile(delaysMs, 0.5),
  p90: quantile(delaysMs, 0.9),
});

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

function curveOf(speech: SpeechGroup, examples: readonly Example[]): CurvePoint[] {
  return [
    ...SHIFTS.map(
      (setting): CurvePoint => ({
        speech,
        rule: "score",
        setting,
        points: pointsBy(examples, shifted(ownWeights(), setting)),
      }),
    ),
    ...PAUSES_MS.map(
      (setting): CurvePoint => ({
        speech,
        rule: "pause",
        setting,
        points: outcomesOf(examples, ({ settledMs }) => Math.max(setting, settledMs)).map(pointOf),
      }),
    ),
  ];
}

function ablationOf(
  training: readonly Example[],
  groups: readonly { speech: SpeechGroup; examples: readonly Example[] }[],
): AblationRow[] {
  // Of an input that is stated by hand the prompts have no example.
  const inputs = [...new Set(FEATURES.filter(({ isStated }) => !isStated).map(({ group }) => group))];
  const withoutEnergy = (examples: readonly Example[]): Example[] =>
    examples.map((example) => ({ ...example, quietMs: 0, soundMs: 0 }));
  const variants = [
    { without: NOTHING, weights: fitWeights(training, FEATURES), seen: (examples: readonly Example[]) => examples },
    ...inputs.map((input) => ({
      without: `the ${input}`,
      weights: fitWeights(training, FEATURES, (at) => FEATURES[at]?.group !== input),
      seen: (examples: readonly Example[]) => examples,
    })),
    { without: ENERGY, weights: fitWeights(withoutEnergy(training), FEATURES), seen: withoutEnergy },
  ];
  return groups.flatMap(({ speech, examples }) => {
    const wantedMs = single(pointsBy(examples, ownWeights())).p50;
    return variants.map(({ without, weights, seen }): AblationRow => {
      const own = seen(examples);
      return { speech, without, points: pointsBy(own, withDelay(own, weights, wantedMs)) };
    });
  });
}

const single = (points: readonly Point[]): Point => points.find(({ kind }) => kind === "single sentence") as Point;

/** The weights shifted so that half of the single sentences are answered within `wantedMs`. */
function withDelay(examples: readonly Example[], weights: Weights, wantedMs: number): Weights {
  const sentences = examples.filter(({ kind }) => kind === "single sentence");
  let [slow, fast] = [-SHIFT_MAX, SHIFT_MAX];
  for (let step = 0; step < SHIFT_STEPS; step += 1) {
    const middle = (slow + fast) / 2;
    if (single(pointsBy(sentences, shifted(weights, middle))).p50 > wantedMs) slow = middle;
    else fast = middle;
  }
  return shifted(weights, fast);
}
