import { useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { changed } from "../../app/changed.ts";
import { problemOf, problemsOf } from "../../app/errors.ts";
import { Button } from "../../ui/button.tsx";
import { CheckGroup } from "../../ui/checks.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { CodeBlock, Foreign } from "../../ui/figures.tsx";
import { AreaField, TextField } from "../../ui/inputs.tsx";
import {
  isCost,
  LIMITS,
  NEW_PUBLISHABLE_KEY,
  type PublishableKey,
  type PublishableKeyForm,
  publishableKeyBodyOf,
  publishableKeyFormOf,
  widgetLines,
} from "./forms.ts";
import "./keys.css";

interface Props {
  onClose: () => void;
  onDone: () => void;
}

interface EditProps extends Props {
  agents: ReadonlyMap<string, string>;
  /** Undefined: another one is created. */
  publishableKey?: PublishableKey;
}

/** Creates a publishable key, or changes one. */
export function PublishableKeyDialog({ publishableKey, agents, onClose, onDone }: EditProps) {
  const [before] = useState<PublishableKeyForm>(
    publishableKey === undefined ? NEW_PUBLISHABLE_KEY : publishableKeyFormOf(publishableKey),
  );
  const [form, setForm] = useState(before);
  const save = async (): Promise<void> => {
    const body = publishableKeyBodyOf(form);
    if (publishableKey === undefined) await api.post("/publishable-keys", { body });
    else {
      const changes = changed(publishableKeyBodyOf(before), body);
      await api.patch("/publishable-keys/{id}", { path: { id: publishableKey.id }, body: changes });
    }
    onDone();
  };
  const change = (changes: Partial<PublishableKeyForm>): void => setForm({ ...form, ...changes });
  return (
    <ConfirmDialog
      title={publishableKey === undefined ? "Create a publishable key" : "Change the publishable key"}
      action={publishableKey === undefined ? "Create" : "Save"}
      onClose={onClose}
      onConfirm={save}
    >
      {(error) => (
        <>
          <TextField
            label="Name"
            hint="The page that uses it."
            required
            value={form.name}
            onChange={(name) => change({ name })}
            problem={problemOf(error, "name")}
          />
          <AgentsField
            agents={agents}
            chosen={form.agentIds}
            onChange={(agentIds) => change({ agentIds })}
            problem={problemsOf(error, "agentIds")}
          />
          <AreaField
            label="Origins"
            hint="Of the pages, one on each line, such as https://shop.example. There are no wildcards."
            value={form.origins}
            onChange={(origins) => change({ origins })}
            problem={problemsOf(error, "origins")}
          />
          <LimitFields limits={form.limits} onChange={(limits) => change({ limits })} error={error} />
        </>
      )}
    </ConfirmDialog>
  );
}

interface AgentsFieldProps {
  agents: ReadonlyMap<string, string>;
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  problem: string | undefined;
}

/** The agents of the account, and those that the key names though they are deleted. */
function AgentsField({ agents, chosen, onChange, problem }: AgentsFieldProps) {
  const gone = chosen.filter((id) => !agents.has(id));
  const choices = [...agents, ...gone.map((id) => [id, id] as const)].map(([value, name]) => ({
    value,
    label: <Foreign text={name} />,
  }));
  return (
    <CheckGroup
      legend="Agents that its calls may have"
      {...(choices.length === 0 && { hint: "There is no agent yet: create one first." })}
      choices={choices}
      chosen={chosen}
      onChange={onChange}
      problem={problem}
    />
  );
}

interface LimitFieldsProps {
  limits: PublishableKeyForm["limits"];
  onChange: (limits: PublishableKeyForm["limits"]) => void;
  error: unknown;
}

const LimitFields = ({ limits, onChange, error }: LimitFieldsProps) => (
  <div class="keys-limits">
    {LIMITS.map(({ name, label }) => (
      <TextField
        key={name}
        label={label}
        {...(isCost(name) && { placeholder: "no limit" })}
        inputMode="decimal"
        value={limits[name]}
        onChange={(text) => onChange({ ...limits, [name]: text })}
        problem={problemOf(error, `limits.${name}`)}
      />
    ))}
  </div>
);

/** What a page needs of the key. */
export const UseDialog = ({ publishableKey, onClose }: { publishableKey: PublishableKey; onClose: () => void }) => (
  <Dialog title="Use in a page" onClose={onClose}>
    <CopyField label="Publishable key" value={publishableKey.key} hint="It is no secret: it stands in your page." />
    <p>
      Two lines put the first agent of <Foreign text={publishableKey.name} /> into a page of its origins:
    </p>
    <CodeBlock label="Lines for the page" text={widgetLines(publishableKey, location.origin)} />
    <div class="dialog-actions">
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  </Dialog>
);

export const RevokePublishableKeyDialog = ({
  publishableKey,
  onClose,
  onDone,
}: Props & { publishableKey: PublishableKey }) => (
  <ConfirmDialog
    title="Revoke the publishable key?"
    action="Revoke"
    isDangerous
    onClose={onClose}
    onConfirm={async () => {
      await api.post("/publishable-keys/{id}/revoke", { path: { id: publishableKey.id } });
      onDone();
    }}
  >
    <p>
      Pages with <Foreign text={publishableKey.name} /> start no call from now on, and it cannot be taken back. Calls
      that they have started go on.
    </p>
  </ConfirmDialog>
);
