import { systemClock } from "../../src/core/clock.ts";
import { MEDIA_SERVERS } from "../../src/gateway/server/media-server.ts";
import type { Stt } from "../../src/speech/contracts.ts";
import { createReferenceLlm } from "../../src/speech/reference/llm.ts";
import { poolOf } from "../../test/support/providers/tts-pool.ts";
import { INLINE_TOOL_CHOICE } from "../../test/support/stubs/inline-schemas.ts";
import { serve } from "../rig/child-process.ts";
import { machineMonotonicMs } from "../rig/monotonic.ts";
import type { PhaseOptions, ServerAddress, ServerReport, ServiceQuestions } from "../rig/protocol.ts";
import { AGENT_SENTENCES } from "../rig/speech.ts";
import { BenchWorker } from "./bench-worker.ts";
import { conversationSpec, loadSpec } from "./handoff.ts";
import { FrameStamper } from "./observed-leg.ts";
import { CapturingStt, countingStt, endlessLlm, replayTts } from "./providers.ts";
import { ServerProbe } from "./server-probe.ts";
import { settleDues, TickClock } from "./tick-clock.ts";

// The worker under load: its engines cost next to nothing.

/** Its only argument is what serves. */
const mediaServer = MEDIA_SERVERS.find((name) => name === process.argv[2]) ?? "auto";
const probe = new ServerProbe();
const capturingStt = new CapturingStt();
const leanStt = countingStt(() => stopwatch.onSttFrame());
const clock = new TickClock();
let phase: PhaseOptions = { calls: 0, framesMax: 0, baseMs: 0, wire: "carrier_a", recorded: false };
let stopwatch = new FrameStamper(phase, clock);

/** Only full callers are understood; each STT is opened while its own call is observed, or is not. */
const stt: Stt = {
  provider: "bench",
  capabilities: capturingStt.capabilities,
  open: (options, signal) => (stopwatch.observing ? leanStt : capturingStt).open(options, signal),
};

const worker = await BenchWorker.start(clock, mediaServer, (admission, token) => {
  const call = worker.calls.indexOf(token);
  return call === undefined ? admission : stopwatch.observe(admission, call);
});

function begin(next: PhaseOptions): ServerAddress {
  phase = next;
  stopwatch = new FrameStamper(phase, clock);
  probe.begin();
  const spec = loadSpec(phase.wire, phase.recorded);
  return {
    port: worker.port,
    paths: Array.from({ length: phase.calls }, (_, index) => worker.calls.create(spec, index)),
  };
}

async function finish(): Promise<ServerReport> {
  const loopDelayMs = probe.finish();
  await worker.settled();
  const { toStt, due, written } = stopwatch;
  settleDues(due.data, written.data);
  return {
    loopDelayMs,
    service: {
      toStt: toStt.data,
      due: due.data,
      written: written.data,
      transcripts: capturingStt.takeTranscripts(),
      journalFailures: worker.journals.failures,
    },
  };
}

serve<ServiceQuestions>({
  prepare(speech) {
    const referenceLlm = createReferenceLlm(INLINE_TOOL_CHOICE);
    const sentences = speech.filter(({ text }) => AGENT_SENTENCES.includes(text));
    const endless = endlessLlm(sentences, systemClock);
    worker.use({
      stt,
      tts: poolOf(replayTts(speech)),
      llm: { model_a: endless, model_b: referenceLlm, model_c: referenceLlm },
    });
    return undefined;
  },
  begin,
  sample: () => probe.sample(),
  fullCall: () => worker.calls.create(conversationSpec(phase.wire, phase.recorded)),
  stall(forMs) {
    const fromMs = machineMonotonicMs();
    while (machineMonotonicMs() < fromMs + forMs);
    return { fromMs, toMs: machineMonotonicMs() };
  },
  finish,
});
