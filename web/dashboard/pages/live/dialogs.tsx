import { useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { problemOf } from "../../app/errors.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Foreign } from "../../ui/figures.tsx";
import type { Call } from "./load.ts";

interface CallDialogProps {
  call: Call;
  onClose: () => void;
  onDone: () => void;
}

export const EndDialog = ({ call, onClose, onDone }: CallDialogProps) => (
  <ConfirmDialog
    title="End the call?"
    action="End the call"
    isDangerous
    onClose={onClose}
    onConfirm={async () => {
      await api.post("/calls/{id}/end", { path: { id: call.id } });
      onDone();
    }}
  >
    <p>
      The caller <Caller call={call} /> is cut off at once.
    </p>
  </ConfirmDialog>
);

export function TransferDialog({ call, onClose, onDone }: CallDialogProps) {
  const [target, setTarget] = useState("");
  return (
    <ConfirmDialog
      title="Transfer the caller"
      action="Transfer"
      onClose={onClose}
      onConfirm={async () => {
        await api.post("/calls/{id}/transfer", { path: { id: call.id }, body: { target } });
        onDone();
      }}
    >
      {(error) => (
        <>
          <p>
            The target is rung, and the caller <Caller call={call} /> is joined to it. Without an answer the caller
            comes back to the agent.
          </p>
          <Field
            label="Number or SIP address"
            hint="A number in E.164, such as +12025550199, or sip:desk@example.com."
            problem={problemOf(error, "target")}
          >
            {(control) => (
              <input
                {...control}
                required
                autocomplete="off"
                spellcheck={false}
                value={target}
                onInput={(event) => setTarget(event.currentTarget.value)}
              />
            )}
          </Field>
        </>
      )}
    </ConfirmDialog>
  );
}

const Caller = ({ call }: { call: Call }) => (call.phone === null ? null : <Foreign text={call.phone.from} />);
