import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { TrunklineApiError } from "../../../../client/src/index.ts";
import { AGENTS } from "../../../app/addresses.ts";
import { api } from "../../../app/api.ts";
import { LeaveGuard } from "../../../app/leave-guard.tsx";
import { mayAct } from "../../../app/roles.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Page as Frame } from "../../../ui/page.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { loadAgent, type SavedAgent } from "../load.ts";
import { changesOf, type Definition, definitionOf } from "../model/definition.ts";
import { differences } from "../model/definition-diff.ts";
import { TryPanel } from "../try/try-panel.tsx";
import { VersionsTab } from "../versions/versions-tab.tsx";
import { AgentActions } from "./agent-actions.tsx";
import { ConflictNote } from "./conflict-note.tsx";
import { DefinitionForm } from "./definition-form.tsx";
import { SaveBar } from "./save-bar.tsx";
import { UseTab } from "./use-tab.tsx";
import "./agent-view.css";

const CHANGED_MEANWHILE = "precondition_failed";

/** An agent that is saved, and the changes that are not. */
export function AgentView({ loaded }: { loaded: SavedAgent }) {
  const [saved, setSaved] = useState(loaded);
  const [edited, setEdited] = useState(loaded.definition);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState<"save" | "publish">();
  /** What another person has made of the agent since it was loaded. */
  const [theirs, setTheirs] = useState<SavedAgent>();
  const { route } = useLocation();
  const { agent } = saved;
  const mayEdit = mayAct("editor");
  const changes = changesOf(saved.definition, edited);
  const isDirty = Object.keys(changes).length > 0;

  const begin = (next: SavedAgent, definition = next.definition): void => {
    setSaved(next);
    setEdited(definition);
    setTheirs(undefined);
    setError(undefined);
  };
  const save = async (autoPublish: boolean): Promise<void> => {
    setBusy(autoPublish ? "publish" : "save");
    setError(undefined);
    const { etag } = saved;
    try {
      const { body, headers } = await api.request("patch", "/agents/{id}", {
        path: { id: agent.id },
        headers: { "If-Match": etag },
        body: { ...changes, autoPublish },
      });
      const version = body.draftVersion ?? body.version;
      // With a draft the answer has the fields of the live version.
      if (body.draftVersion === null) {
        begin({ agent: body, etag: headers.get("etag") ?? "", definition: definitionOf(body), version });
      } else begin(await loadAgent(api, agent.id));
    } catch (failure) {
      const isMeanwhile = failure instanceof TrunklineApiError && failure.code === CHANGED_MEANWHILE;
      if (isMeanwhile) await loadAgent(api, agent.id).then(setTheirs, setError);
      else setError(failure);
    }
    setBusy(undefined);
  };
  const reload = async (): Promise<void> => begin(await loadAgent(api, agent.id));

  const editing = {
    definition: edited,
    isReadOnly: !mayEdit,
    error,
    change: (next: Partial<Definition>): void => setEdited((before) => ({ ...before, ...next })),
  };
  return (
    <Frame
      title={agent.name}
      parent={{ title: "Agents", href: AGENTS }}
      actions={
        <>
          <StateNote saved={saved} />
          {mayEdit && <AgentActions saved={saved} isDirty={isDirty} onChanged={reload} onDeleted={() => route(AGENTS)} />}
        </>
      }
    >
      <LeaveGuard isDirty={isDirty} lost={`Your changes to ${agent.name} are not saved, and would be lost.`} />
      <div class="agent">
        <div class="agent-main">
          <Tabs
            label="Parts of the agent"
            tabs={[
              { name: "edit", title: mayEdit ? "Edit" : "Definition", content: () => <DefinitionForm editing={editing} /> },
              {
                name: "versions",
                title: "Versions",
                content: () => <VersionsTab saved={saved} edited={edited} isDirty={isDirty} onChanged={reload} />,
              },
              { name: "use", title: "Use", content: () => <UseTab agent={agent} /> },
            ]}
          />
          {theirs !== undefined && (
            <ConflictNote base={saved} mine={edited} theirs={theirs} onMerge={begin} onDiscard={() => begin(theirs)} />
          )}
          {mayEdit && (
            <SaveBar
              changed={isDirty ? differences(saved.definition, edited).map(({ label }) => label) : []}
              error={error}
              busy={busy}
              isBlocked={theirs !== undefined}
              onDiscard={() => begin(saved)}
              onSave={(autoPublish) => void save(autoPublish)}
            />
          )}
        </div>
        {mayEdit && (
          <TryPanel definition={edited} saved={isDirty ? undefined : { agentId: agent.id, version: saved.version }} />
        )}
      </div>
    </Frame>
  );
}

/** Which versions there are. */
const StateNote = ({ saved: { agent } }: { saved: SavedAgent }) => (
  <p class="agent-state">
    <Badge tone="good">version {agent.version} live</Badge>
    {agent.draftVersion !== null && <Badge tone="warn">draft {agent.draftVersion}</Badge>}
  </p>
);
