import { useMemo } from "preact/hooks";
import { durationText, numberText } from "../../../app/format.ts";
import { useQuery } from "../../../app/use-query.ts";
import { Empty } from "../../../ui/empty.tsx";
import { CodeBlock } from "../../../ui/figures.tsx";
import { VirtualRows } from "../../../ui/virtual-rows.tsx";
import { EVENT_GROUPS, fieldsText, filteredEvents } from "../model/event-rows.ts";
import type { CallEvent } from "../model/types.ts";
import "./lists.css";

const ROW_PIXELS = 28;

/** The events of the call, by what they are about. An opened one shows all of its fields. */
export function EventTable({ events, onSeek }: { events: readonly CallEvent[]; onSeek: (atMs: number) => void }) {
  const { query, change } = useQuery();
  const { about, fine, event: opened } = query;
  const shown = useMemo(() => filteredEvents(events, { group: about, isFine: fine === "yes" }), [events, about, fine]);
  return (
    <div class="call-events">
      <div class="call-events-filters">
        <label>
          About{" "}
          <select
            class="control"
            value={about ?? ""}
            onChange={({ currentTarget }) => change({ about: currentTarget.value })}
          >
            <option value="">everything</option>
            {EVENT_GROUPS.map((group) => (
              <option key={group} value={group}>
                {group}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={fine === "yes"}
            onChange={({ currentTarget }) => change({ fine: currentTarget.checked ? "yes" : undefined })}
          />{" "}
          with every text and audio part
        </label>
        <span class="soft" role="status">
          {numberText(shown.length)} of {numberText(events.length)} events
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty title="No event is of this kind." />
      ) : (
        <VirtualRows
          class="call-list"
          label="Events"
          count={shown.length}
          estimate={() => ROW_PIXELS}
          row={(index) => {
            const place = shown[index] ?? -1;
            const event = events[place];
            if (event === undefined) return null;
            const isOpen = String(place) === opened;
            return (
              <EventRow
                event={event}
                isOpen={isOpen}
                onSeek={() => onSeek(event.atMs)}
                onToggle={() => change({ event: isOpen ? undefined : String(place) })}
              />
            );
          }}
        />
      )}
    </div>
  );
}

interface EventRowProps {
  readonly event: CallEvent;
  readonly isOpen: boolean;
  readonly onSeek: () => void;
  readonly onToggle: () => void;
}

function EventRow({ event, isOpen, onSeek, onToggle }: EventRowProps) {
  return (
    <>
      <div class="call-list-row call-event-row">
        <button
          type="button"
          class="call-event-time figure"
          onClick={onSeek}
          aria-label={`Go to ${durationText(event.atMs)}`}
        >
          {durationText(event.atMs)}
        </button>
        <button type="button" class="call-event-kind" aria-expanded={isOpen} onClick={onToggle}>
          <span class="hidden">{event.source}: </span>
          <span aria-hidden="true" class="soft">
            {event.source === "event" ? "→" : "←"}
          </span>{" "}
          {event.kind}
        </button>
        <bdi class="call-list-rest">{fieldsText(event)}</bdi>
      </div>
      {isOpen && <CodeBlock label={`All fields of ${event.kind}`} text={JSON.stringify(event, undefined, 2)} />}
    </>
  );
}
