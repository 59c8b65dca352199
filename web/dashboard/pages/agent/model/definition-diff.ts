import { type Definition, FIELDS, isSame, type SelectedTool } from "./definition.ts";
import { settingLabel } from "./settings.ts";
import { type DiffLine, diffTexts } from "./text-diff.ts";

/** One field that differs between two definitions. */
export interface FieldDiff {
  /** Its name in the API, such as `callSettings.model`. */
  path: string;
  label: string;
  change:
    | { kind: "text"; lines: readonly DiffLine[] }
    /** Undefined: the field is not there, and the service's default counts. */
    | { kind: "value"; before: string | undefined; after: string | undefined }
    | { kind: "items"; items: readonly ItemDiff[] };
}

/** An item of a list that one side alone has, or that both have in different forms. */
export interface ItemDiff {
  name: string;
  /** The id of a saved tool or a corpus, whose name the page may know. */
  id?: string;
  change: "added" | "removed" | "changed";
  lines: readonly DiffLine[];
}

const LABELS: Readonly<Record<keyof Definition, string>> = {
  name: "Name",
  languageId: "Language",
  voiceId: "Voice",
  basePrompt: "Base prompt",
  context: "Context",
  customInstructions: "Instructions",
  variables: "Variables",
  toolIds: "Saved tools",
  corpusIds: "Corpora",
  callSettings: "Call settings",
  allowedOverrides: "Allowed overrides",
};

/** The name of a field for people, by its path. */
export function fieldLabel(path: string): string {
  const [field = "", setting] = path.split(".");
  return setting === undefined ? (LABELS[field as keyof Definition] ?? field) : settingLabel(setting);
}

/** Everything that differs between two definitions, in the order of the pages. */
export function differences(before: Definition, after: Definition): FieldDiff[] {
  return FIELDS.flatMap((field) => {
    if (field === "callSettings") return settingDifferences(before.callSettings, after.callSettings);
    if (isSame(before[field], after[field])) return [];
    return [{ path: field, label: LABELS[field], change: changeOf(field, before[field], after[field]) }];
  });
}

function settingDifferences(before: Definition["callSettings"], after: Definition["callSettings"]): FieldDiff[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof typeof before)[];
  return names
    .filter((name) => !isSame(before[name], after[name]))
    .map((name) => ({
      path: `callSettings.${name}`,
      label: settingLabel(name),
      change: changeOf(name, before[name], after[name]),
    }));
}

const TEXTS: readonly string[] = ["basePrompt", "context", "customInstructions", "greeting"];

function changeOf(name: string, before: unknown, after: unknown): FieldDiff["change"] {
  if (TEXTS.includes(name)) return { kind: "text", lines: diffTexts(String(before ?? ""), String(after ?? "")) };
  if (Array.isArray(before ?? after)) return { kind: "items", items: itemDifferences(before, after) };
  if (typeof (before ?? after) === "object") {
    return { kind: "text", lines: diffTexts(jsonText(before), jsonText(after)) };
  }
  return { kind: "value", before: valueText(before), after: valueText(after) };
}

const valueText = (value: unknown): string | undefined =>
  value === undefined ? undefined : value === true ? "yes" : value === false ? "no" : String(value);

const jsonText = (value: unknown): string => (value === undefined ? "" : JSON.stringify(value, null, 2));

function itemDifferences(before: unknown, after: unknown): ItemDiff[] {
  const [old, current] = [namedItems(before), namedItems(after)];
  const items: ItemDiff[] = [];
  for (const [name, item] of old) {
    const now = current.get(name);
    if (now === undefined) items.push(itemOf(name, item, "removed"));
    else if (!isSame(item, now)) {
      items.push({ name, change: "changed", lines: diffTexts(jsonText(item), jsonText(now)) });
    }
  }
  for (const [name, item] of current) if (!old.has(name)) items.push(itemOf(name, item, "added"));
  // The same items in another order, or one of them twice.
  if (items.length > 0) return items;
  const orders = [before, after].map((list) => (list as unknown[]).map(nameOf).join("\n"));
  return [{ name: "Order", change: "changed", lines: diffTexts(orders[0] ?? "", orders[1] ?? "") }];
}

function itemOf(name: string, item: unknown, change: "added" | "removed"): ItemDiff {
  const text = typeof item === "string" ? "" : jsonText(item);
  const id = typeof item === "string" ? item : (item as SelectedTool).toolId;
  return {
    ...{ name, change, lines: change === "added" ? diffTexts("", text) : diffTexts(text, "") },
    ...(id !== undefined && { id }),
  };
}

const namedItems = (list: unknown): ReadonlyMap<string, unknown> =>
  new Map(Array.isArray(list) ? list.map((item) => [nameOf(item), item]) : []);

/** What an item is known by: of a variable its name, of a tool the name that the LLM is given. */
function nameOf(item: unknown): string {
  if (typeof item !== "object" || item === null) return String(item);
  const { name, toolName, toolId, definition } = item as { name?: unknown } & SelectedTool;
  return String(name ?? toolName ?? definition?.name ?? toolId ?? JSON.stringify(item));
}
