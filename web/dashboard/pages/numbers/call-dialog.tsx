import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { callPage } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { problemOf, problemsOf } from "../../app/errors.ts";
import { linesOf, numberOf, pairsOf } from "../../app/form-values.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Code } from "../../ui/figures.tsx";
import { AreaField, SelectField, TextField } from "../../ui/inputs.tsx";
import type { PhoneNumber } from "./model/states.ts";

interface Props {
  number: PhoneNumber;
  agents: ReadonlyMap<string, string>;
  onClose: () => void;
}

/** Has a person of an emulated carrier call the number. */
export function TestCallDialog({ number, onClose, onDone }: Omit<Props, "agents"> & { onDone: () => void }) {
  const [says, setSays] = useState("Hello!\nWhat can you do for me?");
  return (
    <ConfirmDialog
      title={`Have a person call ${number.number}`}
      action="Call"
      onClose={onClose}
      onConfirm={async () => {
        const body = { says: linesOf(says) };
        await api.post("/phone-numbers/{id}/test-call", { path: { id: number.id }, body });
        onDone();
      }}
    >
      {(error) => (
        <>
          <p>The emulated carrier has a person call. The call appears under Live, and as the latest call in.</p>
          <AreaField
            label="What the person says"
            hint="One text on each line, each after the agent has spoken. Without any they listen for 10 s."
            rows={4}
            value={says}
            onChange={setSays}
            problem={problemsOf(error, "says")}
          />
        </>
      )}
    </ConfirmDialog>
  );
}

/** Has an agent call a telephone, and leads to the page of the call. */
export function CallDialog({ number, agents, onClose }: Props) {
  const { route } = useLocation();
  const [form, setForm] = useState({ to: "", agentId: number.agentId ?? "", variables: "", ringTimeout: "30" });
  const call = async (): Promise<void> => {
    const variables = pairsOf(form.variables);
    const body = {
      from: number.id,
      to: form.to.replaceAll(/[\s()/-]/g, ""),
      agentId: form.agentId,
      ringTimeout: numberOf(form.ringTimeout),
      ...(Object.keys(variables).length > 0 && { variables }),
    };
    const { id } = await api.post("/phone-calls", { body });
    route(callPage(id));
  };
  return (
    <ConfirmDialog title={`Call someone from ${number.number}`} action="Call" onClose={onClose} onConfirm={call}>
      {(error) => (
        <>
          {agents.size === 0 && <p>There is no agent yet: create one first.</p>}
          <TextField
            label="Number to call"
            hint="In E.164, such as +12025550123."
            type="tel"
            required
            value={form.to}
            onChange={(to) => setForm({ ...form, to })}
            problem={problemOf(error, "to") ?? problemOf(error, "from")}
          />
          <SelectField
            label="Agent"
            value={form.agentId}
            onChange={(agentId) => setForm({ ...form, agentId })}
            choices={[
              ...(form.agentId === "" ? [{ value: "", label: "Choose an agent" }] : []),
              ...[...agents].map(([value, label]) => ({ value, label })),
            ]}
            problem={problemOf(error, "agentId")}
          />
          <AreaField
            label="Variables of the agent"
            hint="One on each line, as name=value."
            rows={2}
            value={form.variables}
            onChange={(variables) => setForm({ ...form, variables })}
            problem={problemsOf(error, "variables")}
          />
          <TextField
            label="Rings for, in seconds"
            inputMode="numeric"
            value={form.ringTimeout}
            onChange={(ringTimeout) => setForm({ ...form, ringTimeout })}
            problem={problemOf(error, "ringTimeout")}
          />
          <p class="soft">
            The person sees <Code>{number.number}</Code>. The next page shows what becomes of the call.
          </p>
        </>
      )}
    </ConfirmDialog>
  );
}
