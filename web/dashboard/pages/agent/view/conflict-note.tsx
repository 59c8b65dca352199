import { Button } from "../../../ui/button.tsx";
import { Time } from "../../../ui/figures.tsx";
import type { SavedAgent } from "../load.ts";
import type { Definition } from "../model/definition.ts";
import { differences, fieldLabel } from "../model/definition-diff.ts";
import { rebased } from "../model/rebase.ts";
import { DiffView } from "../versions/diff-view.tsx";

interface ConflictProps {
  /** What the person's changes began with. */
  base: SavedAgent;
  mine: Definition;
  theirs: SavedAgent;
  /** Goes on from the other person's state, with the changes of this one. */
  onMerge: (next: SavedAgent, definition: Definition) => void;
  onDiscard: () => void;
}

/** Another person has changed the agent meanwhile: says what, and lets this one decide. Nothing was saved. */
export function ConflictNote({ base, mine, theirs, onMerge, onDiscard }: ConflictProps) {
  const { definition, conflicts } = rebased(base.definition, mine, theirs.definition);
  const changed = differences(base.definition, theirs.definition);
  return (
    <section class="agent-conflict" aria-label="Changed meanwhile">
      <h2>The agent was changed meanwhile</h2>
      <p role="alert">
        Your changes are not saved. Since you opened version {base.version}, another person or program has made version{" "}
        {theirs.version}, <Time at={theirs.agent.updatedAt} />.
      </p>
      {changed.length === 0 ? (
        <p>It says the same as the version that you opened.</p>
      ) : (
        <DiffView diffs={changed} label={`What changed from version ${base.version} to ${theirs.version}`} />
      )}
      <p>
        {conflicts.length === 0
          ? "None of it is in a field that you have changed: both can be kept."
          : `You have changed some of it too: ${conflicts.map(fieldLabel).join(", ")}. With your changes on top, what you have there counts.`}
      </p>
      <div class="page-actions">
        <Button onClick={onDiscard}>Discard mine</Button>
        <Button kind="primary" onClick={() => onMerge(theirs, definition)}>
          Put mine on top
        </Button>
      </div>
    </section>
  );
}
