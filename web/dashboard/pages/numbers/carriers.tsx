import { useState } from "preact/hooks";
import type { Resource } from "../../app/use-resource.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { ErrorNote, Failure } from "../../ui/failure.tsx";
import { Code, Count, Foreign, Time } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Menu, MenuButton, MenuChoice } from "../../ui/menu.tsx";
import { Section } from "../../ui/page.tsx";
import { CarrierDialog, CredentialsDialog, DeleteCarrierDialog } from "./carrier-dialogs.tsx";
import { CARRIER_KINDS, type Carrier } from "./model/carriers.ts";
import { webhookStateOf } from "./model/states.ts";
import { Problems } from "./problems.tsx";
import "./numbers.css";

interface Props {
  carriers: Resource<readonly Carrier[]>;
  onImport: (carrier: Carrier) => void;
}

type Act = { kind: "edit" | "credentials" | "delete"; carrier: Carrier };

export function Carriers({ carriers, onImport }: Props) {
  const [act, setAct] = useState<Act>();
  const common = { onClose: () => setAct(undefined), onDone: carriers.reload };
  return (
    <Section title="Carriers">
      {carriers.status === "loading" && <Loading what="the carriers" />}
      {carriers.status === "failed" && <Failure error={carriers.error} onRetry={carriers.reload} />}
      {carriers.status === "ready" && (
        <>
          <ErrorNote error={carriers.error} />
          {carriers.value.length === 0 && <NoCarrier />}
          {carriers.value.map((carrier) => (
            <OneCarrier key={carrier.id} carrier={carrier} onAct={setAct} onImport={onImport} />
          ))}
        </>
      )}
      {act?.kind === "edit" && <CarrierDialog {...common} carrier={act.carrier} />}
      {act?.kind === "credentials" && <CredentialsDialog {...common} carrier={act.carrier} />}
      {act?.kind === "delete" && <DeleteCarrierDialog {...common} carrier={act.carrier} />}
    </Section>
  );
}

interface OneProps {
  carrier: Carrier;
  onAct: (act: Act) => void;
  onImport: (carrier: Carrier) => void;
}

const OneCarrier = ({ carrier, onAct, onImport }: OneProps) => (
  <article class="numbers-carrier">
    <div class="numbers-carrier-head">
      <h3>
        <Foreign text={carrier.name} /> <span class="soft">{CARRIER_KINDS[carrier.carrier].title}</span>
      </h3>
      <div class="page-actions">
        <Button onClick={() => onImport(carrier)}>Import numbers</Button>
        <Menu button={<MenuButton label={`More actions of ${carrier.name}`}>…</MenuButton>}>
          <MenuChoice onChoose={() => onAct({ kind: "edit", carrier })}>Change</MenuChoice>
          <MenuChoice onChoose={() => onAct({ kind: "credentials", carrier })}>Give it new credentials</MenuChoice>
          <MenuChoice isDangerous onChoose={() => onAct({ kind: "delete", carrier })}>
            Delete
          </MenuChoice>
        </Menu>
      </div>
    </div>
    <Problems problems={webhookStateOf(carrier).problems} />
    <CarrierFacts carrier={carrier} />
    <WebhookAddresses carrier={carrier} />
  </article>
);

function CarrierFacts({ carrier }: { carrier: Carrier }) {
  const { text, tone } = webhookStateOf(carrier);
  return (
    <Facts>
      <Fact name="Webhook">
        <Badge tone={tone}>{text}</Badge>
      </Fact>
      <Fact name="Credentials accepted">
        <Time at={carrier.verifiedAt} seconds={false} />
      </Fact>
      <Fact name="Calls a second from each number">
        <Count of={carrier.callsPerSecond} />
      </Fact>
      <Fact name="Calls at once">
        {carrier.maxConcurrentCalls === null ? "no limit" : <Count of={carrier.maxConcurrentCalls} />}
      </Fact>
      <Fact name="Countries that are called">
        {carrier.allowedCountries === null ? "that of the calling number" : carrier.allowedCountries.join(", ")}
      </Fact>
      <Fact name="Special numbers that are called">
        {carrier.allowedNumbers === null ? "none" : carrier.allowedNumbers.join(", ")}
      </Fact>
      {CARRIER_KINDS[carrier.carrier].fields
        .filter(({ isSecret }) => !isSecret)
        .map(({ name, label }) => (
          <Fact key={name} name={label}>
            <Code>{carrier.credentials[name] ?? "–"}</Code>
          </Fact>
        ))}
    </Facts>
  );
}

/** What to enter at the carrier where numbers are not attached from here. */
export const WebhookAddresses = ({ carrier: { webhookUrls } }: { carrier: Pick<Carrier, "webhookUrls"> }) =>
  webhookUrls === null ? null : (
    <details>
      <summary>Addresses that the carrier calls</summary>
      <div class="numbers-addresses">
        <p class="soft">Attaching a number enters them at the carrier. To do it by hand, enter both with POST.</p>
        <CopyField label="For incoming calls (voice)" value={webhookUrls.voice} />
        <CopyField label="For the state of calls (status)" value={webhookUrls.status} />
      </div>
    </details>
  );

const NoCarrier = () => (
  <Empty title="There is no carrier yet.">
    <p>
      Add one with the credentials of an account at Twilio, Telnyx or Plivo. Then import the numbers that it has, choose
      an agent for one, and attach it: the agent answers its calls.
    </p>
    <p>
      Without an account: <code>npm run carrier -- twilio</code> is an emulated one on this machine.
    </p>
  </Empty>
);
