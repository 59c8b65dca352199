import { useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { changed } from "../../app/changed.ts";
import { problemOf, problemsOf } from "../../app/errors.ts";
import { CheckGroup } from "../../ui/checks.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/inputs.tsx";
import { SecretDialog } from "../../ui/secret-dialog.tsx";
import { WEBHOOK_EVENT_TYPES, WEBHOOK_EVENTS, type WebhookEventType } from "./event-types.ts";
import type { Webhook } from "./states.ts";

/** The secret that a webhook got, with the webhook. */
export type WebhookSecret = Webhook & { secret: string };

interface Form {
  url: string;
  description: string;
  eventTypes: readonly WebhookEventType[];
}

const NEW: Form = { url: "", description: "", eventTypes: ["call.ended"] };
const CHOICES = WEBHOOK_EVENT_TYPES.map((value) => ({ value, label: value, hint: WEBHOOK_EVENTS[value] }));

interface Props {
  /** Undefined: another one is created. */
  webhook?: Webhook;
  onClose: () => void;
  onDone: () => void;
  onMade?: (made: WebhookSecret) => void;
}

/** Creates a webhook, or changes one. */
export function WebhookDialog({ webhook, onClose, onDone, onMade }: Props) {
  const [before] = useState<Form>(() => (webhook === undefined ? NEW : formOf(webhook)));
  const [form, setForm] = useState(before);
  const save = async (): Promise<void> => {
    const body = bodyOf(form);
    if (webhook === undefined) onMade?.(await api.post("/webhooks", { body }));
    else await api.patch("/webhooks/{id}", { path: { id: webhook.id }, body: changed(bodyOf(before), body) });
    onDone();
  };
  return (
    <ConfirmDialog
      title={webhook === undefined ? "Create a webhook" : "Change the webhook"}
      action={webhook === undefined ? "Create" : "Save"}
      onClose={onClose}
      onConfirm={save}
    >
      {(error) => (
        <>
          <TextField
            label="Address"
            hint="An https:// or http:// address of the public internet."
            required
            inputMode="url"
            value={form.url}
            onChange={(url) => setForm({ ...form, url })}
            problem={problemOf(error, "url")}
          />
          <TextField
            label="For"
            hint="What it is for, such as billing."
            value={form.description}
            onChange={(description) => setForm({ ...form, description })}
            problem={problemOf(error, "description")}
          />
          <CheckGroup
            legend="Events"
            choices={CHOICES}
            chosen={form.eventTypes}
            onChange={(eventTypes) => setForm({ ...form, eventTypes })}
            problem={problemsOf(error, "eventTypes")}
          />
        </>
      )}
    </ConfirmDialog>
  );
}

const formOf = ({ url, description, eventTypes }: Webhook): Form => ({
  url,
  description,
  // In the order of the form, so that a choice that is undone is no change.
  eventTypes: WEBHOOK_EVENT_TYPES.filter((type) => eventTypes.includes(type)),
});

const bodyOf = ({ url, description, eventTypes }: Form) => ({
  url: url.trim(),
  description,
  eventTypes: [...eventTypes],
});

export const WebhookSecretDialog = ({ made, onClose }: { made: WebhookSecret; onClose: () => void }) => (
  <SecretDialog title="The secret of the webhook" label="Secret" secret={made.secret} onClose={onClose}>
    <p>
      Your endpoint verifies messages with it, as{" "}
      <a href="https://www.standardwebhooks.com" rel="noreferrer" target="_blank">
        Standard Webhooks
      </a>{" "}
      says: every library for it can.
    </p>
  </SecretDialog>
);
