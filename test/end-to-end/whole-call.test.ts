import { beforeAll, expect, test } from "vitest";
import { Service } from "../support/service.ts";
import { conversation, readRecording, telephone, utterance, wordsIn } from "../support/telephone.ts";

let service: Service;
beforeAll(async () => {
  const t0 = performance.now();
  service = await Service.start();
  console.log("start", performance.now() - t0);
});

test("probe", async () => {
  const t0 = performance.now();
  const lines = [await utterance("Closed on Monday?"), await utterance("Goodbye!")];
  console.log("utter", performance.now() - t0);
  const { id, websocketUrl } = await service.createCall({ greeting: "Hello there." });
  const placed = await telephone(websocketUrl, conversation(lines));
  console.log("call", performance.now() - t0);
  const rec = await service.ended(id);
  console.log("rec", performance.now() - t0, rec);
  console.log(placed.caller, await service.transcript(id));
  const r = readRecording((await service.recording(id)).bytes);
  console.log(r.durationMs, wordsIn(r.left), wordsIn(r.right));
  console.log(service.pid("worker"), service.pid("control"), service.process.living());
  console.log(await service.stop(), service.process.living());
  console.log(service.process.stdout, service.process.stderr);
});
