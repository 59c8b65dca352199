import { type CallSettings, type Definition, FIELDS, isSame } from "./definition.ts";

/** One person's changes on top of another's. */
export interface Rebased {
  /** The newer definition with all of one's own changes. */
  definition: Definition;
  /** The fields that both have changed, each to something else: there one's own value stands. */
  conflicts: readonly string[];
}

/**
 * Puts the changes from `base` to `mine` on top of `theirs`, which came from `base` too. Call settings are compared one by one, all
 * other fields as a whole.
 */
export function rebased(base: Definition, mine: Definition, theirs: Definition): Rebased {
  const conflicts: string[] = [];
  const merge = (path: string, from: unknown, own: unknown, other: unknown): unknown => {
    if (isSame(from, own)) return other;
    if (!isSame(from, other) && !isSame(own, other)) conflicts.push(path);
    return own;
  };
  const merged = FIELDS.map((field) => {
    if (field === "callSettings") return [field, mergedSettings(base, mine, theirs, merge)];
    return [field, merge(field, base[field], mine[field], theirs[field])];
  });
  return { definition: Object.fromEntries(merged) as Definition, conflicts };
}

function mergedSettings(
  { callSettings: base }: Definition,
  { callSettings: mine }: Definition,
  { callSettings: theirs }: Definition,
  merge: (path: string, from: unknown, own: unknown, other: unknown) => unknown,
): CallSettings {
  const names = [...new Set([base, mine, theirs].flatMap(Object.keys))] as (keyof CallSettings)[];
  const merged = names.map((name) => [name, merge(`callSettings.${name}`, base[name], mine[name], theirs[name])]);
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}
