import { CARRIER_NAMES } from "../../carriers/list.ts";
import { editDistance } from "../../core/text/edit-distance.ts";

/** A variable that looks like one of the service and that the service does not read. */
export interface UnknownVariable {
  name: string;
  /** The most similar known name. */
  nearest: string;
}

const SERVICE_PREFIX = "TRUNKLINE_";
/** Prefixes that no other program uses. */
const OUR_PREFIXES = [SERVICE_PREFIX, ...CARRIER_NAMES.map((name) => `${name.toUpperCase()}_`)];
/** TOOL_SECRET_ and its likely misspellings, such as TOOLS_SECRET_ and TOOLSECRETS_. */
const TOOL_SECRET_LIKE = /^TOOLS?_?SECRETS?_/;
/** STT_API_KEY: the stage in place of the provider's name. */
const STAGE = /^(STT|TTS)_/;
/** The variable that names the LLM, with its provider: `openai:gpt-4o-mini`. */
const LLM_VARIABLE = "MODEL_B";

/** Names of at least `chars` characters may have `typosMax` wrong ones; shorter names one, and none in their first word. */
const LONG_NAME = { chars: 12, typosMax: 2 } as const;

interface KnownProviders {
  providers: readonly string[];
  /** The providers that serve an LLM. */
  llmProviders: readonly string[];
  /** Variables of the providers' own programs, which are not reported. */
  foreignVariables: readonly RegExp[];
}

/**
 * The variables among `given` that look like those of the service and are not `known`: a known name with different underscores,
 * different case, a typing error or a missing end; a name with a prefix of the service; a misspelled TOOL_SECRET_; and a name that
 * begins with one of the `providers` or a stage and ends like a known variable of a provider (`DEEPGRAM_KEY`). Others are not
 * reported (`OPENAI_ORG_ID`).
 */
export function findUnknownVariables(
  given: readonly string[],
  known: readonly string[],
  { providers, llmProviders, foreignVariables }: KnownProviders,
): UnknownVariable[] {
  const [families, llmFamilies] = [providers, llmProviders].map((names) =>
    names.map((name) => `${name.toUpperCase()}_`),
  ) as [string[], string[]];
  const familyOf = (name: string): string | undefined => families.find((family) => name.startsWith(family));
  const endings = new Set(known.filter((name) => familyOf(name) !== undefined).map(lastWord));
  const isOfProvider = (name: string): boolean =>
    (familyOf(name) !== undefined || STAGE.test(name)) &&
    endings.has(lastWord(withKeySuffix(name))) &&
    !foreignVariables.some((foreign) => foreign.test(name));
  const isOurs = (name: string): boolean =>
    OUR_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
    TOOL_SECRET_LIKE.test(name) ||
    isOfProvider(name) ||
    known.some((candidate) => isMistyped(name, candidate));
  const nearest = (name: string): string => {
    if (TOOL_SECRET_LIKE.test(name)) return name.replace(TOOL_SECRET_LIKE, "TOOL_SECRET_");
    const mistyped = known.find((candidate) => editDistance(plain(name), plain(candidate)) <= 1);
    if (mistyped !== undefined) return mistyped;
    const family = familyOf(name);
    const isOfLlm = family !== undefined && llmFamilies.includes(family) && !/_(STT|TTS)_/.test(name);
    if (isOfLlm && lastWord(name) === "MODEL") return LLM_VARIABLE;
    const [, stage] = STAGE.exec(name) ?? [];
    const related = known.filter(
      (candidate) =>
        (family !== undefined && candidate.startsWith(family)) ||
        (stage !== undefined && candidate.includes(`_${stage}_`)),
    );
    const isRelated = related.length > 0;
    return nearestTo(isRelated ? withKeySuffix(name) : name, isRelated ? related : known);
  };
  return given
    .filter((name) => !known.includes(name) && isOurs(name))
    .sort()
    .map((name) => ({ name, nearest: nearest(name) }));
}

/** Some providers call their API key a token. */
const withKeySuffix = (name: string): string => name.replace(/_TOKEN$/, "_KEY");

/** Whether `name` is `candidate` with a common error. */
function isMistyped(name: string, candidate: string): boolean {
  if (plain(name) === plain(candidate)) return true;
  if (name.includes("_") && candidate.startsWith(`${name}_`)) return true;
  // The distance is at least the difference of the lengths.
  if (Math.abs(name.length - candidate.length) > LONG_NAME.typosMax) return false;
  const distance = editDistance(name, candidate);
  if (candidate.length >= LONG_NAME.chars) return distance <= LONG_NAME.typosMax;
  return distance <= 1 && candidate.includes("_") && firstWord(name) === firstWord(candidate);
}

/**
 * The candidate within one character of `name`; otherwise the one with the most words in common (the last word counts twice), then the
 * fewest differing characters, then the first by alphabet.
 */
function nearestTo(name: string, candidates: readonly string[]): string {
  const bare = name.startsWith(SERVICE_PREFIX) ? name.slice(SERVICE_PREFIX.length) : name;
  const words = new Set(name.split("_"));
  const ranked = [...candidates].sort().map((candidate) => ({
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
