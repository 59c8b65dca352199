import { useState } from "preact/hooks";
import { api } from "../../../app/api.ts";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { Foreign } from "../../../ui/figures.tsx";
import type { SavedAgent } from "../load.ts";

interface VersionDialogProps {
  saved: SavedAgent;
  version: number;
  onClose: () => void;
  onChanged: () => Promise<void>;
}

/** Makes a new version that equals an earlier one. */
export function RestoreVersion({ saved: { agent }, version, onClose, onChanged }: VersionDialogProps) {
  const [autoPublish, setAutoPublish] = useState(true);
  return (
    <ConfirmDialog
      title={`Restore version ${version}?`}
      action="Restore"
      onClose={onClose}
      onConfirm={async () => {
        const path = { id: agent.id, version };
        await api.post("/agents/{id}/versions/{version}/restore", { path, body: { autoPublish } });
        await onChanged();
      }}
    >
      <p>
        A new version of <Foreign text={agent.name} /> is made that equals version {version}. All versions stay.
        {agent.draftVersion !== null && ` It takes the place of draft ${agent.draftVersion}.`}
      </p>
      <label class="definition-check">
        <input
          type="checkbox"
          checked={autoPublish}
          onChange={({ currentTarget: { checked } }) => setAutoPublish(checked)}
        />
        Publish it at once
      </label>
    </ConfirmDialog>
  );
}

/** Makes a version the live one, as it is. */
export const PublishVersion = ({ saved: { agent }, version, onClose, onChanged }: VersionDialogProps) => (
  <ConfirmDialog
    title={`Publish version ${version}?`}
    action="Publish"
    onClose={onClose}
    onConfirm={async () => {
      await api.post("/agents/{id}/publish", { path: { id: agent.id }, body: { version } });
      await onChanged();
    }}
  >
    <p>
      New calls of <Foreign text={agent.name} /> have version {version} from now on, in place of version {agent.version}
      . Calls that were created before keep theirs.
    </p>
  </ConfirmDialog>
);
