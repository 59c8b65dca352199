import { EventConnection } from "./connection.ts";
import { LOST, type StreamMessage } from "./event.ts";
import type { StreamRequest } from "./shared-connection.ts";
import SharedStreamWorker from "./shared-worker.ts?sharedworker&url";
import { trustedWorkerUrl } from "./worker-url.ts";

export type Receive = (message: StreamMessage) => void;

const workerUrl = trustedWorkerUrl(SharedStreamWorker);

/**
 * Connects this tab to the one stream of its session in this browser: the stream of another session may have other events. Returns what
 * disconnects it.
 */
export const openSharedStream = (request: StreamRequest, receive: Receive): (() => void) =>
  typeof SharedWorker === "undefined" ? openByLock(request, receive) : openByWorker(request, receive);

/** The token says which session it is, and only scripts of this origin see names. */
const nameOf = ({ csrfToken }: StreamRequest): string => `trunkline-events ${csrfToken}`;

function openByWorker(request: StreamRequest, receive: Receive): () => void {
  const { port } = new SharedWorker(workerUrl(), { name: nameOf(request), type: "module" });
  const leave = (): void => port.postMessage("goodbye");
  const comeBack = ({ persisted }: PageTransitionEvent): void => {
    // The browser had put the page away, and shows it again as it was: what happened meanwhile is not known.
    if (!persisted) return;
    port.postMessage(request);
    receive({ kind: "event", event: LOST });
  };
  port.onmessage = ({ data }: MessageEvent<StreamMessage>) => receive(data);
  port.postMessage(request);
  addEventListener("pagehide", leave);
  addEventListener("pageshow", comeBack);
  return () => {
    leave();
    removeEventListener("pagehide", leave);
    removeEventListener("pageshow", comeBack);
    port.close();
  };
}

/** What the tab with the connection says to the others: also the number of the event, from which the next one goes on. */
interface Broadcast {
  message: StreamMessage;
  sequence: string | undefined;
}

/** Without shared workers the tab with the lock has the connection; when it is closed, the lock and the last number go to another. */
function openByLock(request: StreamRequest, receive: Receive): () => void {
  const name = nameOf(request);
  const channel = new BroadcastChannel(name);
  const left = new AbortController();
  let after: string | undefined;
  channel.onmessage = ({ data: { message, sequence } }: MessageEvent<Broadcast>) => {
    after = sequence ?? after;
    receive(message);
  };
  const send = (message: StreamMessage, sequence?: string): void => {
    receive(message);
    channel.postMessage({ message, sequence } satisfies Broadcast);
  };
  const lead = async (): Promise<void> => {
    const connection = new EventConnection({
      ...request,
      after,
      onEvent: (event, sequence) => send({ kind: "event", event }, sequence),
      onStatus: (status) => send({ kind: "status", status }),
    });
    left.signal.addEventListener("abort", () => connection.stop());
    await connection.run();
  };
  // Rejects only when this tab leaves the queue.
  navigator.locks.request(name, { signal: left.signal }, lead).catch(() => {});
  return () => {
    left.abort();
    channel.close();
  };
}
