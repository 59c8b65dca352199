import { useState } from "preact/hooks";
import type { Schema } from "../../../../client/src/index.ts";
import { api } from "../../../app/api.ts";
import { shownErrorOf } from "../../../app/errors.ts";
import { durationText, numberText } from "../../../app/format.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import type { Call } from "../model/types.ts";

type Check = Schema<"ReplayCheck">;
type State =
  | { status: "idle" }
  | { status: "running" }
  | { status: "done"; check: Check }
  | { status: "failed"; error: unknown };

/** Replays the call on demand, and says whether every decision was the same. */
export function ReplayCheck({ call }: { call: Call }) {
  const [state, setState] = useState<State>({ status: "idle" });
  if (call.endedAt === null) return <span class="soft">after the end</span>;
  const run = (): void => {
    setState({ status: "running" });
    api.get("/calls/{id}/replay-check", { path: { id: call.id } }).then(
      (check) => setState({ status: "done", check }),
      (error: unknown) => setState({ status: "failed", error }),
    );
  };
  if (state.status === "done") return <Result check={state.check} />;
  return (
    <span role="status">
      <Button kind="quiet" isBusy={state.status === "running"} onClick={run}>
        {state.status === "running" ? "Replaying …" : "Run"}
      </Button>
      {state.status === "failed" && <span class="soft"> {shownErrorOf(state.error).message}</span>}
    </span>
  );
}

function Result({ check: { identical, events, commands, difference, truncated } }: { check: Check }) {
  if (identical)
    return (
      <span role="status">
        <Badge tone="good">identical</Badge>{" "}
        <span class="soft">
          {numberText(commands)} decisions from {numberText(events)} inputs{truncated && ", as far as the journal goes"}
        </span>
      </span>
    );
  const what =
    difference === null
      ? "differs"
      : `differs at ${durationText(difference.atMs)}: ${difference.journaled ?? "nothing"} in the call, ${difference.replayed ?? "nothing"} in the replay`;
  return (
    <span role="status">
      <Badge tone="warn">{what}</Badge>
    </span>
  );
}
