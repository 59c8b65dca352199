import type { ToolDescription } from "../../contracts.ts";
import { stems } from "../arguments/labels.ts";
import type { Utterance } from "../language/utterance.ts";
import { isContent, stem, type Token, tokensOf, wordsOfName } from "../language/words.ts";
import { affirmedClauses } from "./built-in-rules.ts";

/** How well a tool matches what was said. */
export interface ToolMatch {
  tool: ToolDescription;
  score: number;
  /** Stems of the words that match, and of those that match the tool's name. */
  stems: ReadonlySet<string>;
  nameStems: ReadonlySet<string>;
  nameHits: number;
  nameSize: number;
  descriptionHits: number;
  /** How many of the caller's words are informative. */
  informativeWords: number;
  /** The tool changes something, and the caller has not requested that. */
  isUnrequested: boolean;
}

interface ToolWords {
  name: ReadonlySet<string>;
  /** Words of the name that only mean that the tool reads something. */
  reading: ReadonlySet<string>;
  description: ReadonlySet<string>;
  /** The verbs with which callers request its action; undefined for tools that only read. */
  action: ReadonlySet<string> | undefined;
}

const READING = stems(
  "get fetch find check show tell look lookup list query read give retrieve view see search api tool",
);
/** Words that callers use for the same action. */
const ACTIONS: readonly (readonly string[])[] = [
  "book reserve schedule",
  "order buy purchase",
  "cancel delete remove",
  "change update modify move edit reschedule",
  "create add make new open register book reserve order schedule",
  "send email text mail submit",
  "set turn switch start stop close lock unlock play pause",
  "pay charge refund",
].map((words) => words.split(" "));
/** "I'd like", "can you", "please": what follows is a request. */
const REQUEST = /\b(?:want|need|would like|['’]d like|please|can you|could you|can i|could i|may i|let['’]s)\b/iu;

/** "Did you cancel it?" asks whether it was done; "you cancelled it" says so. */
const QUESTION = /\b(?:do|does|did|have|has|had) (?:you|i|we|they|he|she|it)\b|\b(?:you|i|we|they|he|she|it) did\b/iu;
const SUBJECTS = new Set("i you we they he she i've you've we've they've already just had have has".split(" "));
/** After one of these "order" is a noun. */
const DETERMINERS = new Set(["my", "your", "our", "the", "this", "that", "last"]);

const SCORE_MIN = 3;
const NAME_WEIGHT = 2;
/** How many words of its description can call a tool without its name, if they are at least half of what was said. */
const DESCRIPTION_HITS_MIN = 2;
/** How many tools are in `cache`. */
const TOOLS_MAX = 256;
const cache = new Map<string, ToolWords>();

/**
 * How well a tool matches a sentence, by stems of words. Words of its name count twice. Words of its description count
 * only in English, because the stop words of other languages are not known here. Words in `taken` belong to another
 * tool.
 */
export function toolMatch(
  tool: ToolDescription,
  said: Utterance,
  taken: ReadonlySet<string>,
  language: string,
): ToolMatch {
  const words = wordsOf(tool);
  const isSaid = (word: string): boolean => said.stems.has(word) && !taken.has(word);
  const inName = [...words.name].filter(isSaid);
  const inReading = [...words.reading].filter(isSaid);
  const isEnglish = /^en\b/i.test(language);
  const inDescription = isEnglish
    ? [...words.description].filter((word) => isSaid(word) && said.informativeStems.has(word))
    : [];
  const hits = new Set([...inName, ...inReading, ...inDescription]);
  return {
    tool,
    score: NAME_WEIGHT * inName.length + inReading.length + inDescription.length,
    stems: hits,
    nameStems: new Set([...inName, ...inReading]),
    nameHits: inName.length,
    nameSize: words.name.size,
    descriptionHits: inDescription.length,
    informativeWords: said.informativeStems.size,
    isUnrequested: isEnglish && words.action !== undefined && !isRequested(words.action, said, hits),
  };
}

/**
 * Whether the caller requests one of these actions. There must be a clause that names the action, or else its object.
 * It must contain no refusal and neither report nor ask about the past. It must contain the verb in its base form, or
 * the sentence must have a form of request.
 */
function isRequested(action: ReadonlySet<string>, said: Utterance, hits: ReadonlySet<string>): boolean {
  const actionStems = new Set([...action].map(stem));
  const about = said.tokens.some((token) => actionStems.has(token.stem)) ? actionStems : hits;
  const isRequest = REQUEST.test(said.text);
  return affirmedClauses(said.text).some((clause) => {
    const tokens = tokensOf(clause);
    const follows = (at: number, words: ReadonlySet<string>) => words.has(tokens[at - 1]?.lower ?? "");
    const isVerb = ({ lower }: Token, at: number) => action.has(lower) && !follows(at, DETERMINERS);
    const isPast = ({ lower, stem }: Token, at: number) =>
      actionStems.has(stem) && lower.endsWith("ed") && follows(at, SUBJECTS);
    if (QUESTION.test(clause) || tokens.some(isPast) || !tokens.some((token) => about.has(token.stem))) return false;
    return isRequest || tokens.some(isVerb);
  });
}

/**
 * Whether a match is good enough to call the tool: the caller said its whole name; or a part of it and nothing else, or
 * with enough other matches; or words of its description and values of its arguments make up at least half of what was
 * said. A tool that changes something is called only on request. `countArgumentWords` counts the informative words that
 * name arguments; it is called only if the result depends on it.
 */
export function isWanted(match: ToolMatch, countArgumentWords: () => number): boolean {
  const { nameHits, nameSize, descriptionHits, informativeWords, isUnrequested } = match;
  if (isUnrequested || nameHits + descriptionHits === 0) return false;
  if (nameHits === nameSize) return true;
  const score = NAME_WEIGHT * nameHits + descriptionHits;
  const isAll = nameHits + descriptionHits === informativeWords;
  if (nameHits > 0) return score >= SCORE_MIN || isAll || countArgumentWords() > 0;
  const argumentWords = countArgumentWords();
  const isEnough = descriptionHits >= DESCRIPTION_HITS_MIN || argumentWords > 0;
  return isEnough && 2 * (descriptionHits + argumentWords) >= informativeWords;
}

function wordsOf({ name, description }: ToolDescription): ToolWords {
  const key = `${name} ${description}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const nameStems = wordsOfName(name).map(stem);
  const specific = nameStems.filter((word) => !READING.has(word));
  const own = new Set(specific.length > 0 ? specific : nameStems);
  const described = tokensOf(description)
    .filter((token) => isContent(token) && token.lower.length > 2)
    .map((token) => token.stem);
  const [first = ""] = nameStems;
  // In `order_status`, which "tells where an order is", the first word is not an action.
  const isRead = READING.has(tokensOf(description)[0]?.stem ?? "");
  const actions = isRead ? [] : ACTIONS.filter((group) => group.some((word) => stem(word) === first));
  const words: ToolWords = {
    name: own,
    reading: new Set(nameStems.filter((word) => !own.has(word))),
    description: new Set(described.filter((word) => !own.has(word) && !READING.has(word))),
    action: actions.length === 0 ? undefined : new Set(actions.flatMap((group) => [...group])),
  };
  if (cache.size >= TOOLS_MAX) cache.delete(cache.keys().next().value as string);
  cache.set(key, words);
  return words;
}
