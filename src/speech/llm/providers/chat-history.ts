import { parseObject } from "../../../core/json.ts";
import type { Message, ToolCall } from "../../contracts.ts";

/** One thing that one side of a conversation contributed. */
export type Part =
  | { kind: "text"; text: string }
  | { kind: "call"; call: ToolCall }
  | { kind: "result"; toolCallId: string; name: string; text: string };

/** All that one side contributed without the other; results of tools count as the user's. */
export interface Turn {
  role: "user" | "assistant";
  parts: Part[];
}

/** What stands for a caller who has not spoken where a server insists that the user begins, and is who is answered. */
const CALLER_SILENT_TEXT = "(The caller has not said anything.)";

/**
 * A conversation as servers want it that know no `system` role: the instructions apart, and turns that alternate, of which the first
 * and the last are the user's. Texts without a word are left out.
 */
export function chatHistoryOf(messages: readonly Message[]): { system: string; turns: Turn[] } {
  const system: string[] = [];
  const turns: Turn[] = [];
  const add = (role: Turn["role"], parts: Part[]): void => {
    const said = parts.filter((part) => part.kind !== "text" || part.text.trim() !== "");
    const last = turns.at(-1);
    if (said.length === 0) return;
    if (last?.role === role) last.parts.push(...said);
    else turns.push({ role, parts: said });
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

/** The arguments of a call as an object; {} where the model wrote something else, which was refused when it asked. */
export const argumentsOf = ({ argumentsJson }: ToolCall): Record<string, unknown> => parseObject(argumentsJson) ?? {};
