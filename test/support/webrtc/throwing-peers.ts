import { systemClock } from "../../../src/core/clock.ts";
import { announce, readOffer } from "../../../src/gateway/webrtc/offer.ts";
import { loadWebrtc, type Peer, type PeerListener, type WebrtcPort } from "../../../src/gateway/webrtc/peer.ts";
import { WebrtcCaller } from "../../callers/webrtc-caller.ts";
import { collectGarbage } from "../heap.ts";

// A process whose listeners throw in every callback of the library, and so does what they report to. Prints which ones
// were called. test/gateway/webrtc/throwing-callbacks.test.ts runs it: an exception that leaves a callback would abort it.

const SILENCE = Uint8Array.of(0xf8, 0xff, 0xfe);
const HOST = "127.0.0.1";
const thrown: string[] = [];
let bugs = 0;

function failing(what: string, before: () => void = () => {}): () => never {
  return () => {
    before();
    thrown.push(what);
    throw new Error(what);
  };
}

const { library } = await loadWebrtc();
if (library === undefined) throw new Error("node-datachannel is not installed");
const port: WebrtcPort = await library.openPort({
  ports: { first: 46_000, last: 46_100 },
  bindAddress: HOST,
  clock: systemClock,
  onBug: () => {
    bugs += 1;
    throw new Error("the log fails, too");
  },
});

async function until(holds: () => boolean, what: string): Promise<void> {
  for (const endMs = performance.now() + 10_000; !holds(); ) {
    if (performance.now() > endMs) throw new Error(`not within 10 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** One call whose listener throws; `during` runs while it is connected. */
async function call(
  listener: (peer: () => Peer) => PeerListener,
  during: (caller: WebrtcCaller, peer: Peer) => Promise<void>,
): Promise<void> {
  const caller = new WebrtcCaller();
  let peer: Peer | undefined;
  await caller.connect((sdp) => {
    peer = port.accept(
      readOffer(sdp),
      listener(() => peer as Peer),
    );
    return announce(peer.answer, HOST, port.port);
  });
  await during(caller, peer as Peer);
  caller.close();
}

const throwing = (): PeerListener => ({
  connected: failing("connected"),
  rtp: failing("rtp"),
  rtcp: failing("rtcp"),
  closed: failing("closed"),
});

// Each callback throws.
await call(throwing, async (caller) => {
  caller.send(SILENCE);
  caller.report();
  await until(() => thrown.includes("rtp") && thrown.includes("rtcp"), "packets");
});

// The peer is closed within its own callback, used afterwards, and closed again.
await call(
  (peer) => ({
    ...throwing(),
    connected: () => {},
    rtp: failing("rtp after close", () => {
      peer().close();
      if (peer().send(SILENCE)) throw new Error("sent after close");
      peer().close();
    }),
  }),
  async (caller) => {
    for (let i = 0; i < 50; i += 1) caller.send(SILENCE);
    await until(() => thrown.includes("rtp after close"), "a packet");
  },
);
const repeated = thrown.filter((what) => what === "rtp after close").length;

// A flood ends its peer, whose listener throws.
await call(
  () => ({ ...throwing(), connected: () => {}, rtp: () => {}, closed: failing("closed") }),
  async (caller) => {
    for (let i = 0; i < 3_000 && !thrown.includes("closed"); i += 1) {
      try {
        caller.send(SILENCE);
      } catch {
        break;
      }
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => thrown.includes("closed"), "the end of the flood");
  },
);

// The port is closed while a call is on.
await call(throwing, async () => {
  port.close();
});
// Everything that is closed is collected.
await new Promise((resolve) => setTimeout(resolve, 200));
for (let i = 0; i < 5; i += 1) {
  collectGarbage();
  await new Promise((resolve) => setTimeout(resolve, 20));
}
library.cleanup();
process.stdout.write(`${JSON.stringify({ thrown: [...new Set(thrown)], repeated, bugs, peers: port.peerCount })}\n`);
