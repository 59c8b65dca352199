import { problemOf } from "../../../app/errors.ts";
import { type CallSettings, type Definition, withSetting } from "../model/definition.ts";

/** A definition that a person edits. */
export interface Editing {
  definition: Definition;
  /** The person may only read. */
  isReadOnly: boolean;
  /** Why the latest try to save failed. */
  error: unknown;
  change: (changes: Partial<Definition>) => void;
}

/** Sets one setting of the calls; undefined leaves it to the service. */
export function changeSetting<Name extends keyof CallSettings>(
  { definition, change }: Editing,
  name: Name,
  value: CallSettings[Name] | undefined,
): void {
  change({ callSettings: withSetting(definition.callSettings, name, value) });
}

/** What the service says is wrong with a field, such as `callSettings.model`. */
export const problemAt = ({ error }: Editing, path: string): string | undefined => {
  const problem = problemOf(error, path);
  return problem === undefined ? undefined : `${problem[0]?.toUpperCase() ?? ""}${problem.slice(1)}.`;
};
