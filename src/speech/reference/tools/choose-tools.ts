import type { ToolDescription } from "../../contracts.ts";
import { type Arguments, answerValue, fillArguments, withDefaults } from "../arguments/fill.ts";
import { isNeeded, type Parameter, parametersOf, valueAt, withValue } from "../arguments/parameters.ts";
import { joinedBy, type ReferencePhrases, referencePhrases } from "../language/phrases.ts";
import { Utterance } from "../language/utterance.ts";
import { wordsOfName } from "../language/words.ts";
import { affirmedClauses, BUILT_IN_RULES, type BuiltInRule, isNegated } from "./built-in-rules.ts";
import type { Exchange, PlannedCall, ToolChoice } from "./chooser.ts";
import { isWanted, type ToolMatch, toolMatch } from "./tool-match.ts";

/** Like `ToolChoice`, with the details of the question. */
interface ToolPlan {
  calls: readonly PlannedCall[];
  question?: Question;
  isDropped?: boolean;
}

interface Question {
  text: string;
  tool: ToolDescription;
  /** The arguments that are known so far. */
  values: Arguments;
  parameter: Parameter;
  /** How often the caller has been asked for it, including this time. */
  timesAsked: number;
}

const NOTHING: ToolPlan = { calls: [] };
/** How many tools one turn of the caller can call. */
const CALLS_MAX = 2;
/** How often a caller is asked for one argument. */
const QUESTIONS_MAX = 2;
const ENUM_NAMED_MAX = 5;
const LABEL_CHARS_MAX = 80;
const CANCELLATION =
  /^\W*(?:never ?mind|cancel(?: that)?|forget (?:it|that)|stop|no,? (?:thanks|thank you)|abbrechen|vergessen sie es)\W*$/iu;

/** A tool that a sentence requests. `nameStems`: the words of its name that were said. */
type WantedTool = Pick<ToolMatch, "tool" | "nameStems">;

/**
 * Chooses the tools that the caller's last turn requests. It depends on the turns only, so the same conversation gives
 * the same calls: an answer to a question for an argument is recognised by the question before it. The tools' schemas
 * determine how long it takes, so it runs in a process with a CPU budget.
 */
export function chooseTools(
  exchanges: readonly Exchange[],
  tools: readonly ToolDescription[],
  language: string,
): ToolChoice {
  const { calls, question, isDropped } = new Planner(tools, language).plan(exchanges);
  return {
    calls,
    ...(question !== undefined && { question: question.text }),
    ...(isDropped === true && { isDropped }),
  };
}

class Planner {
  readonly #tools: readonly ToolDescription[];
  readonly #language: string;
  readonly #phrases: ReferencePhrases;

  constructor(tools: readonly ToolDescription[], language: string) {
    this.#tools = tools.filter(({ name }) => name !== "hang_up");
    this.#language = language;
    this.#phrases = referencePhrases(language);
  }

  /** The plan for the last of these turns, given those before it. */
  plan(exchanges: readonly Exchange[]): ToolPlan {
    const callerText = exchanges.at(-1)?.callerText;
    if (callerText === undefined) return NOTHING;
    const question = this.#openQuestion(exchanges.slice(0, -1));
    return question === undefined ? this.#planRequest(callerText) : this.#planAnswer(callerText, question);
  }

  /** The question in the last reply, if the caller heard one. */
  #openQuestion(before: readonly Exchange[]): Question | undefined {
    const heard = before.at(-1)?.heardReply ?? "";
    if (!callerHeard(this.#phrases.askFor.replace(/ the $/, " ").trim(), heard)) return undefined;
    const { question } = this.plan(before);
    return question !== undefined && callerHeard(question.text, heard) ? question : undefined;
  }

  /** The plan for a turn that answers no question. */
  #planRequest(callerText: string): ToolPlan {
    const calls: PlannedCall[] = [];
    let question: Question | undefined;
    const wanted = new Set<ToolDescription>();
    const sentences = sentencesOf(callerText);
    for (const text of sentences) {
      if (isNegated(text)) continue;
      const others = sentences.filter((other) => other !== text);
      for (const match of this.#wantedBy(text)) {
        if (wanted.size >= CALLS_MAX || wanted.has(match.tool)) continue;
        wanted.add(match.tool);
        const { tool } = match;
        const values = valuesFor(match, text, others);
        const missing = missingOf(tool, values);
        if (missing === undefined)
          calls.push({ name: tool.name, arguments: withDefaults(parametersOf(tool.parameters), values) });
        else question ??= this.#ask(tool, values, missing, 1);
      }
    }
    return question === undefined ? { calls } : { calls, question };
  }

  /** The tools that a sentence requests, the best match first. A word counts for one tool only. */
  #wantedBy(text: string): WantedTool[] {
    const affirmed = affirmedClauses(text).join(", ");
    const builtIn = this.#tools.filter(
      ({ name }) => BUILT_IN_RULES[name]?.isRequested(affirmed, this.#language) === true,
    );
    if (builtIn.length > 0) return builtIn.map((tool) => ({ tool, nameStems: new Set() }));
    const found: ToolMatch[] = [];
    const taken = new Set<string>();
    const utterance = new Utterance(text);
    for (let best = this.#best(utterance, taken); best !== undefined; best = this.#best(utterance, taken)) {
      found.push(best);
      for (const stem of best.stems) taken.add(stem);
      if (found.length === CALLS_MAX) break;
    }
    return found;
  }

  #best(utterance: Utterance, taken: ReadonlySet<string>): ToolMatch | undefined {
    let best: ToolMatch | undefined;
    for (const tool of this.#tools) {
      if (BUILT_IN_RULES[tool.name] !== undefined) continue;
      const match = toolMatch(tool, utterance, taken, this.#language);
      if (best !== undefined && match.score <= best.score) continue;
      if (isWanted(match, () => countArgumentWords(match, utterance.text))) best = match;
    }
    return best;
  }

  /** The plan for a turn after a question. */
  #planAnswer(callerText: string, { tool, values, parameter, timesAsked }: Question): ToolPlan {
    if (CANCELLATION.test(callerText)) return { calls: [], isDropped: true };
    const rule = BUILT_IN_RULES[tool.name];
    const value = rule === undefined ? answerTo(parameter, callerText) : rule.valueIn(callerText);
    if (value === undefined) {
      const plan = this.#planRequest(callerText);
      const isNewRequest = plan.calls.length > 0 || plan.question !== undefined;
      if (isNewRequest || timesAsked >= QUESTIONS_MAX || callerText.trim().endsWith("?")) return plan;
      return { calls: [], question: this.#ask(tool, values, parameter, timesAsked + 1) };
    }
    const parameters = parametersOf(tool.parameters);
    const known = withValue(values, parameter.path, value);
    const missing = missingOf(tool, known);
    if (missing !== undefined) return { calls: [], question: this.#ask(tool, known, missing, 1) };
    return { calls: [{ name: tool.name, arguments: withDefaults(parameters, known) }] };
  }

  #ask(tool: ToolDescription, values: Arguments, parameter: Parameter, timesAsked: number): Question {
    return { text: questionFor(parameter, this.#phrases), tool, values, parameter, timesAsked };
  }
}

/** How many informative words name values of the tool's arguments. */
const countArgumentWords = ({ tool, nameStems }: ToolMatch, text: string): number =>
  fillArguments(parametersOf(tool.parameters), new Utterance(text), [], nameStems).namedWords;

/** Whether the caller heard this question, or its beginning before interrupting. */
const callerHeard = (question: string, heard: string): boolean =>
  heard.includes(question) || (heard.includes(" ") && question.startsWith(heard.replace(/[\s.…]+$/u, "")));

const answerTo = (parameter: Parameter, callerText: string): unknown =>
  callerText.trim().endsWith("?") && parameter.itemType === "string" && parameter.schema.enum === undefined
    ? undefined
    : answerValue(parameter, callerText);

function valuesFor({ tool, nameStems }: WantedTool, sentence: string, others: readonly string[]): Arguments {
  const rule = BUILT_IN_RULES[tool.name];
  if (rule !== undefined) return builtInValues(rule, tool, sentence);
  const rest = others.map((text) => new Utterance(text));
  return fillArguments(parametersOf(tool.parameters), new Utterance(sentence), rest, nameStems).values;
}

function builtInValues(
  { argument, valueIn }: BuiltInRule,
  { parameters }: ToolDescription,
  callerText: string,
): Arguments {
  const isOffered = parametersOf(parameters).some(({ path }) => path[0] === argument);
  const value = isOffered ? valueIn(callerText) : undefined;
  return value === undefined ? {} : { [argument]: value };
}

const missingOf = ({ parameters }: ToolDescription, values: Arguments): Parameter | undefined =>
  parametersOf(parameters).find(
    (parameter) =>
      isNeeded(parameter, values) &&
      valueAt(values, parameter.path) === undefined &&
      parameter.schema.const === undefined &&
      parameter.schema.default === undefined,
  );

/** "Please tell me the size: small or large." */
function questionFor({ path, schema, itemType }: Parameter, { askFor, or, yes, no }: ReferencePhrases): string {
  const { title, description, enum: values } = schema;
  const label = [title, description].find((text) => typeof text === "string" && text.trim() !== "");
  const named = typeof label === "string" ? firstSentence(label) : wordsOfName(path.at(-1) ?? "").join(" ");
  const isClause = /^(?:which|what|how|when|where|who|whether)\b/iu.test(named);
  const prefix = isClause ? askFor.replace(/ the $/, " ") : askFor;
  const choices = itemType === "boolean" ? [yes, no] : Array.isArray(values) ? values.map(String) : [];
  const offered = choices.length > 0 && choices.length <= ENUM_NAMED_MAX ? `: ${joinedBy(or, choices)}` : "";
  return `${prefix}${named}${offered}.`;
}

function firstSentence(text: string): string {
  const [first = ""] = text.trim().split(/[.!?;:](?:\s|$)|\s\(|,? e\.g\.|\n/u, 1);
  const bare = first
    .replace(/^(?:the|an?) /i, "")
    .slice(0, LABEL_CHARS_MAX)
    .trim();
  // The capital at the beginning of a sentence becomes lower case; "ZIP" and "iPhone" stay.
  return /^\p{Lu}\p{Ll}/u.test(bare) ? bare.charAt(0).toLowerCase() + bare.slice(1) : bare;
}

const sentencesOf = (callerText: string): string[] =>
  callerText.match(/[^.!?。！？]+(?:[.!?。！？]+(?!\s|$)[^.!?。！？]*)*/gu) ?? [];
