import { useState } from "preact/hooks";
import { api } from "../../../app/api.ts";
import { problemOf } from "../../../app/errors.ts";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { Foreign } from "../../../ui/figures.tsx";
import { SelectField } from "../../../ui/inputs.tsx";
import type { Webhook } from "../states.ts";
import type { WebhookSecret } from "../webhook-dialog.tsx";

interface Props {
  webhook: Webhook;
  onClose: () => void;
  onDone: () => void;
}

export const DisableDialog = ({ webhook, isEnabling, onClose, onDone }: Props & { isEnabling: boolean }) => (
  <ConfirmDialog
    title={isEnabling ? "Enable the webhook?" : "Disable the webhook?"}
    action={isEnabling ? "Enable" : "Disable"}
    onClose={onClose}
    onConfirm={async () => {
      await api.patch("/webhooks/{id}", { path: { id: webhook.id }, body: { enabled: isEnabling } });
      onDone();
    }}
  >
    <p>
      <Foreign text={webhook.url} />{" "}
      {isEnabling
        ? "gets the events that happen from now on, and what waits for it. What has failed meanwhile can be sent again."
        : "gets no events until it is enabled. What happens meanwhile is not sent to it later."}
    </p>
  </ConfirmDialog>
);

const OVERLAPS = [
  { value: "86400", label: "a day" },
  { value: "3600", label: "an hour" },
  { value: "0", label: "not at all" },
];

export function RotateDialog({ webhook, onClose, onDone, onMade }: Props & { onMade: (made: WebhookSecret) => void }) {
  const [overlap, setOverlap] = useState("86400");
  return (
    <ConfirmDialog
      title="Rotate the secret?"
      action="Rotate"
      onClose={onClose}
      onConfirm={async () => {
        const body = { overlapSeconds: Number(overlap) };
        onMade(await api.post("/webhooks/{id}/rotate-secret", { path: { id: webhook.id }, body }));
        onDone();
      }}
    >
      {(error) => (
        <>
          <p>
            <Foreign text={webhook.url} /> gets another secret. Until the overlap ends, messages are signed with both,
            so that the endpoint can change at any time before.
          </p>
          <SelectField
            label="The present secret signs for"
            value={overlap}
            onChange={setOverlap}
            choices={OVERLAPS}
            problem={problemOf(error, "overlapSeconds")}
          />
          {webhook.previousSecretUntil !== null && (
            <p>It was rotated already: the secret before the present one ends at once.</p>
          )}
        </>
      )}
    </ConfirmDialog>
  );
}

export const DeleteDialog = ({ webhook, onClose, onDone }: Props) => (
  <ConfirmDialog
    title="Delete the webhook?"
    action="Delete the webhook"
    isDangerous
    onClose={onClose}
    onConfirm={async () => {
      await api.delete("/webhooks/{id}", { path: { id: webhook.id } });
      onDone();
    }}
  >
    <p>
      <Foreign text={webhook.url} /> gets nothing any more, also not what waits. The list of its deliveries is deleted
      with it.
    </p>
  </ConfirmDialog>
);
