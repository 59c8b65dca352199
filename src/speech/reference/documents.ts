import { isObject, parseObject } from "../../core/json.ts";
import type { Message } from "../contracts.ts";

/** The tool that searches documents. */
export const DOCUMENTS_TOOL = "query_corpus";

/** What stands of documents in a text: JSON objects, one a line, between two equal lines with a random number. */
const BLOCK = /^(----- [0-9a-f]{32} -----)\n([\s\S]*?)\n\1$/m;

/** The texts of documents in a message; undefined where it has no block of them. */
export function documentsIn({ text }: Pick<Message, "text">): string[] | undefined {
  const [, , lines] = BLOCK.exec(text) ?? [];
  return lines?.split("\n").flatMap((line) => {
    const passage = parseObject(line);
    return isObject(passage) && typeof passage.text === "string" ? [passage.text] : [];
  });
}

/** Whether a message is of the caller, not of documents. */
export const isOfCaller = (message: Message): boolean => message.role === "user" && documentsIn(message) === undefined;
