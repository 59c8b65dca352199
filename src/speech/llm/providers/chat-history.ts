import type { ToolCallId } from "../../../core/ids.ts";
import { parseObject } from "../../../core/json.ts";
import type { Message, ToolCall } from "../../contracts.ts";

/** One contribution to a conversation. */
export type Part =
  | { kind: "text"; text: string }
  | { kind: "call"; call: ToolCall }
  | { kind: "result"; toolCallId: ToolCallId; name: string; text: string };

/** Consecutive contributions of one side; tool results count as the user's. */
export interface Turn {
  role: "user" | "assistant";
  parts: Part[];
}

/** Stands for a caller who has not spoken, where a server requires that the first and the last turn are the user's. */
const CALLER_SILENT_TEXT = "(The caller has not said anything.)";

/**
 * Converts a conversation for servers without a `system` role: the instructions are separate, the turns alternate, and
 * the first and the last turn are the user's. Blank texts are omitted.
 */
export function chatHistoryOf(messages: readonly Message[]): { system: string; turns: Turn[] } {
  const system: string[] = [];
  const turns: Turn[] = [];
  const add = (role: Turn["role"], parts: Part[]): void => {
    const nonEmpty = parts.filter((part) => part.kind !== "text" || part.text.trim() !== "");
    const last = turns.at(-1);
    if (nonEmpty.length === 0) return;
    if (last?.role === role) last.parts.push(...nonEmpty);
    else turns.push({ role, parts: nonEmpty });
  };
  const silence = (): Turn => ({ role: "user", parts: [{ kind: "text", text: CALLER_SILENT_TEXT }] });
  for (const message of messages) {
    switch (message.role) {
      case "system":
        system.push(message.text);
        break;
      case "user":
        add("user", [{ kind: "text", text: message.text }]);
        break;
      case "assistant": {
        const calls = (message.toolCalls ?? []).map((call): Part => ({ kind: "call", call }));
        add("assistant", [{ kind: "text", text: message.text }, ...calls]);
        break;
      }
      case "tool": {
        const { toolCallId, name, text } = message;
        add("user", [{ kind: "result", toolCallId, name, text }]);
        break;
      }
    }
  }
  if (turns[0]?.role === "assistant") turns.unshift(silence());
  if (turns.at(-1)?.role !== "user") turns.push(silence());
  return { system: system.join("\n\n"), turns };
}

/**
 * A tool call's arguments as an object; {} where the LLM wrote no valid object, which was refused when the call was
 * made.
 */
export const argumentsOf = ({ argumentsJson }: ToolCall): Record<string, unknown> => parseObject(argumentsJson) ?? {};
