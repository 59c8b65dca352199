import { withQuery } from "../../app/query.ts";
import type { ExportedColumn } from "../../ui/export.tsx";
import { Code, Foreign, Time } from "../../ui/figures.tsx";
import type { Column } from "../../ui/table.tsx";
import { type AuditEvent, actorText } from "./choices.ts";
import { targetPage } from "./target-page.ts";
import { actionText, changeText, kindText } from "./texts.ts";

export type AuditColumn = Column<AuditEvent> & ExportedColumn<AuditEvent>;

export const auditColumns = (names: ReadonlyMap<string, string>): readonly AuditColumn[] => [
  {
    name: "createdAt",
    title: "Time",
    width: 176,
    cell: ({ id, createdAt }) => (
      <a href={location.pathname + withQuery(location.search, { event: id })}>
        <Time at={createdAt} />
      </a>
    ),
    exported: ({ createdAt }) => createdAt,
  },
  {
    name: "action",
    title: "Action",
    width: 200,
    cell: ({ action }) => actionText(action),
    exported: ({ action }) => action,
  },
  {
    name: "actor",
    title: "Who",
    width: 240,
    cell: ({ actor }) => <Actor actor={actor} names={names} />,
    exported: ({ actor }) => `${actor.kind} ${actor.id}`,
  },
  {
    name: "changed",
    title: "What changed",
    width: 280,
    cell: ({ details }) => <Foreign text={changeText(details)} />,
    exported: ({ details }) => changeText(details),
  },
  {
    name: "target",
    title: "On",
    width: 360,
    cell: (event) => <Target event={event} />,
    exported: ({ target }) => `${target.kind} ${target.id}`,
  },
  {
    name: "requestId",
    title: "Request",
    width: 340,
    cell: ({ requestId }) => <Foreign text={requestId} />,
    exported: ({ requestId }) => requestId,
  },
];

/** Who acted: by name where there is one. */
export function Actor({ actor, names }: { actor: AuditEvent["actor"]; names: ReadonlyMap<string, string> }) {
  const name = names.get(actor.id);
  return (
    <>
      <span class="soft">{actorText(actor.kind)}</span>
      {actor.kind !== "service" && (
        <>
          {" "}
          <Foreign text={name ?? actor.id} />
        </>
      )}
    </>
  );
}

/** What was acted upon: a link where it has a page. */
export function Target({ event }: { event: AuditEvent }) {
  const { kind, id } = event.target;
  const href = targetPage(event);
  return (
    <>
      <span class="soft">{kindText(kind)}</span>{" "}
      {href === undefined ? (
        <Code>{id}</Code>
      ) : (
        <a href={href}>
          <Code>{id}</Code>
        </a>
      )}
    </>
  );
}
