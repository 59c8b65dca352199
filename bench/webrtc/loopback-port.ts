import { systemClock } from "../../src/core/clock.ts";
import { loadWebrtc, type WebrtcPort } from "../../src/gateway/webrtc/peer.ts";

const PORTS = { first: 47_000, last: 47_099 };

/** A port of this process for `work`. Rejects where node-datachannel is not installed. */
export async function withPort<Result>(work: (port: WebrtcPort) => Promise<Result>): Promise<Result> {
  const { library, failure } = await loadWebrtc();
  if (library === undefined) throw new Error(`node-datachannel cannot be loaded: ${failure}`);
  const onBug = (error: unknown): void => console.error(error);
  const port = await library.openPort({ ports: PORTS, bindAddress: "127.0.0.1", clock: systemClock, onBug });
  try {
    return await work(port);
  } finally {
    port.close();
  }
}
