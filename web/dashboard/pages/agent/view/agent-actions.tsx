import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { AGENTS } from "../../../app/addresses.ts";
import { api } from "../../../app/api.ts";
import { useResource } from "../../../app/use-resource.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { Foreign } from "../../../ui/figures.tsx";
import { Menu, MenuButton, MenuChoice } from "../../../ui/menu.tsx";
import type { SavedAgent } from "../load.ts";
import { loadNumbers } from "./numbers.ts";

interface AgentActionsProps {
  saved: SavedAgent;
  isDirty: boolean;
  /** The agent has another version now. */
  onChanged: () => Promise<void>;
  onDeleted: () => void;
}

/** What can be done with the agent as a whole. */
export function AgentActions({ saved, isDirty, onChanged, onDeleted }: AgentActionsProps) {
  const [dialog, setDialog] = useState<"publish" | "delete">();
  const { route } = useLocation();
  const { agent } = saved;
  const close = (): void => setDialog(undefined);
  return (
    <>
      {agent.draftVersion !== null && (
        <Button disabled={isDirty} onClick={() => setDialog("publish")}>
          Publish draft {agent.draftVersion}
        </Button>
      )}
      <Menu button={<MenuButton label="More actions">…</MenuButton>}>
        <MenuChoice onChoose={() => route(`${AGENTS}/new?from=${encodeURIComponent(agent.id)}`)}>
          Copy to a new agent
        </MenuChoice>
        <MenuChoice isDangerous onChoose={() => setDialog("delete")}>
          Delete the agent
        </MenuChoice>
      </Menu>
      {dialog === "publish" && <PublishDialog saved={saved} onClose={close} onChanged={onChanged} />}
      {dialog === "delete" && <DeleteDialog saved={saved} onClose={close} onDeleted={onDeleted} />}
    </>
  );
}

interface PublishDialogProps {
  saved: SavedAgent;
  onClose: () => void;
  onChanged: () => Promise<void>;
}

const PublishDialog = ({ saved: { agent }, onClose, onChanged }: PublishDialogProps) => (
  <ConfirmDialog
    title={`Publish draft ${agent.draftVersion}?`}
    action="Publish"
    onClose={onClose}
    onConfirm={async () => {
      const version = agent.draftVersion ?? agent.version;
      await api.post("/agents/{id}/publish", { path: { id: agent.id }, body: { version } });
      await onChanged();
    }}
  >
    <p>
      New calls of <Foreign text={agent.name} /> have it from now on, in place of version {agent.version}. Calls that
      were created before keep theirs.
    </p>
  </ConfirmDialog>
);

interface DeleteDialogProps {
  saved: SavedAgent;
  onClose: () => void;
  onDeleted: () => void;
}

function DeleteDialog({ saved: { agent }, onClose, onDeleted }: DeleteDialogProps) {
  const numbers = useResource(`numbers of ${agent.id}`, (signal) => loadNumbers(agent.id, signal));
  const own = numbers.status === "ready" ? numbers.value.items : [];
  return (
    <ConfirmDialog
      title="Delete the agent?"
      action="Delete"
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await api.delete("/agents/{id}", { path: { id: agent.id } });
        onDeleted();
      }}
    >
      <p>
        No call can be made with <Foreign text={agent.name} /> any more. Its calls and their records stay.
      </p>
      {own.length > 0 && (
        <p>Callers of {own.map(({ number }) => number).join(", ")} are refused until the number has another agent.</p>
      )}
    </ConfirmDialog>
  );
}
