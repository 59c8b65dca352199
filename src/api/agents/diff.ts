import { canonicalJson } from "../../core/canonical-json.ts";
import { isObject } from "../../core/json.ts";
import { DIFF_LINES_MAX } from "../../core/limits/agents/agents.ts";
import type { AgentDefinition } from "../../store/agent-store.ts";
import { displayPath, type Path } from "../http/display-path.ts";
import { diffLines, type LineBlock } from "./line-diff.ts";

/** One field that differs between two definitions. */
export interface FieldChange {
  /** JSON pointer to the field. */
  path: string;
  /** Absent where the field is absent in the first definition; likewise `after`. */
  before?: unknown;
  after?: unknown;
  /** Of the layers of the prompt, instead of both. */
  lines?: LineBlock[];
}

const LAYERS: readonly string[] = ["basePrompt", "context", "customInstructions"] satisfies (keyof AgentDefinition)[];

/** What changed from one definition to the other, by path. Objects are compared field by field, lists as a whole. */
export function differences(before: AgentDefinition, after: AgentDefinition): FieldChange[] {
  const changes: FieldChange[] = [];
  const compare = (path: Path, one: unknown, other: unknown): void => {
    if (isObject(one) && isObject(other)) {
      const names = new Set([...Object.keys(one), ...Object.keys(other)]);
      for (const name of [...names].sort()) compare([...path, name], one[name], other[name]);
      return;
    }
    if (isSame(one, other)) return;
    const isLayer = path.length === 1 && LAYERS.includes(String(path[0]));
    const { pointer } = displayPath(path);
    if (isLayer) changes.push({ path: pointer, lines: diffLines(String(one), String(other), DIFF_LINES_MAX) });
    else
      changes.push({
        path: pointer,
        ...(one !== undefined && { before: one }),
        ...(other !== undefined && { after: other }),
      });
  };
  compare([], before, after);
  return changes;
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (one !== undefined && other !== undefined && canonicalJson(one) === canonicalJson(other));
