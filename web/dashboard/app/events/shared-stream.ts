import { EventConnection } from "./connection.ts";
import { LOST, type StreamMessage } from "./event.ts";
import SharedStreamWorker from "./shared-worker.ts?sharedworker&url";

export type Receive = (message: StreamMessage) => void;

/** The content policy lets only this policy make the address of a worker, and it makes one. */
const workerUrl = (): string => {
  const policies = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  if (policies === undefined) return SharedStreamWorker;
  const policy = policies.createPolicy("trunkline-worker", { createScriptURL: () => SharedStreamWorker });
  return policy.createScriptURL("") as unknown as string;
};

interface TrustedTypes {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (input: string) => string },
  ) => { createScriptURL: (input: string) => unknown };
}

/**
 * Connects this tab to the one stream of its browser; `of` is the person, because another one has other events. Returns what
 * disconnects it.
 */
export function openSharedStream(url: string, of: string, receive: Receive): () => void {
  return typeof SharedWorker === "undefined" ? openByLock(url, of, receive) : openByWorker(url, of, receive);
}

function openByWorker(url: string, of: string, receive: Receive): () => void {
  const { port } = new SharedWorker(workerUrl(), { name: `trunkline-events ${of}`, type: "module" });
  const leave = (): void => port.postMessage("goodbye");
  const comeBack = ({ persisted }: PageTransitionEvent): void => {
    // The browser had put the page away, and shows it again as it was: what happened meanwhile is not known.
    if (!persisted) return;
    port.postMessage({ url });
    receive({ kind: "event", event: LOST });
  };
  port.onmessage = ({ data }: MessageEvent<StreamMessage>) => receive(data);
  port.postMessage({ url });
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
function openByLock(url: string, of: string, receive: Receive): () => void {
  const name = `trunkline-events ${of}`;
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
      url,
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
