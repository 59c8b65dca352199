import { editDistance } from "./core/nearest.ts";

/** A variable that somebody most likely meant for us, and that nobody reads. */
export interface UnknownVariable {
  name: string;
  /** The known one that is most like it. */
  nearest: string;
}

/** What names of ours begin with, and names of nobody else. */
const OUR_PREFIXES: readonly RegExp[] = [/^TRUNKLINE_/, /^CARRIER_[A-C]_/];
const SERVICE_PREFIX = "TRUNKLINE_";

/**
 * Variables of the providers' own programs that end as ours do:
 * https://github.com/openai/openai-node, https://docs.anthropic.com/en/docs/claude-code/settings,
 * https://github.com/google-gemini/gemini-cli
 */
const OF_OTHERS = /^(OPENAI_ADMIN_KEY|ANTHROPIC_([A-Z_]+_)?MODEL|ANTHROPIC_(BEDROCK|VERTEX|FOUNDRY)_.+|GEMINI_MODEL)$/;

/** So many characters may be wrong in a name of this length; in a shorter one only one, and none in its first word. */
const LONG_NAME = { chars: 12, typosMax: 2 } as const;

/**
 * The variables among `given` that look like ours and are none of the `known`: one that is a known name but for underscores, case, a
 * typing error or a missing end; one with a prefix of ours; and one that begins with a name of the `providers` and ends as a known
 * variable of a provider does (`DEEPGRAM_KEY`). Others are nobody's business here, `OPENAI_ORG_ID` among them.
 */
export function unknownVariables(
  given: readonly string[],
  known: readonly string[],
  providers: readonly string[],
): UnknownVariable[] {
  const families = providers.map((provider) => `${provider.toUpperCase()}_`);
  const inFamily = (name: string): boolean => families.some((family) => name.startsWith(family));
  const endings = new Set(known.filter(inFamily).map(lastWord));
  const isOurs = (name: string): boolean =>
    OUR_PREFIXES.some((prefix) => prefix.test(name)) ||
    (inFamily(name) && endings.has(lastWord(name)) && !OF_OTHERS.test(name)) ||
    known.some((candidate) => isMistyped(name, candidate));
  return given
    .filter((name) => !known.includes(name) && isOurs(name))
    .sort()
    .map((name) => ({ name, nearest: nearestTo(name, known) }));
}

/** Whether `name` is `candidate` with an error of the kinds that people make. */
function isMistyped(name: string, candidate: string): boolean {
  if (plain(name) === plain(candidate)) return true;
  if (name.includes("_") && candidate.startsWith(`${name}_`)) return true;
  // Far from each other in length, far from each other.
  if (Math.abs(name.length - candidate.length) > LONG_NAME.typosMax) return false;
  const distance = editDistance(name, candidate);
  if (candidate.length >= LONG_NAME.chars) return distance <= LONG_NAME.typosMax;
  return distance <= 1 && candidate.includes("_") && firstWord(name) === firstWord(candidate);
}

/**
 * The one that is a known name but for a character; else the one with most words in common, of which the last counts twice, and of
 * those the one with the fewest characters that differ, in order of the alphabet.
 */
function nearestTo(name: string, known: readonly string[]): string {
  const bare = name.startsWith(SERVICE_PREFIX) ? name.slice(SERVICE_PREFIX.length) : name;
  const words = new Set(name.split("_"));
  const ranked = [...known].sort().map((candidate) => ({
    candidate,
    common:
      candidate.split("_").filter((word) => words.has(word)).length + (lastWord(candidate) === lastWord(name) ? 1 : 0),
    distance: editDistance(plain(bare), plain(candidate)),
  }));
  ranked.sort((a, b) => b.common - a.common || a.distance - b.distance);
  return (ranked.find(({ distance }) => distance <= 1) ?? ranked[0])?.candidate ?? "";
}

const plain = (name: string): string => name.toUpperCase().replaceAll("_", "");
const firstWord = (name: string): string => name.split("_", 1)[0] ?? "";
const lastWord = (name: string): string => name.slice(name.lastIndexOf("_") + 1);
