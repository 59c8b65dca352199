import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { conversation, readRecording, telephone, utterance, wordsIn } from "../../callers/telephone.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PROMPT = "On Monday everybody sleeps.";
const QUESTION = "Open on Monday?";
const GOODBYE = "Goodbye!";
/** The reference LLM's own. */
const LEAVE = "Thank you for calling. Goodbye!";

test("a listener hears both sides of a live call, the caller left and the agent right, until the call ends", {
  retry: ifMachineStalled,
}, async () => {
  const [service, ...lines] = await Promise.all([Service.start(), utterance(QUESTION), utterance(GOODBYE)]);
  const { id, websocketUrl } = await service.createCall({ systemPrompt: PROMPT, firstSpeaker: "user" });
  const path = join(temporaryDirectory(), "heard.wav");
  const listener = spawn(process.execPath, [`${ROOT}/examples/listen.mjs`, id, path], {
    env: { ...process.env, TRUNKLINE_URL: service.apiUrl, TRUNKLINE_API_KEY: service.apiKey },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  listener.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const over = once(listener, "close");
  const [ask, leave] = conversation(lines).filter((step) => step.do === "say");
  if (ask === undefined || leave === undefined) throw new Error("two lines");
  // The listener asks once a second until the call is live.
  const script = [{ do: "stay", untilMs: 2_500 }, ask, { do: "listen" }, leave, { do: "await-hang-up" }] as const;
  await telephone(websocketUrl, script);
  expect(await over).toEqual([0, null]);
  expect(said).toContain("s heard, call_ended");
  const { left, right, rateHz } = readRecording(readFileSync(path));
  expect(rateHz).toBe(8_000);
  expect(wordsIn(left).join(" ")).toBe(`${QUESTION} ${GOODBYE}`);
  expect(wordsIn(right).join(" ")).toBe(`${PROMPT} ${LEAVE}`);

  await service.ended(id);
  await service.withRecording(id);
  const get = async (what: string): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${service.apiUrl}/api/v1/calls/${id}/${what}`, {
      headers: { "X-API-Key": service.apiKey },
    });
    expect([what, answer.status]).toEqual([what, 200]);
    return (await answer.json()) as Record<string, unknown>;
  };
  expect(await get("replay-check")).toMatchObject({ identical: true, truncated: false, difference: null });
  const { caller, agent } = (await get("waveform?buckets=10")) as { caller: number[]; agent: number[] };
  expect([caller.length, agent.length]).toEqual([10, 10]);
  expect(Math.max(...caller)).toBeGreaterThan(1_000);
  expect(Math.max(...agent)).toBeGreaterThan(1_000);
});
