import { systemClock } from "../../../src/core/clock.ts";
import { loadWebrtc } from "../../../src/gateway/webrtc/peer.ts";
import { pcmBytes } from "../../../src/media/frame-codec.ts";
import { loadOpus, loadRtpOpus } from "../../../src/media/opus/load.ts";
import { speechLike } from "../../../test/support/audio/speech-like.ts";
import { collectGarbage } from "../../../test/support/heap.ts";
import { Random } from "../../../test/support/random.ts";
import { type AnsweredCall, answerOffer } from "../../../test/support/webrtc/answered-call.ts";
import { serve } from "../../rig/child-process.ts";
import type { ServerSample } from "../../rig/protocol.ts";
import { ServerProbe } from "../../worker/server-probe.ts";
import { PEER_UDP_PORTS } from "./ports.ts";
import { Slots } from "./slots.ts";

// The transport of WebRTC calls and their Opus, both ways, as a process of its own: what a peer costs without its call. Its
// argument says whose encoder it has.

export type TransportQuestions = {
  /** The answer to an offer; the peer gets speech once it is connected. */
  answer: { ask: string; answer: string };
  /** How many packets were decoded, and what the process has used. */
  sample: { ask: undefined; answer: ServerSample & { decoded: number } };
  /** Collects garbage. */
  collect: { ask: undefined; answer: undefined };
};

const RATE_HZ = 24_000;
const FRAME_SAMPLES = 480;
const SPEECH_S = 10;

const isNative = process.argv[2] === "native";
const opus = await loadOpus(isNative ? undefined : () => Promise.reject(new Error("libopus-wasm is measured")));
if (isNative && opus.implementation !== "native") throw new Error(`@discordjs/opus: ${opus.nativeFailure}`);
const codecs = await loadRtpOpus(opus);
const { library, failure } = await loadWebrtc();
if (library === undefined) throw new Error(`node-datachannel cannot be loaded: ${failure}`);
const port = await library.openPort({
  ports: PEER_UDP_PORTS,
  bindAddress: "127.0.0.1",
  clock: systemClock,
  onBug: (error) => console.error(error),
});
process.once("exit", () => {
  port.close();
  library.cleanup();
});

const speech = speechLike(new Random(1), SPEECH_S, RATE_HZ);
const frames = Array.from({ length: Math.floor(speech.length / FRAME_SAMPLES) }, (_, n) =>
  pcmBytes(speech.subarray(n * FRAME_SAMPLES, (n + 1) * FRAME_SAMPLES)),
);
const probe = new ServerProbe();
let decoded = 0;
const peers = new Slots<{ call: AnsweredCall; frame: number }>((peer) => {
  const { transport, wire } = peer.call;
  transport.send(wire.encodeAudio(frames[peer.frame % frames.length] as Uint8Array), true);
  transport.tick();
  peer.frame += 1;
});

serve<TransportQuestions>({
  answer(sdp) {
    const call = answerOffer(port, sdp, codecs, () => {
      decoded += 1;
    });
    // No two say the same at the same time.
    const frame = 7 * peers.count;
    void call.connected.then(() => peers.add({ call, frame }));
    return call.answer;
  },
  sample: () => ({ ...probe.sample(), decoded }),
  collect() {
    collectGarbage();
    return undefined;
  },
});
