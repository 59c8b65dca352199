import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { PauseProsody } from "../../../src/gateway/agent/pause-prosody.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import type { Prosody } from "../../../src/media/prosody/prosody.ts";
import { websocketLeg } from "../../callers/websocket-leg.ts";
import { vowelAt } from "../../support/audio/vowel.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";

const FRAME = new Int16Array(160);
const JUDGED: Prosody = {
  quietMs: 40,
  soundMs: 0,
};

/** With these frames, "v" voiced and "." not, a sound comes back with "s": at which frames something is said of the pause. */
function judgedAt(frames: string, isWanted = true): number[] {
  const tracker = { frame: () => false, atPause: () => JUDGED };
  const prosody = new PauseProsody(tracker);
  return [...frames].flatMap((kind, at) => {
    tracker.frame = () => kind === "s";
    return prosody.frame(FRAME, kind === "v", isWanted) === undefined ? [] : [at];
  });
}

describe("the voice before a pause", () => {
  test("is judged once a pause, after 60 ms", () => {
    expect(judgedAt("vvv..vv........vv...")).toEqual([9, 19]);
  });

  test("is judged again where a sound comes back in the pause", () => {
    expect(judgedAt("vvv.....s..")).toEqual([5, 8]);
    expect(judgedAt("vvv.s......")).toEqual([5]);
  });

  test("is not judged where that is not wanted", () => {
    expect(judgedAt("vvv........", false)).toEqual([]);
  });

  const RATE_HZ = 16_000;
  const pcm = (samples: Int16Array): Uint8Array => new Uint8Array(samples.buffer);

  test("is an event of the call, which ends the turn by all that is known", async () => {
    const clock = new ManualClock();
    const events: string[] = [];
    const summaries: string[] = [];
    const stt = new ScriptedStt(clock, [{ atMs: 900, event: { kind: "interim", text: "are you open on sunday" } }]);
    const call = websocketLeg({
      shared: { clock, ticker: new Ticker(clock) },
      spec: { firstSpeaker: "user", inactivityTimeoutMs: 300_000 },
      parameters: DEFAULT_TURN_PARAMETERS,
      stt,
      llm: new ScriptedLlm(clock, [textReply("We are.")]),
      tamper({ journal }) {
        const { event, command } = journal;
        journal.event = (atMs, journaled) => {
          events.push(journaled.kind);
          event.call(journal, atMs, journaled);
        };
        journal.command = (atMs, journaled) => {
          if (journaled.kind === "turn-ended") summaries.push(journaled.summary);
          command.call(journal, atMs, journaled);
        };
      },
    });
    for (let frame = 0; frame < 125; frame += 1) {
      const isVoice = frame < 60;
      const samples = Int16Array.from({ length: RATE_HZ / 50 }, (_, i) =>
        isVoice ? vowelAt(frame / 50 + i / RATE_HZ) : 0,
      );
      await clock.play(20);
      call.audio(pcm(samples));
    }
    expect(events.filter((kind) => kind === "prosody").length).toBeGreaterThanOrEqual(1);
    expect(summaries).toEqual([expect.stringMatching(/^answered after \d+ ms/)]);
  });
});
