import MiniSearch from "minisearch";
import type { Llm, LlmEvent, LlmRequest, Message } from "../speech.ts";

/** What the brain says of itself. One table: another language is another line. */
interface Phrases {
  opening: string;
  fallback: string;
  goodbye: string;
}

const ENGLISH: Phrases = {
  opening: "Hello, how can I help you?",
  fallback: "I am sorry, I do not know that. Is there anything else I can help you with?",
  goodbye: "Thank you for calling. Goodbye!",
};

const PHRASES: Readonly<Record<string, Phrases>> = {
  en: ENGLISH,
  de: {
    opening: "Guten Tag, wie kann ich Ihnen helfen?",
    fallback: "Das weiß ich leider nicht. Kann ich sonst noch etwas für Sie tun?",
    goodbye: "Vielen Dank für Ihren Anruf. Auf Wiederhören!",
  },
  es: {
    opening: "Hola, ¿en qué puedo ayudarle?",
    fallback: "Lo siento, eso no lo sé. ¿Puedo ayudarle en algo más?",
    goodbye: "Gracias por su llamada. ¡Adiós!",
  },
  fr: {
    opening: "Bonjour, comment puis-je vous aider ?",
    fallback: "Je suis désolé, je ne sais pas. Puis-je vous aider pour autre chose ?",
    goodbye: "Merci de votre appel. Au revoir !",
  },
};

/** A caller who says one of these takes leave. */
const GOODBYES = new Set([
  "bye",
  "goodbye",
  "tschüss",
  "wiedersehen",
  "wiederhören",
  "adiós",
  "adios",
  "revoir",
  "ciao",
]);

/** Words that ask, without saying about what. */
const EMPTY_WORDS = new Set(
  (
    "a about am an and any are as at be but by can could do does for from get good have hello hi how i if in is it its " +
    "know let like me much my no of ok okay on or our please say should so some sorry tell thank thanks that the their " +
    "them then there these they this those to too us very want was we well were what when where which who why will with " +
    "would yes you your"
  ).split(" "),
);

/** Sentences that tell the assistant what to be, rather than what is so. `Opening line:` stands before a greeting. */
const INSTRUCTION = /^(you|your|always|never|do not|don't|please|be|keep|speak|answer|opening line:)(?![\p{L}\p{N}])/iu;

const SENTENCES_MAX = 3;
/** A further sentence is said when it fits the question about a third as well as the best one. */
const FIT_MIN = 0.35;
/** What stands behind this in a prompt is not read: to divide a text into sentences takes time that other calls need. */
const PROMPT_CHARS_MAX = 32_768;
/** Prompts whose sentences are kept at hand: calls of one agent share theirs. */
const PROMPTS_MAX = 16;

/**
 * The reference brain: answers from the sentences of the system prompt, by retrieval (BM25). It opens when nobody has said
 * anything, admits that it does not know, and on a goodbye says goodbye and calls `hang_up`, when it may. No model: the same
 * request gets the same answer, at once. Tokens are counted as words.
 */
export function createReferenceBrain(): Llm {
  const prompts = new Map<string, MiniSearch>();
  return {
    provider: "reference",
    async *reply(request, signal) {
      for (const event of plan(request, prompts)) {
        if (signal.aborted) return;
        yield event;
      }
    },
  };
}

function* plan(request: LlmRequest, prompts: Map<string, MiniSearch>): Generator<LlmEvent> {
  const { messages, tools, language } = request;
  const last = messages.findLast((message) => message.role !== "system");
  const leaves = last?.role === "user" && wordsOf(last.text, language).some((word) => GOODBYES.has(word));
  const text = textFor(request, last, leaves, prompts);
  const words = text.match(/\s*\S+/gu) ?? [];
  for (const word of words) yield { kind: "text", text: word };
  if (leaves && tools.some((tool) => tool.name === "hang_up")) {
    yield { kind: "tool-call", id: `hang_up-${messages.length}`, name: "hang_up", argumentsJson: "{}" };
  }
  const inputTokens = messages.reduce((sum, message) => sum + (message.text.match(/\S+/gu)?.length ?? 0), 0);
  yield { kind: "end", inputTokens, outputTokens: words.length };
}

function textFor(
  { messages, language }: LlmRequest,
  last: Message | undefined,
  leaves: boolean,
  prompts: Map<string, MiniSearch>,
): string {
  const phrases = PHRASES[language.split("-", 1)[0] ?? ""] ?? ENGLISH;
  if (last?.role === "tool") return ""; // The tool's own effect is the answer.
  if (leaves) return phrases.goodbye;
  const question = messages.findLast((message) => message.role === "user");
  if (question === undefined) return phrases.opening;
  const prompt = messages.flatMap((message) => (message.role === "system" ? [message.text] : [])).join("\n");
  const found = sentencesOf(prompt.slice(0, PROMPT_CHARS_MAX), language, prompts).search(question.text);
  const bestScore = found[0]?.score ?? 0;
  const fitting = found.filter(({ score }) => score >= FIT_MIN * bestScore).slice(0, SENTENCES_MAX);
  return fitting.length === 0 ? phrases.fallback : fitting.map(({ sentence }) => sentence).join(" ");
}

function sentencesOf(prompt: string, language: string, prompts: Map<string, MiniSearch>): MiniSearch {
  const key = `${language} ${prompt}`;
  const known = prompts.get(key);
  if (known !== undefined) return known;
  const index = new MiniSearch({
    fields: ["sentence"],
    storeFields: ["sentence"],
    tokenize: (text) => wordsOf(text, language),
    processTerm: (word) => (EMPTY_WORDS.has(word) ? null : withoutPlural(word)),
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
