import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/failure.tsx";

interface SaveBarProps {
  /** The names of the fields that differ from what is saved; empty where none does. */
  changed: readonly string[];
  error: unknown;
  busy: "save" | "publish" | undefined;
  /** Something must be decided first. */
  isBlocked: boolean;
  onDiscard: () => void;
  onSave: (autoPublish: boolean) => void;
}

/** So many fields are named. */
const NAMED_MAX = 4;

/** Says what is not saved, at the lower edge of the window, and saves it. */
export function SaveBar({ changed, error, busy, isBlocked, onDiscard, onSave }: SaveBarProps) {
  const isDirty = changed.length > 0;
  return (
    <div class="agent-save" data-shown={isDirty}>
      <ErrorNote error={isDirty ? error : undefined} />
      <div class="agent-save-line">
        <p role="status">{isDirty ? `Not saved: ${namesOf(changed)}` : ""}</p>
        {isDirty && (
          <div class="page-actions">
            <Button onClick={onDiscard}>Discard</Button>
            <Button isBusy={busy === "save"} disabled={isBlocked || busy === "publish"} onClick={() => onSave(false)}>
              Save as draft
            </Button>
            <Button
              kind="primary"
              isBusy={busy === "publish"}
              disabled={isBlocked || busy === "save"}
              onClick={() => onSave(true)}
            >
              Save and publish
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

function namesOf(names: readonly string[]): string {
  const rest = names.length - NAMED_MAX;
  const shown = names.slice(0, NAMED_MAX).join(", ");
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
