import { endsQuestion } from "../../sentence-boundaries.ts";
import type { AgentQuestion } from "./evidence.ts";
import { listsOf, plainWords } from "./text-form.ts";

/** How much of what the agent said is examined: its last sentence, of usual length. */
const END_CHARS = 200;

/**
 * What the last sentence of `text`, which the agent said and the caller heard, asks for; `none` where it asks nothing. By its words
 * alone: "What is your number?" asks for a number, "Is that right?" for yes or no.
 */
export function agentQuestionOf(text: string, language: string): AgentQuestion {
  const end = text.trim().slice(-END_CHARS);
  const isQuestion = endsQuestion(end);
  const body = end.replace(/[\p{Sentence_Terminal}\s"'”’»)]+$/u, "");
  const sentence = body.slice(body.search(/[^\p{Sentence_Terminal}]*$/u));
  const words = plainWords(sentence, language);
  const lists = listsOf(language);
  // Also as a request: "Please tell me your number."
  if (words.some((word) => lists.asksSpelling.has(word))) return "spelling";
  if (
    words.some((word) => lists.asksNumber.has(word)) &&
    (isQuestion || words.some((word) => lists.requests.has(word)))
  )
    return "number";
  if (!isQuestion) return "none";
  if (words.some((word) => lists.or.has(word))) return "choice";
  // The second one after "and" or a preposition.
  return words.slice(0, 2).some((word) => lists.openings.has(word)) ? "open" : "yes_no";
}
