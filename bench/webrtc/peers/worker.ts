import { systemClock } from "../../../src/core/clock.ts";
import { loadWebrtc } from "../../../src/gateway/webrtc/peer.ts";
import { loadRtpOpus } from "../../../src/media/opus/load.ts";
import { collectGarbage } from "../../../test/support/heap.ts";
import { poolOf } from "../../../test/support/providers/tts-pool.ts";
import { serve } from "../../rig/child-process.ts";
import type { LoopDelay, ServerSample } from "../../rig/protocol.ts";
import type { Rendered } from "../../rig/speech.ts";
import { BenchWorker } from "../../worker/bench-worker.ts";
import { loadSpec } from "../../worker/handoff.ts";
import { countingStt, endlessLlm, replayTts } from "../../worker/providers.ts";
import { ServerProbe } from "../../worker/server-probe.ts";
import { PacketTimes } from "./observed-port.ts";
import { PEER_UDP_PORTS } from "./ports.ts";

// A whole WebRTC worker: its providers cost next to nothing, everything else is what runs in production.

export type WebrtcWorkerQuestions = {
  /** The first question: everything that its agents will say. */
  prepare: { ask: readonly Rendered[]; answer: undefined };
  /** The address of the WebSocket of another call, whose agent speaks all the time. */
  create: { ask: undefined; answer: string };
  /** Packets are timed from now on. */
  begin: { ask: undefined; answer: undefined };
  /** How late they were since, ms, and the loop. */
  finish: { ask: undefined; answer: { lateMs: Float32Array; loopDelayMs: LoopDelay } };
  /** What the process has used. */
  sample: { ask: undefined; answer: ServerSample };
  /** Resolves when every call is over, with what the process has used once its garbage is collected. */
  settled: { ask: undefined; answer: ServerSample };
};

const HOST = "127.0.0.1";

const times = new PacketTimes();
const probe = new ServerProbe();
const { library, failure } = await loadWebrtc();
if (library === undefined) throw new Error(`node-datachannel cannot be loaded: ${failure}`);
const port = await library.openPort({
  ports: PEER_UDP_PORTS,
  bindAddress: HOST,
  clock: systemClock,
  onBug: (error) => console.error(error),
});
process.once("exit", () => {
  port.close();
  library.cleanup();
});
const worker = await BenchWorker.start(systemClock, "auto", undefined, async (opus) => ({
  port: times.observe(port),
  publicAddress: undefined,
  iceServersOf: () => [],
  rtpOpus: await loadRtpOpus(opus),
  socketOpus: opus,
}));
const spec = { ...loadSpec("carrier_a", false), connectionType: "webrtc" as const };

serve<WebrtcWorkerQuestions>({
  prepare(speech) {
    const llm = endlessLlm(speech, systemClock);
    worker.use({
      stt: countingStt(() => {}),
      tts: poolOf(replayTts(speech)),
      llm: { model_a: llm, model_b: llm, model_c: llm },
    });
    return undefined;
  },
  create: () => `ws://${HOST}:${worker.port}${worker.calls.create(spec)}`,
  begin() {
    times.begin();
    probe.begin();
    return undefined;
  },
  finish: () => ({ lateMs: times.finish(), loopDelayMs: probe.finish() }),
  sample: () => probe.sample(),
  async settled() {
    await worker.settled();
    collectGarbage();
    return probe.sample();
  },
});
