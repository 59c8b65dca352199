import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { WEBHOOKS } from "../../../app/addresses.ts";
import { api } from "../../../app/api.ts";
import { mayAct } from "../../../app/roles.ts";
import { useResource } from "../../../app/use-resource.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Fact, Facts } from "../../../ui/facts.tsx";
import { ErrorNote, Failure } from "../../../ui/failure.tsx";
import { Code, Foreign, Time } from "../../../ui/figures.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { Menu, MenuButton, MenuChoice } from "../../../ui/menu.tsx";
import { Page as Frame } from "../../../ui/page.tsx";
import { type Webhook, webhookStateOf } from "../states.ts";
import { WebhookDialog, type WebhookSecret, WebhookSecretDialog } from "../webhook-dialog.tsx";
import { Deliveries } from "./deliveries.tsx";
import { DeleteDialog, DisableDialog, RotateDialog } from "./dialogs.tsx";

const PARENT = { title: "Webhooks", href: WEBHOOKS };

/** One webhook: its state, and what was sent to it. */
export function Page() {
  const { id = "" } = useRoute().params;
  const webhook = useResource(`webhook ${id}`, (signal) => api.get("/webhooks/{id}", { path: { id }, signal }), {
    on: ["webhook.disabled"],
  });
  if (webhook.status === "ready") return <One webhook={webhook.value} error={webhook.error} onDone={webhook.reload} />;
  return (
    <Frame title="Webhook" parent={PARENT}>
      {webhook.status === "loading" ? (
        <Loading what="the webhook" />
      ) : (
        <Failure error={webhook.error} onRetry={webhook.reload} />
      )}
    </Frame>
  );
}

type Act = "edit" | "enable" | "disable" | "rotate" | "delete";

function One({ webhook, error, onDone }: { webhook: Webhook; error: unknown; onDone: () => void }) {
  const { route } = useLocation();
  const [act, setAct] = useState<Act>();
  const [made, setMade] = useState<WebhookSecret>();
  const common = { webhook, onClose: () => setAct(undefined), onDone };
  return (
    <Frame
      title={webhook.description === "" ? webhook.url : webhook.description}
      parent={PARENT}
      actions={mayAct("editor") && <Actions webhook={webhook} onAct={setAct} />}
    >
      <ErrorNote error={error} />
      <State webhook={webhook} />
      <WebhookFacts webhook={webhook} />
      <Deliveries webhook={webhook} />
      {act === "edit" && <WebhookDialog {...common} />}
      {(act === "enable" || act === "disable") && <DisableDialog {...common} isEnabling={act === "enable"} />}
      {act === "rotate" && <RotateDialog {...common} onMade={setMade} />}
      {act === "delete" && <DeleteDialog {...common} onDone={() => route(WEBHOOKS)} />}
      {made !== undefined && <WebhookSecretDialog made={made} onClose={() => setMade(undefined)} />}
    </Frame>
  );
}

const Actions = ({ webhook: { enabled }, onAct }: { webhook: Webhook; onAct: (act: Act) => void }) => (
  <>
    {!enabled && <Button onClick={() => onAct("enable")}>Enable</Button>}
    <Button onClick={() => onAct("edit")}>Change</Button>
    <Menu button={<MenuButton label="More actions">…</MenuButton>}>
      <MenuChoice onChoose={() => onAct("rotate")}>Rotate the secret</MenuChoice>
      {enabled && <MenuChoice onChoose={() => onAct("disable")}>Disable</MenuChoice>}
      <MenuChoice isDangerous onChoose={() => onAct("delete")}>
        Delete
      </MenuChoice>
    </Menu>
  </>
);

/** What is wrong with the webhook, and what to do. */
function State({ webhook }: { webhook: Webhook }) {
  const { advice } = webhookStateOf(webhook);
  return advice === undefined ? null : <p class="webhook-advice">{advice}</p>;
}

function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { text, tone } = webhookStateOf(webhook);
  const { id, url, eventTypes, failingSince, previousSecretUntil, createdAt } = webhook;
  return (
    <Facts>
      <Fact name="State">
        <Badge tone={tone}>{text}</Badge>
      </Fact>
      {failingSince !== null && (
        <Fact name="Failing since">
          <Time at={failingSince} />
        </Fact>
      )}
      {previousSecretUntil !== null && (
        <Fact name="Signed with the earlier secret, too, until">
          <Time at={previousSecretUntil} seconds={false} />
        </Fact>
      )}
      <Fact name="Created">
        <Time at={createdAt} seconds={false} />
      </Fact>
      <Fact name="Id">
        <Code>{id}</Code>
      </Fact>
      <Fact name="Address" isWide>
        <Foreign text={url} />
      </Fact>
      <Fact name="Events" isWide>
        {eventTypes.join(", ")}
      </Fact>
    </Facts>
  );
}
