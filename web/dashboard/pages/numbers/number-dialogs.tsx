import { useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { problemOf } from "../../app/errors.ts";
import { Check } from "../../ui/checks.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Code } from "../../ui/figures.tsx";
import { AreaField, SelectField, TextField } from "../../ui/inputs.tsx";
import { SecretDialog } from "../../ui/secret-dialog.tsx";
import { CallDialog, TestCallDialog } from "./call-dialog.tsx";
import { numberChangesOf, numberFormOf } from "./model/number-form.ts";
import type { PhoneNumber } from "./model/states.ts";

/** Something that is being done with a number. */
export interface NumberAct {
  kind: "call" | "test" | "edit" | "attach" | "secret" | "detach" | "delete";
  number: PhoneNumber;
}

interface Props {
  number: PhoneNumber;
  onClose: () => void;
  onDone: () => void;
}

interface DialogsProps extends Omit<Props, "number"> {
  act: NumberAct | undefined;
  agents: ReadonlyMap<string, string>;
}

export function NumberDialogs({ act, agents, onClose, onDone }: DialogsProps) {
  const [secret, setSecret] = useState<string>();
  return (
    <>
      {act !== undefined && (
        <ActDialog act={act} agents={agents} onClose={onClose} onDone={onDone} onSecret={setSecret} />
      )}
      {secret !== undefined && (
        <SecretDialog
          title="The secret of the number's webhook"
          label="Secret"
          secret={secret}
          onClose={() => setSecret(undefined)}
        >
          <p>Your program verifies what it is asked with it, as Standard Webhooks says.</p>
        </SecretDialog>
      )}
    </>
  );
}

interface ActProps extends Omit<DialogsProps, "act"> {
  act: NumberAct;
  onSecret: (secret: string) => void;
}

function ActDialog({ act: { kind, number }, agents, onClose, onDone, onSecret }: ActProps) {
  const common = { number, onClose, onDone };
  switch (kind) {
    case "call":
      return <CallDialog number={number} agents={agents} onClose={onClose} />;
    case "test":
      return <TestCallDialog {...common} />;
    case "edit":
      return <NumberDialog {...common} agents={agents} onSecret={onSecret} />;
    case "secret":
      return <NewSecretDialog {...common} onSecret={onSecret} />;
    case "attach":
      return <AttachDialog {...common} />;
    case "detach":
      return <DetachDialog {...common} />;
    case "delete":
      return <DeleteDialog {...common} />;
  }
}

interface NumberDialogProps extends Props {
  agents: ReadonlyMap<string, string>;
  onSecret: (secret: string) => void;
}

/** Who answers a number, and what it may do. */
function NumberDialog({ number, agents, onClose, onDone, onSecret }: NumberDialogProps) {
  const [before] = useState(() => numberFormOf(number));
  const [form, setForm] = useState(before);
  const save = async (): Promise<void> => {
    const body = numberChangesOf(before, form);
    const { inboundWebhookSecret } = await api.patch("/phone-numbers/{id}", { path: { id: number.id }, body });
    if (inboundWebhookSecret !== undefined) onSecret(inboundWebhookSecret);
    onDone();
  };
  return (
    <ConfirmDialog title={`Change ${number.number}`} action="Save" onClose={onClose} onConfirm={save}>
      {(error) => (
        <>
          <TextField
            label="For"
            hint="What the number is for."
            required
            value={form.name}
            onChange={(name) => setForm({ ...form, name })}
            problem={problemOf(error, "name")}
          />
          <SelectField
            label="Agent"
            hint="It answers calls to the number, in its published version."
            value={form.agentId}
            onChange={(agentId) => setForm({ ...form, agentId })}
            choices={agentChoices(agents, number.agentId, "none: calls are refused")}
            problem={problemOf(error, "agentId")}
          />
          <TextField
            label="Calls in at once"
            hint="Further ones are refused. Empty: no limit of its own."
            inputMode="numeric"
            value={form.maxConcurrentCalls}
            onChange={(maxConcurrentCalls) => setForm({ ...form, maxConcurrentCalls })}
            problem={problemOf(error, "maxConcurrentCalls")}
          />
          <AreaField
            label="What a caller hears who is not connected"
            hint="Empty: a phrase of the service."
            rows={2}
            value={form.refusalText}
            onChange={(refusalText) => setForm({ ...form, refusalText })}
            problem={problemOf(error, "refusalText")}
          />
          <TextField
            label="Address that is asked before a call is answered"
            hint="It may choose the agent and its variables, or refuse. Empty: the agent answers as it is saved. A changed address gets a new secret."
            inputMode="url"
            value={form.inboundWebhookUrl}
            onChange={(inboundWebhookUrl) => setForm({ ...form, inboundWebhookUrl })}
            problem={problemOf(error, "inboundWebhookUrl")}
          />
        </>
      )}
    </ConfirmDialog>
  );
}

/** The agents of the account, after a choice without one; an agent that is not among them stays. */
export function agentChoices(agents: ReadonlyMap<string, string>, present: string | null, none: string) {
  const missing = present === null || agents.has(present) ? [] : [{ value: present, label: present }];
  const known = [...agents].map(([value, label]) => ({ value, label }));
  return [{ value: "", label: none }, ...missing, ...known];
}

const NewSecretDialog = ({ number, onClose, onDone, onSecret }: Omit<NumberDialogProps, "agents">) => (
  <ConfirmDialog
    title="Make another webhook secret?"
    action="Make another secret"
    isDangerous
    onClose={onClose}
    onConfirm={async () => {
      const body = { inboundWebhookUrl: number.inboundWebhookUrl };
      const { inboundWebhookSecret } = await api.patch("/phone-numbers/{id}", { path: { id: number.id }, body });
      if (inboundWebhookSecret !== undefined) onSecret(inboundWebhookSecret);
      onDone();
    }}
  >
    <p>
      The present secret of <Code>{number.number}</Code> ends at once. Until your program has the new one, it cannot
      verify what it is asked.
    </p>
  </ConfirmDialog>
);

const AttachDialog = ({ number, onClose, onDone }: Props) => (
  <ConfirmDialog
    title={number.attached ? "Attach the number again?" : "Attach the number?"}
    action="Attach"
    onClose={onClose}
    onConfirm={async () => {
      await api.post("/phone-numbers/{id}/attach", { path: { id: number.id } });
      onDone();
    }}
  >
    <p>
      The carrier is asked to send the calls of <Code>{number.number}</Code> to this service. What it did with them
      before is stored, and restored when the number is detached.
    </p>
    {number.agentId === null && number.inboundWebhookUrl === null && (
      <p>No agent answers yet: calls are refused until you choose one.</p>
    )}
  </ConfirmDialog>
);

function DetachDialog({ number, onClose, onDone }: Props) {
  const [force, setForce] = useState(false);
  return (
    <ConfirmDialog
      title="Detach the number?"
      action="Detach"
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await api.post("/phone-numbers/{id}/detach", { path: { id: number.id }, body: { force } });
        onDone();
      }}
    >
      <p>
        The carrier does with the calls of <Code>{number.number}</Code> what it did before the number was attached.
      </p>
      <Check
        label="Do not ask the carrier"
        hint="For an account there that no longer exists."
        isOn={force}
        onChange={setForce}
      />
    </ConfirmDialog>
  );
}

const DeleteDialog = ({ number, onClose, onDone }: Props) => (
  <ConfirmDialog
    title="Delete the number?"
    action="Delete the number"
    isDangerous
    onClose={onClose}
    onConfirm={async () => {
      await api.delete("/phone-numbers/{id}", { path: { id: number.id } });
      onDone();
    }}
  >
    <p>
      <Code>{number.number}</Code> leaves the list. The carrier keeps it, and an import brings it back.
    </p>
  </ConfirmDialog>
);
