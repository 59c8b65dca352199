import { api } from "../../../app/api.ts";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { Foreign } from "../../../ui/figures.tsx";
import type { Webhook } from "../states.ts";
import { type DeliveryFilters, replayOf } from "./filters.ts";

interface ReplayAllProps {
  webhook: Webhook;
  filters: DeliveryFilters;
  onClose: () => void;
  /** With how many are sent again. */
  onDone: (count: number) => void;
}

/** Sends deliveries that match again: those that failed, or those that were delivered. */
export function ReplayAllDialog({ webhook, filters, onClose, onDone }: ReplayAllProps) {
  const body = replayOf(filters);
  const isNarrowed = Object.keys(filters).some((name) => name !== "status");
  return (
    <ConfirmDialog
      title="Send deliveries again?"
      action="Send again"
      onClose={onClose}
      onConfirm={async () => {
        const { replayed } = await api.post("/webhooks/{id}/replay", { path: { id: webhook.id }, body });
        onDone(replayed);
      }}
    >
      <p>
        All that {body.status === "failed" ? "failed" : "were delivered"}
        {isNarrowed ? " and match the filters" : ""} are sent to <Foreign text={webhook.url} /> again. Each keeps its{" "}
        <code>webhook-id</code>, so that an endpoint that has seen it can ignore it.
      </p>
    </ConfirmDialog>
  );
}
