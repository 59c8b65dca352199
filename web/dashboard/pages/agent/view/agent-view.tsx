import { useLocation } from "preact-iso";
import { AGENTS } from "../../../app/addresses.ts";
import { LeaveGuard } from "../../../app/leave-guard.tsx";
import { mayAct } from "../../../app/roles.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Page as Frame } from "../../../ui/page.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { DefinitionForm } from "../fields/definition-form.tsx";
import type { SavedAgent } from "../load.ts";
import { differences } from "../model/definition-diff.ts";
import { TryPanel } from "../try/try-panel.tsx";
import { VersionsTab } from "../versions/versions-tab.tsx";
import { AgentActions } from "./agent-actions.tsx";
import { ConflictNote } from "./conflict-note.tsx";
import { SaveBar } from "./save-bar.tsx";
import { type AgentEditing, useAgentEditing } from "./use-agent-editing.ts";
import { UseTab } from "./use-tab.tsx";
import "./agent-view.css";

/** An agent that is saved, the changes to it that are not, and a call that tries both. */
export function AgentView({ loaded }: { loaded: SavedAgent }) {
  const agent = useAgentEditing(loaded);
  const { saved, edited, isDirty, reload } = agent;
  const { route } = useLocation();
  const mayEdit = mayAct("editor");
  const { id, name } = saved.agent;
  return (
    <Frame
      title={name}
      parent={{ title: "Agents", href: AGENTS }}
      actions={
        <>
          <StateNote saved={saved} />
          {mayEdit && (
            <AgentActions saved={saved} isDirty={isDirty} onChanged={reload} onDeleted={() => route(AGENTS)} />
          )}
        </>
      }
    >
      <LeaveGuard isDirty={isDirty} lost={`Your changes to ${name} are not saved, and would be lost.`} />
      <div class="agent">
        <div class="agent-main">
          <Parts agent={agent} mayEdit={mayEdit} />
          {mayEdit && <Saving agent={agent} />}
        </div>
        {mayEdit && (
          <TryPanel definition={edited} saved={isDirty ? undefined : { agentId: id, version: saved.version }} />
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

function Parts({ agent, mayEdit }: { agent: AgentEditing; mayEdit: boolean }) {
  const { saved, edited, isDirty, error, change, reload } = agent;
  const editing = { definition: edited, isReadOnly: !mayEdit, error, change };
  return (
    <Tabs
      label="Parts of the agent"
      tabs={[
        {
          name: "edit",
          title: mayEdit ? "Edit" : "Definition",
          content: () => <DefinitionForm editing={editing} />,
        },
        {
          name: "versions",
          title: "Versions",
          content: () => <VersionsTab saved={saved} edited={edited} isDirty={isDirty} onChanged={reload} />,
        },
        { name: "use", title: "Use", content: () => <UseTab agent={saved.agent} /> },
      ]}
    />
  );
}

function Saving({ agent: { saved, edited, isDirty, error, busy, theirs, begin, save } }: { agent: AgentEditing }) {
  return (
    <>
      {theirs !== undefined && (
        <ConflictNote base={saved} mine={edited} theirs={theirs} onMerge={begin} onDiscard={() => begin(theirs)} />
      )}
      <SaveBar
        changed={isDirty ? differences(saved.definition, edited).map(({ label }) => label) : []}
        error={error}
        busy={busy}
        isBlocked={theirs !== undefined}
        onDiscard={() => begin(saved)}
        onSave={(autoPublish) => void save(autoPublish)}
      />
    </>
  );
}
