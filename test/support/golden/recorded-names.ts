import {
  type JournalNames,
  type KindNames,
  type ObjectNames,
  renamed,
  withNames,
} from "../../../src/record/journal/names.ts";
import { JOURNAL_VERSION, JOURNAL_VERSIONS, renamesFrom } from "../../../src/record/journal/versions.ts";

/** The version of all golden journals. */
export const RECORDED_VERSION = 2;

/**
 * Messages of the raw WebSocket protocol, by the type that they have today: their type and members when the golden calls were
 * recorded. Who renames one adds it here, as in the table of the journal but the other way round.
 */
const RECORDED_MESSAGES: Readonly<Record<string, ObjectNames & { readonly type?: string }>> = {
  state: {
    members: {
      "latency.finalTranscriptMs": "finalMs",
      "latency.llmRequestedMs": "askedMs",
      "latency.firstSegmentMs": "firstPieceMs",
    },
  },
  error: {
    values: {
      message: {
        "no pending tool call has this id": "no call of a tool with this id waits for a result",
        "typed text exceeds the rate limit: this message is ignored":
          "more text than anybody types: this one is ignored",
        "unknown message type: it is ignored, and so are later ones":
          "a message of this type is not known, and ignored; so will others be",
      },
    },
  },
};

/** A command as it was called when the golden journals were recorded. */
export const commandAsRecorded = (command: object): object =>
  backwards.reduce((value, names) => renamed(value, "commands", names), command);

/** A message as it was called then; those of carriers have the carriers' own names. */
export function messageAsRecorded(message: object): object {
  if (!("type" in message) || typeof message.type !== "string") return message;
  const { type, ...names } = RECORDED_MESSAGES[message.type] ?? {};
  return { ...withNames(message, names), type: type ?? message.type };
}

/** The way back of a table. Throws where two names have become one: no way leads back from there. */
export function inverse(names: JournalNames): JournalNames {
  return {
    ...(names.header === undefined ? {} : { header: inverseObject(names.header) }),
    events: inverseKinds(names.events ?? {}),
    commands: inverseKinds(names.commands ?? {}),
  };
}

const inverseKinds = (kinds: Readonly<Record<string, KindNames>>): Record<string, KindNames> =>
  unique(
    Object.entries(kinds).map(([kind, names]) => [
      names.kind ?? kind,
      { ...inverseObject(names), ...(names.kind === undefined ? {} : { kind }) },
    ]),
  );

const inverseObject = ({ members = {}, values = {} }: ObjectNames): ObjectNames => ({
  members: unique(Object.entries(members).map(([path]) => [newPath(path, members), lastOf(path)])),
  values: unique(
    Object.entries(values).map(([path, texts]) => [
      newPath(path, members),
      unique(Object.entries(texts).map(([from, to]) => [to, from])),
    ]),
  ),
});

/** A path under the new names of everything on it. */
function newPath(path: string, members: Readonly<Record<string, string>>): string {
  const parts = path.split(".");
  return parts.map((part, index) => members[parts.slice(0, index + 1).join(".")] ?? part).join(".");
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

function unique<Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> {
  const object = Object.fromEntries(entries);
  if (Object.keys(object).length < entries.length) throw new Error("two names have become one");
  return object;
}

const steps = renamesFrom(RECORDED_VERSION, JOURNAL_VERSIONS);
if (steps === undefined)
  throw new Error(`journals of version ${RECORDED_VERSION} cannot be read by ${JOURNAL_VERSION}`);
const backwards = steps.map(inverse).reverse();
