import { useEffect, useRef, useState } from "preact/hooks";
import type { Schema } from "../../../../client/src/index.ts";
import { callPage } from "../../../app/addresses.ts";
import { api } from "../../../app/api.ts";
import { mayAct } from "../../../app/roles.ts";
import { useResource } from "../../../app/use-resource.ts";
import { Button } from "../../../ui/button.tsx";
import { Fact, Facts } from "../../../ui/facts.tsx";
import { ErrorNote, Failure } from "../../../ui/failure.tsx";
import { Code, CodeBlock, Count, Delay, Foreign, Time } from "../../../ui/figures.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { answerText, type Webhook } from "../states.ts";
import { DeliveryState } from "./delivery-state.tsx";
import "./webhook.css";

type Delivery = Schema<"WebhookDeliveryWithMessage">;

interface Props {
  webhook: Webhook;
  id: string;
  onClose: () => void;
  /** It is sent again. */
  onDone: () => void;
}

/** One delivery: what was sent, what the endpoint answered, and a way to send it again. */
export function DeliveryDetails({ webhook, id, onClose, onDone }: Props) {
  const path = { id: webhook.id, deliveryId: id };
  const delivery = useResource(
    `delivery ${id}`,
    (signal) => api.get("/webhooks/{id}/deliveries/{deliveryId}", { path, signal }),
    { on: webhook.eventTypes },
  );
  const heading = useRef<HTMLHeadingElement>(null);
  const isReady = delivery.status === "ready";
  // It opens above the row that was pressed.
  useEffect(() => heading.current?.focus(), [isReady]);
  return (
    <section class="webhook-delivery" aria-label="Delivery">
      <div class="webhook-delivery-head">
        <h3 ref={heading} tabIndex={-1}>
          Delivery{isReady && <> of {delivery.value.eventType}</>}
        </h3>
        <div class="page-actions">
          {isReady && mayAct("editor") && (
            <SendAgain
              delivery={delivery.value}
              webhook={webhook}
              onDone={() => {
                delivery.reload();
                onDone();
              }}
            />
          )}
          {isReady && <Button onClick={delivery.reload}>Look again</Button>}
          <Button onClick={onClose}>Close</Button>
        </div>
      </div>
      {delivery.status === "loading" && <Loading what="the delivery" />}
      {delivery.status === "failed" && <Failure error={delivery.error} onRetry={delivery.reload} />}
      {isReady && <Details delivery={delivery.value} webhook={webhook} />}
    </section>
  );
}

function Details({ delivery, webhook }: { delivery: Delivery; webhook: Webhook }) {
  const { answer, message, eventId, callId, attempts, createdAt, lastAttemptAt, nextAttemptAt } = delivery;
  return (
    <>
      <Facts>
        <Fact name="State">
          <DeliveryState delivery={delivery} />
        </Fact>
        <Fact name="Event at">
          <Time at={createdAt} />
        </Fact>
        <Fact name="Attempts">
          <Count of={attempts} />
        </Fact>
        <Fact name="Last attempt">
          <Time at={lastAttemptAt} />
        </Fact>
        <Fact name="Next attempt">
          <Time at={nextAttemptAt} />
        </Fact>
        <Fact name="webhook-id">
          <Code>{eventId}</Code>
        </Fact>
        {callId !== null && (
          <Fact name="Call">
            <a href={callPage(callId)}>{callId}</a>
          </Fact>
        )}
      </Facts>
      <div class="webhook-delivery-texts">
        <h4>Answer to the last attempt</h4>
        {answer === null ? (
          <p class="soft">It was not sent yet.</p>
        ) : (
          <p>
            <Foreign text={answerText(answer)} /> after <Delay ms={answer.tookMs} />
          </p>
        )}
        {answer !== null && answer.excerpt !== "" && <CodeBlock text={answer.excerpt} label="Start of the answer" />}
        {answer !== null && answer.excerpt === "" && answer.status !== null && (
          <p class="soft">The start of an answer is stored for attempts that failed.</p>
        )}
      </div>
      <EarlierAttempts delivery={delivery} />
      <div class="webhook-delivery-texts">
        <h4>Message</h4>
        {message === null ? (
          <p class="soft">What the event is about was deleted, and its message with it.</p>
        ) : (
          <>
            <p class="soft">
              <code>POST</code> <Foreign text={webhook.url} />, signed, with the content as it is now:
            </p>
            <CodeBlock text={JSON.stringify(message, null, 2)} label="Message" />
          </>
        )}
      </div>
    </>
  );
}

/** The failed attempts before the last one, the latest first. */
function EarlierAttempts({ delivery: { failedAttempts, lastAttemptAt } }: { delivery: Delivery }) {
  const earlier = failedAttempts.filter(({ at }) => at !== lastAttemptAt);
  if (earlier.length === 0) return null;
  return (
    <div class="webhook-delivery-texts">
      <h4>Earlier attempts</h4>
      <ol class="webhook-attempts">
        {earlier.map((attempt) => (
          <li key={attempt.at}>
            <p>
              <Time at={attempt.at} />: <Foreign text={answerText(attempt)} /> after <Delay ms={attempt.tookMs} />
            </p>
            {attempt.status !== null && attempt.excerpt !== "" && (
              <CodeBlock text={attempt.excerpt} label="Start of the answer" />
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

interface SendAgainProps {
  delivery: Delivery;
  webhook: Webhook;
  onDone: () => void;
}

function SendAgain({ delivery, webhook, onDone }: SendAgainProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  if (delivery.status === "pending" || !webhook.enabled) return null;
  const send = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const path = { id: webhook.id, deliveryId: delivery.id };
      await api.post("/webhooks/{id}/deliveries/{deliveryId}/replay", { path });
      onDone();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <ErrorNote error={error} />
      <Button onClick={() => void send()} isBusy={isBusy}>
        Send again
      </Button>
    </>
  );
}
