import type { RedactableText } from "../../core/redaction/kinds.ts";
import type { JournaledCommand, JournaledEvent } from "../journal/records.ts";
import { commandWithoutWords, redactedPassages } from "../journal/redact.ts";

type Words = readonly RedactableText[];

/*
 * The records of a journal that keep words when it is redacted: the turns as they were heard, the utterances of a live transcription,
 * what was ignored, tool calls and their results, and the parameters of the start. Of all other records only lengths and times are kept:
 * what they say is in these.
 */

/** The texts of a command that are kept, redacted. */
export function textsOfCommand(command: JournaledCommand): Words {
  switch (command.kind) {
    case "turn":
      return [{ speaker: command.turn.role, text: command.turn.text }];
    case "ignore":
    case "utterance":
      return [{ speaker: "user", text: command.text }];
    case "run-tool":
      return textsIn(command.arguments).map((text) => ({ speaker: "tool", text }));
    default:
      return [];
  }
}

/** The texts of an event that are kept, redacted. */
export function textsOfEvent(event: JournaledEvent): Words {
  if (event.kind === "tool-result") return [{ speaker: "tool", text: event.result }];
  if (event.kind !== "leg-started") return [];
  return Object.entries(event.parameters ?? {})
    .flat()
    .map((text) => ({ speaker: "parameters", text }));
}

/** A command with these texts in place of those of `textsOfCommand`, and without any other that it may have. */
export function commandWithTexts(command: JournaledCommand, texts: readonly string[]): JournaledCommand {
  const [text = ""] = texts;
  switch (command.kind) {
    case "turn": {
      const stripped = commandWithoutWords(command);
      if (text === "" || stripped.kind !== "turn") return { ...stripped, ...charsOf(command) };
      return { kind: "turn", turn: { ...stripped.turn, text } };
    }
    case "ignore": {
      const stripped = commandWithoutWords(command);
      if (text === "" || stripped.kind !== "ignore") return { ...stripped, ...charsOf(command) };
      const { chars: _, ...kept } = stripped;
      return { ...kept, text };
    }
    case "utterance": {
      const stripped = commandWithoutWords(command);
      if (text === "" || stripped.kind !== "utterance") return { ...stripped, ...charsOf(command) };
      const { chars: _, ...kept } = stripped;
      return { ...kept, text };
    }
    case "run-tool": {
      const { kind, turnId, toolCallId, name } = command;
      const redacted = withTexts(command.arguments, texts.values()) as Record<string, unknown>;
      return { kind, turnId, toolCallId, name, arguments: redacted };
    }
    default:
      return command;
  }
}

/** An event with these texts in place of those of `textsOfEvent`, and without any other that it may have. */
export function eventWithTexts(event: JournaledEvent, texts: readonly string[]): JournaledEvent {
  if (event.kind === "tool-result") {
    const { kind, turnId, toolCallId, failed, retrieval } = event;
    const found = retrieval === undefined ? {} : { retrieval: redactedPassages(retrieval) };
    return { kind, turnId, toolCallId, result: texts[0] ?? "", failed, ...found, ...charsOf(event) };
  }
  if (event.kind !== "leg-started" || event.parameters === undefined) return event;
  const { kind, codec, carrierCallId } = event;
  const pairs = texts.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, texts[at + 1] ?? ""]] : []));
  return {
    ...{ kind, codec, parameters: withOwnNames(pairs) },
    ...(carrierCallId !== undefined && { carrierCallId }),
  };
}

/** How much was left out when the record was written. */
const charsOf = ({ chars }: { chars?: number }): { chars?: number } => (chars === undefined ? {} : { chars });

/** Every text and number of a JSON value, and the names of its members, in order. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
}

/** The value with these texts. A number that was redacted becomes a text; others stay numbers. */
function withTexts(value: unknown, texts: Iterator<string>): unknown {
  if (typeof value === "string" || typeof value === "number") {
    const text = texts.next().value ?? "";
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((item) => withTexts(item, texts));
  if (typeof value !== "object" || value === null) return value;
  return withOwnNames(
    Object.values(value).map((member): [string, unknown] => [texts.next().value ?? "", withTexts(member, texts)]),
  );
}

/** An object of these members. Names that became the same label are numbered, so that no member is lost. */
function withOwnNames<T>(members: readonly (readonly [name: string, member: T])[]): Record<string, T> {
  const named = new Map<string, T>();
  const counts = new Map<string, number>();
  for (const [name, member] of members) {
    let count = counts.get(name) ?? 1;
    let own = name;
    while (named.has(own)) {
      count += 1;
      own = `${name} ${count}`;
    }
    counts.set(name, count);
    named.set(own, member);
  }
  return Object.fromEntries(named);
}
