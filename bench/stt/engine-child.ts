/** The program of the process in which the bench runs the engine; engine-process.ts starts it. */
import { loadSpeechModel } from "../../src/speech/local/engine/load.ts";
import type { Answer, Question } from "./engine-process.ts";

const send = (answer: Answer): void => void process.send?.(answer);
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const model = await loadSpeechModel(undefined);
send({
  kind: "loaded",
  name: model.name,
  loadMs: performance.now(),
  cpuMs: cpuMs(),
  residentBytes: process.memoryUsage.rss(),
});

process.on("message", async ({ samples }: Question) => {
  const beforeMs = cpuMs();
  const { text, averageLogProbability } = await model.transcribe(samples, { language: "en", shouldStop: () => false });
  const largestBytes = process.resourceUsage().maxRSS * 1_024;
  send({ kind: "heard", text, averageLogProbability, cpuMs: cpuMs() - beforeMs, largestBytes });
});
