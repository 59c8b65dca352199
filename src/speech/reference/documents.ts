import { isObject, parseObject } from "../../core/json.ts";
import { FENCED_BLOCK } from "../../core/knowledge/fences.ts";
import type { Message } from "../contracts.ts";

/** The tool that searches documents. */
export const DOCUMENTS_TOOL = "query_corpus";

/** The texts of documents in a message, which are JSON objects, one a line; undefined where it has no block of them. */
export function documentsIn({ text }: Pick<Message, "text">): string[] | undefined {
  const [, , lines] = FENCED_BLOCK.exec(text) ?? [];
  return lines?.split("\n").flatMap((line) => {
    const passage = parseObject(line);
    return isObject(passage) && typeof passage.text === "string" ? [passage.text] : [];
  });
}

/** Whether a message is of the caller, not of documents. */
export const isOfCaller = (message: Message): boolean => message.role === "user" && documentsIn(message) === undefined;
