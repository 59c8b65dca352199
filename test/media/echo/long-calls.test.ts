import { expect, test } from "vitest";
import { callMs, mediaMs } from "../../../src/core/clocks.ts";
import { EchoDetector } from "../../../src/media/echo/echo-detector.ts";
import { MU_LAW } from "../../../src/media/g711.ts";
import { addEcho, throughMulaw } from "../../support/audio/echo-line.ts";
import { speechLike } from "../../support/audio/speech-like.ts";
import { Random } from "../../support/random.ts";

const RATE_HZ = 8_000;
const REPLY_S = 8;

test("an hour of replies is judged as the first minute is, by a caller's clock that is 50 ppm slow", () => {
  const detector = new EchoDetector({ codec: "mulaw", outboundRateHz: RATE_HZ });
  const agent = speechLike(new Random(6), REPLY_S);
  const line = new Float64Array(10 * RATE_HZ);
  addEcho(new Random(106), line, agent, { gainDb: -20, delayMs: 170 });
  const caller = throughMulaw(line);
  const frames = Array.from({ length: agent.length / 160 }, (_, i) =>
    Uint8Array.from(agent.subarray(i * 160, (i + 1) * 160), (sample) => MU_LAW.encodeTable[sample & 0xffff] as number),
  );
  let speechFrames = 0;
  for (let i = 0; i < 3_600 * 50; i += 1) {
    const inReply = i % 500;
    const sent = frames[inReply];
    if (sent !== undefined) detector.sent(sent, callMs(i * 20));
    const samples = caller.subarray(inReply * 160, (inReply + 1) * 160);
    const isVoiced = samples.some((sample) => Math.abs(sample) > 100);
    const verdict = detector.judge(samples, isVoiced, mediaMs(i * 20 * (1 - 50e-6)), callMs(i * 20 + 20));
    if (isVoiced && verdict === "other") speechFrames += 1;
  }
  expect(speechFrames).toBeLessThan(20);
});
