/// <reference lib="webworker" />
import { type Activities, withActivity } from "./activity.ts";
import { EventConnection } from "./connection.ts";
import type { LiveEvent, StreamMessage, StreamStatus } from "./event.ts";

// One for all tabs of a browser: it has the connection, and every tab a port to it.
const scope = self as unknown as SharedWorkerGlobalScope;
const ports = new Set<MessagePort>();
let status: StreamStatus = "connecting";
let isRunning = false;
/** What live calls do, for tabs that come later: the service says all of it only once. */
let activities: Activities = new Map();

function sendToAll(message: StreamMessage): void {
  for (const port of ports) port.postMessage(message);
}

function setStatus(next: StreamStatus): void {
  status = next;
  sendToAll({ kind: "status", status });
}

async function run(url: string): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  status = "connecting";
  const onEvent = (event: LiveEvent): void => {
    activities = withActivity(activities, event);
    sendToAll({ kind: "event", event });
  };
  await new EventConnection({ url, onEvent, onStatus: setStatus }).run();
  isRunning = false;
}

scope.addEventListener("connect", ({ ports: [port] }) => {
  if (port === undefined) return;
  // A tab says the address when it comes, and goodbye when it goes: a port does not know that its other end is gone.
  port.onmessage = ({ data }: MessageEvent<{ url: string } | "goodbye">) => {
    if (data === "goodbye") {
      ports.delete(port);
      return;
    }
    ports.add(port);
    void run(data.url);
    // Only now: before, it may be that of an earlier session.
    port.postMessage({ kind: "status", status } satisfies StreamMessage);
    const event = { id: "", type: "calls.activity", data: { calls: [...activities.values()] } };
    port.postMessage({ kind: "event", event } satisfies StreamMessage);
  };
});
