import { api } from "../../app/api.ts";
import { useQuery } from "../../app/use-query.ts";
import { useResource } from "../../app/use-resource.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Code, CodeBlock, Time } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import type { AuditEvent } from "./choices.ts";
import { Actor, Target } from "./columns.tsx";
import { aroundEvent } from "./filters.ts";
import { actionText } from "./texts.ts";

interface EventDialogProps {
  id: string;
  /** The event, where the list has loaded it. */
  known: AuditEvent | undefined;
  names: ReadonlyMap<string, string>;
  onClose: () => void;
}

/** All of one event, and the way to others of the same actor and on the same thing. */
export function EventDialog({ id, known, names, onClose }: EventDialogProps) {
  const found = useResource(`audit event ${id}`, async (signal) => known ?? (await findEvent(id, signal)));
  const event = found.status === "ready" ? found.value : undefined;
  return (
    <Dialog title={event === undefined ? "Audit log" : actionText(event.action)} onClose={onClose}>
      {found.status === "loading" && <Loading what="the event" />}
      {found.status === "failed" && <Failure error={found.error} onRetry={found.reload} />}
      {found.status === "ready" && event === undefined && <p>The log has no event with this id.</p>}
      {event !== undefined && <Event event={event} names={names} />}
      <div class="dialog-actions">
        {event !== undefined && <More event={event} />}
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}

const Event = ({ event, names }: { event: AuditEvent; names: ReadonlyMap<string, string> }) => (
  <>
    <Facts>
      <Fact name="Time">
        <Time at={event.createdAt} />
      </Fact>
      <Fact name="Who">
        <Actor actor={event.actor} names={names} />
        <div>
          <Code>{event.actor.id}</Code>
        </div>
      </Fact>
      <Fact name="On">
        <Target event={event} />
      </Fact>
      <Fact name="Request">{event.requestId === null ? "none" : <Code>{event.requestId}</Code>}</Fact>
    </Facts>
    <CodeBlock label="What changed" text={JSON.stringify(event.details, undefined, 2)} />
    <p class="soft">The log has the names of the fields that were given, not what they were.</p>
  </>
);

function More({ event: { actor, target } }: { event: AuditEvent }) {
  const { change } = useQuery();
  return (
    <>
      <Button onClick={() => change({ event: undefined, actorKind: actor.kind, actorId: actor.id })}>
        All by the same
      </Button>
      <Button
        onClick={() => change({ event: undefined, action: undefined, targetKind: target.kind, targetId: target.id })}
      >
        All on the same
      </Button>
    </>
  );
}

/** Undefined where there is none. */
async function findEvent(id: string, signal: AbortSignal): Promise<AuditEvent | undefined> {
  const query = aroundEvent(id);
  if (query === undefined) return undefined;
  for await (const event of api.list("/audit-events", { query: { ...query, limit: 100 }, signal })) {
    if (event.id === id) return event;
  }
  return undefined;
}
