import type { AgentQuestion, EndOfTurnEvidence } from "./evidence.ts";
import { type TextForm, textFormOf, WORDS_MAX } from "./text-form.ts";

/** One input of the score. */
interface Feature {
  /** As it stands in events, and for a value below 0. */
  readonly name: string;
  readonly opposite: string;
  /** The input that it belongs to; the bench's ablation removes inputs by group. */
  readonly group: "text" | "length" | "pauses" | "agent";
  /** What is known of its weight without any speech: 1 speaks for the end, -1 against it. */
  readonly sign: -1 | 0 | 1;
  /** Its weight as far as speech does not show another one. */
  readonly prior: number;
  /**
   * Its weight is `prior`, by hand. Recorded prompts cannot show it: they are read and need no search for words, they answer no
   * question, and some are parts that are complete as they are ("and", "press").
   */
  readonly isStated: boolean;
}

const fitted = (
  group: Feature["group"],
  sign: Feature["sign"],
  prior: number,
  name: string,
  opposite = name,
): Feature => ({ name, opposite, group, sign, prior, isStated: false });

const stated = (group: Feature["group"], weight: number, name: string): Feature => ({
  name,
  opposite: name,
  group,
  sign: weight < 0 ? -1 : 1,
  prior: weight,
  isStated: true,
});

/** What is weighed, in the order of the weights. Each feature is a number from about -1 to 1, and 0 where nothing is known. */
export const FEATURES: readonly Feature[] = [
  fitted("text", 1, 0.5, "question"),
  fitted("text", -1, -1, "comma"),
  stated("text", -1, "trailing word"),
  stated("text", -2, "hesitation"),
  fitted("text", 1, 0.5, "answer"),
  stated("text", -1.5, "few digits"),
  fitted("text", -1, -0.5, "few letters"),
  fitted("text", 0, 0, "many words"),
  fitted("length", 0, 0, "long turn"),
  fitted("pauses", -1, 0, "caller pauses often", "caller pauses rarely"),
  stated("agent", 1.5, "expected answer"),
];

/** A number that a caller dictates is rarely shorter, nor a spelled name. */
const DIGITS_USUAL_MIN = 7;
const LETTERS_USUAL_MIN = 4;
const LONG_TURN_MS = 8_000;

/** Writes the features of `evidence` to `into`, in the order of FEATURES. */
export function featuresOf(evidence: EndOfTurnEvidence, into: Float64Array): void {
  const { agentQuestion, pauses, turnMs } = evidence;
  const form = textFormOf(evidence.text, evidence.language);
  textFeatures(form, agentQuestion, into);
  into[8] = logarithm(turnMs / 1_000, LONG_TURN_MS / 1_000);
  into[9] = limited(Math.log2((pauses.count + 0.5) / (pauses.turns + 1)) / 4);
  const expectsAnswer = agentQuestion === "yes_no" || agentQuestion === "choice";
  into[10] = flag(expectsAnswer && form.beginsWithAnswer);
}

function textFeatures(form: TextForm, agentQuestion: AgentQuestion, into: Float64Array): void {
  // One letter alone is a word, unless letters were asked for.
  const isSpelling = form.letters >= 2 || (agentQuestion === "spelling" && form.letters === 1);
  const isNumber = form.digits >= 2 || (form.digits === 1 && (form.isDictation || agentQuestion === "number"));
  const isQuestion = form.isQuestion && form.mark === "none" && !form.isTrailing;
  into[0] = flag(form.mark === "question" || isQuestion);
  into[1] = flag(form.mark === "clause");
  into[2] = flag(form.isTrailing);
  into[3] = flag(form.isHesitation);
  into[4] = flag(form.isAnswer);
  into[5] = isNumber ? Math.max(0, 1 - form.digits / DIGITS_USUAL_MIN) : 0;
  into[6] = isSpelling ? Math.max(0, 1 - form.letters / LETTERS_USUAL_MIN) : 0;
  into[7] = logarithm(form.words, WORDS_MAX / 2);
}

const flag = (is: boolean): number => (is ? 1 : 0);
const limited = (value: number): number => Math.max(-1, Math.min(1, value));

/** From 0 for nothing to 1 for `usual` and more, the steps getting smaller. */
const logarithm = (value: number, usual: number): number => Math.min(1, Math.log1p(value) / Math.log1p(usual));
