import { useState } from "preact/hooks";
import { webhookPage } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { mayAct } from "../../app/roles.ts";
import { useResource } from "../../app/use-resource.ts";
import { useShownAgain } from "../../app/use-shown-again.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorNote, Failure } from "../../ui/failure.tsx";
import { Foreign, Time } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { type Webhook, webhookStateOf } from "./states.ts";
import { WebhookDialog, type WebhookSecret, WebhookSecretDialog } from "./webhook-dialog.tsx";

/** Where the account's events are sent. */
export function Page() {
  const webhooks = useResource("webhooks", (signal) => api.get("/webhooks", { signal }), { on: ["webhook.disabled"] });
  useShownAgain(webhooks.reload);
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<WebhookSecret>();
  return (
    <Frame
      title="Webhooks"
      actions={
        mayAct("editor") && (
          <Button kind="primary" onClick={() => setCreating(true)}>
            Create a webhook
          </Button>
        )
      }
    >
      {webhooks.status === "loading" && <Loading what="the webhooks" />}
      {webhooks.status === "failed" && <Failure error={webhooks.error} onRetry={webhooks.reload} />}
      {webhooks.status === "ready" && (
        <>
          <ErrorNote error={webhooks.error} />
          {webhooks.value.data.length === 0 ? (
            <NoWebhook />
          ) : (
            <Table label="Webhooks" columns={COLUMNS} rows={webhooks.value.data} keyOf={({ id }) => id} />
          )}
        </>
      )}
      {isCreating && <WebhookDialog onClose={() => setCreating(false)} onDone={webhooks.reload} onMade={setMade} />}
      {made !== undefined && <WebhookSecretDialog made={made} onClose={() => setMade(undefined)} />}
    </Frame>
  );
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    name: "url",
    title: "Address",
    cell: ({ id, url }) => (
      <a href={webhookPage(id)}>
        <Foreign text={url} />
      </a>
    ),
  },
  { name: "description", title: "For", cell: ({ description }) => <Foreign text={description} /> },
  { name: "state", title: "State", cell: (webhook) => <State webhook={webhook} /> },
  { name: "failingSince", title: "Failing since", cell: ({ failingSince }) => <Time at={failingSince} /> },
  { name: "events", title: "Events", cell: ({ eventTypes }) => eventTypes.join(", ") },
  { name: "createdAt", title: "Created", cell: ({ createdAt }) => <Time at={createdAt} seconds={false} /> },
];

function State({ webhook }: { webhook: Webhook }) {
  const { text, tone } = webhookStateOf(webhook);
  return <Badge tone={tone}>{text}</Badge>;
}

const NoWebhook = () => (
  <Empty title="There is no webhook yet.">
    <p>
      A webhook sends events, such as the end of a call with its transcript, to an address of yours. Create one with the
      address and the events that it gets; what happens from then on is sent.
    </p>
  </Empty>
);
