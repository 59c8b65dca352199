import MiniSearch from "minisearch";
import type { Llm, LlmEvent, LlmRequest, Message } from "../contracts.ts";
import { ANALYSIS_TOOL_NAME, analysisOf } from "./analysis.ts";
import { DOCUMENTS_TOOL, documentsIn, isOfCaller } from "./documents.ts";
import { type ReferencePhrases, referencePhrases } from "./language/phrases.ts";
import { STOP_WORDS } from "./language/words.ts";
import { isGoodbye } from "./tools/built-in-rules.ts";
import type { PlannedCall, ToolChoice, ToolChooser } from "./tools/chooser.ts";
import { spokenResult } from "./tools/spoken-result.ts";

/** Sentences that instruct the assistant instead of stating a fact. `Opening line:` precedes a greeting. */
const INSTRUCTION = /^(you|your|always|never|do not|don't|please|be|keep|speak|answer|opening line:)(?![\p{L}\p{N}])/iu;

const SENTENCES_MAX = 3;
/** A further sentence is used if its score is at least this share of the best one's. */
const FIT_MIN = 0.35;
/** The rest of a longer prompt is not read: splitting a text into sentences takes time that other calls need. */
const PROMPT_CHARS_MAX = 32_768;
/** Only the end of a longer turn of the caller is read, for the same reason. */
const CALLER_CHARS_MAX = 2_000;
/** How many prompts are cached as indexed sentences; the calls of one agent share an index. */
const PROMPTS_MAX = 16;

/**
 * The reference LLM. It answers with sentences of the system prompt and of documents in it, by retrieval (BM25), and calls the tools that
 * the caller's words request, by rule (`chooser`). Where it knows nothing, it searches the documents of the call. It opens the conversation if nothing has been said, admits that it does
 * not know, and answers a goodbye with a goodbye and, if offered, `hang_up`. It has no model: the same request gets the
 * same answer, at once. Tokens are counted as words.
 */
export function createReferenceLlm(chooser: ToolChooser): Llm {
  const prompts = new Map<string, MiniSearch>();
  return {
    provider: "reference",
    prepare: () => chooser.prepare(),
    async *reply(request, signal) {
      const ofCaller = withoutDocuments(request);
      const answer = await answerTo(request, prompts, () => chooser.choose(ofCaller, signal));
      for (const event of eventsOf(request, answer)) {
        if (signal.aborted) return;
        yield event;
      }
    },
  };
}

/** The request as it is for tools that the caller asks for. */
const withoutDocuments = ({ messages, tools, ...rest }: LlmRequest): LlmRequest => ({
  ...rest,
  messages: messages.filter((message) => message.role !== "user" || isOfCaller(message)),
  tools: tools.filter(({ name }) => name !== DOCUMENTS_TOOL),
});

function* eventsOf({ messages }: LlmRequest, { text, calls }: Answer): Generator<LlmEvent> {
  const words = text.match(/\s*\S+/gu) ?? [];
  for (const word of words) yield { kind: "text", text: word };
  for (const { name, arguments: values } of calls) {
    yield { kind: "tool-call", id: `${name}-${messages.length}`, name, argumentsJson: JSON.stringify(values) };
  }
  const inputTokens = messages.reduce((sum, message) => sum + (message.text.match(/\S+/gu)?.length ?? 0), 0);
  yield { kind: "end", inputTokens, outputTokens: words.length };
}

/** The text of a reply, and the tools that are called after it. */
interface Answer {
  text: string;
  calls: readonly PlannedCall[];
}

async function answerTo(
  request: LlmRequest,
  prompts: Map<string, MiniSearch>,
  choose: () => Promise<ToolChoice>,
): Promise<Answer> {
  const { messages, tools, language } = request;
  const analysis = tools.find(({ name }) => name === ANALYSIS_TOOL_NAME);
  if (analysis !== undefined)
    return { text: "", calls: [{ name: analysis.name, arguments: analysisOf(messages, analysis.parameters) }] };
  const phrases = referencePhrases(language);
  const saying = (text: string, calls: readonly PlannedCall[] = []): Answer => ({ text, calls });
  const last = messages.findLast((message) => message.role !== "system");
  if (last?.role === "tool") {
    // Another tool of that turn may lack an argument; its question comes after these results.
    const { question } = await choose();
    const asked = messages.findLast(isOfCaller)?.text.slice(-CALLER_CHARS_MAX) ?? "";
    const fitting = (text: string): string => sentencesFor(asked, text, language, prompts);
    return saying([...resultsOf(messages, phrases, fitting), question ?? ""].filter((text) => text !== "").join(" "));
  }
  const question = messages.findLast(isOfCaller);
  if (question === undefined) return saying(phrases.opening);
  if (last?.role === "user") {
    const callerText = last.text.slice(-CALLER_CHARS_MAX);
    if (isGoodbye(callerText, wordsOf(callerText, language))) {
      const hangUp = tools.filter(({ name }) => name === "hang_up");
      return saying(
        phrases.goodbye,
        hangUp.map(({ name }) => ({ name, arguments: {} })),
      );
    }
    const { calls, question: missing, isDropped } = await choose();
    if (calls.length > 0)
      return saying(calls.some(({ name }) => name === "transfer") ? phrases.transferring : "", calls);
    if (missing !== undefined) return saying(missing);
    if (isDropped === true) return saying(phrases.dropped);
  }
  const said = question.text.slice(-CALLER_CHARS_MAX);
  const found = sentencesFor(said, knownTo(messages), language, prompts);
  if (found === "" && last?.role === "user" && tools.some(({ name }) => name === DOCUMENTS_TOOL))
    return saying("", [{ name: DOCUMENTS_TOOL, arguments: { question: said } }]);
  return saying(found || phrases.fallback);
}

/** The spoken results of the last round of tools. */
function resultsOf(
  messages: readonly Message[],
  phrases: ReferencePhrases,
  fitting: (text: string) => string,
): string[] {
  const round = messages.slice(messages.findLastIndex(({ role }) => role !== "tool") + 1);
  return round.map((message) => {
    if (message.role !== "tool") return "";
    if (message.name !== DOCUMENTS_TOOL) return spokenResult(message.name, message.text, phrases);
    return fitting((documentsIn(message) ?? []).join("\n")) || phrases.fallback;
  });
}

/** The texts that may have the answer: the prompt, and the documents in it. */
const knownTo = (messages: readonly Message[]): string =>
  messages
    .flatMap((message) => {
      if (message.role === "system") return [message.text];
      return message.role === "user" ? (documentsIn(message) ?? []) : [];
    })
    .join("\n");

/** The sentences of a text that fit a question; empty if none does. */
function sentencesFor(question: string, prompt: string, language: string, prompts: Map<string, MiniSearch>): string {
  const found = sentencesOf(prompt.slice(0, PROMPT_CHARS_MAX), language, prompts).search(question);
  const bestScore = found[0]?.score ?? 0;
  const fitting = found.filter(({ score }) => score >= FIT_MIN * bestScore).slice(0, SENTENCES_MAX);
  return fitting.map(({ sentence }) => sentence).join(" ");
}

function sentencesOf(prompt: string, language: string, prompts: Map<string, MiniSearch>): MiniSearch {
  const key = `${language} ${prompt}`;
  const known = prompts.get(key);
  if (known !== undefined) return known;
  const index = new MiniSearch({
    fields: ["sentence"],
    storeFields: ["sentence"],
    tokenize: (text) => wordsOf(text, language),
    processTerm: (word) => (STOP_WORDS.has(word) ? null : withoutPlural(word)),
    searchOptions: { prefix: (term) => term.length > 3 },
  });
  const sentences = prompt
    .split("\n")
    .flatMap((line) => Array.from(new Intl.Segmenter(language, { granularity: "sentence" }).segment(line)))
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence !== "" && !INSTRUCTION.test(sentence));
  index.addAll(sentences.map((sentence, id) => ({ id, sentence })));
  if (prompts.size >= PROMPTS_MAX) prompts.delete(prompts.keys().next().value as string);
  prompts.set(key, index);
  return index;
}

/** The words of a text, in lower case, in any script. */
function wordsOf(text: string, language: string): string[] {
  const segments = new Intl.Segmenter(language, { granularity: "word" }).segment(text.toLowerCase());
  return Array.from(segments).flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []));
}

const withoutPlural = (word: string): string => (word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word);
