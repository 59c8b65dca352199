import { expect, test } from "vitest";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { leg } from "../../callers/leg.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";

test("what passes while the recording is paused is not listened to, of either side", async () => {
  const clock = new ManualClock();
  const stt = new ScriptedStt(clock, []);
  const llm = new ScriptedLlm(clock, [textReply("Thank you.")]);
  // The greeting lasts for longer than the pause.
  const greeting = "Hello. ".repeat(40);
  const held = leg({ stt, llm, shared: { clock, ticker: new Ticker(clock) }, spec: { greeting } });
  const frames = { caller: 0, agent: 0 };
  const since = (): { caller: number; agent: number } => {
    const passed = { ...frames };
    Object.assign(frames, { caller: 0, agent: 0 });
    return passed;
  };
  held.connection.setTap({
    caller: (samples) => {
      expect(samples).toHaveLength(160);
      frames.caller += 1;
    },
    agent: (bytes) => {
      expect(bytes).toHaveLength(160);
      frames.agent += 1;
    },
    agentCleared: () => {},
    tick: () => {},
    callOver: () => {},
  });
  held.start();
  await held.listen(1_000);
  const before = since();
  expect(before.caller).toBeGreaterThan(40);
  expect(before.agent).toBeGreaterThan(40);
  expect(held.connection.changeRecording({ kind: "pause-recording" })).toBe("done");
  since();
  await held.listen(1_000);
  expect(since()).toEqual({ caller: 0, agent: 0 });
  held.connection.setTap(undefined);
  held.connection.closed(1_000, false);
  await held.listen(100);
});
