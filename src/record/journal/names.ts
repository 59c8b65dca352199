import { isObject } from "../../core/json.ts";

/**
 * New names in one JSON object of a journal. A path leads to a member from the top of the object, with the old names and with dots:
 * `turn.latency.finalMs`. Items of an array have the path of the array: `words.startMs`. What is not listed stays as it is.
 */
export interface ObjectNames {
  /** By path, the new name of the member. */
  readonly members?: Readonly<Record<string, string>>;
  /** By path, the new texts of the member: `{ engine: { voice: "tts" } }`. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The same for one kind of event or command. */
export interface KindNames extends ObjectNames {
  /** The new kind; absent where that stays. */
  readonly kind?: string;
}

/** The names that changed from one version of the journal to the next; events and commands by their old kind. */
export interface JournalNames {
  readonly header?: ObjectNames;
  readonly events?: Readonly<Record<string, KindNames>>;
  readonly commands?: Readonly<Record<string, KindNames>>;
}

/** A header, event or command of an older journal under the names that `names` gives it. */
export function renamed(value: object, of: keyof JournalNames, names: JournalNames): object {
  if (of === "header") return withNames(value, names.header);
  const kind = "kind" in value && typeof value.kind === "string" ? value.kind : "";
  const listed = own(names[of], kind);
  const result = withNames(value, listed);
  return listed?.kind === undefined ? result : { ...result, kind: listed.kind };
}

/** `value` with new names of its members and new texts in them. */
export const withNames = (value: object, names: ObjectNames | undefined): object =>
  names === undefined ? value : (inNames(value, names, "") as object);

function inNames(value: unknown, names: ObjectNames, path: string): unknown {
  if (Array.isArray(value)) return value.map((item) => inNames(item, names, path));
  if (typeof value === "string") return own(own(names.values, path), value) ?? value;
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const at = path === "" ? name : `${path}.${name}`;
      return [own(names.members, at) ?? name, inNames(member, names, at)];
    }),
  );
}

/** Names come from a file, which may contain `constructor`. */
const own = <Value>(record: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
