import { readdirSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { systemClock } from "../../../src/core/clock.ts";
import type { CallId } from "../../../src/core/ids.ts";
import type { ListedEvent } from "../../../src/record/events/event-list.ts";
import { EventPager } from "../../../src/record/events/event-pages.ts";
import { RawCaller } from "../../callers/raw-caller.ts";
import { ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";
import { type MediaService, mediaService } from "../../support/services/media-service.ts";
import { allBytes } from "../../support/temporary-directory.ts";

/** A word in the prompt, in the greeting, in the caller's speech and in the LLM's reply. */
const CANARY = /canary/i;
const SPOKEN: Partial<CallSpec> = {
  systemPrompt: "You sell a canary.",
  greeting: "Hello, canary.",
  interruptible: true,
};
/** The mark after the first segment of the reply. */
const ANSWERED = '"name":"2.0"';

let service: MediaService;
afterEach(() => service.close());

/** Runs a call in which both sides say the word, and hangs up. */
async function hold(spec: Partial<CallSpec>): Promise<{ callId: CallId; events: readonly ListedEvent[] }> {
  const clock = systemClock;
  const stt = new ScriptedStt(clock, [{ atMs: 300, event: { kind: "final", text: "how is the canary" } }]);
  const llm = new ScriptedLlm(clock, [textReply("The canary sings.")]);
  service = await mediaService({ stt, llm });
  const { callId, token } = await service.create(spec);
  const caller = await RawCaller.start(`${service.url}/stream/${token}`);
  caller.sendFrames(10);
  for (let answered = false; !answered; ) {
    const frame = await caller.ws.readFrame();
    if (frame === undefined) throw new Error("the stream ended before the answer");
    answered = frame.payload.includes(ANSWERED);
  }
  caller.hangUp();
  await service.ended(callId);
  const { events, more } = await new EventPager(service.directory).page(callId, 0, 10_000);
  expect(more).toBe("never");
  expect(events.at(-1)).toMatchObject({ kind: "end", reason: "caller_hangup" });
  return { callId, events };
}

describe("a call that is removed", () => {
  test("leaves no byte of its prompt, its words or its idempotency key", async () => {
    const { callId, events } = await hold(SPOKEN);
    const { directory, finalizer, stores, accountId } = service;
    expect(events).toContainEqual(expect.objectContaining({ kind: "stt-final", text: "how is the canary" }));
    expect(events).toContainEqual(expect.objectContaining({ kind: "speak", text: "Hello, canary." }));
    expect(events).toContainEqual(expect.objectContaining({ kind: "speak", text: "The canary sings." }));
    expect(readdirSync(`${directory}/journals`)).toHaveLength(1);
    // With its waveform.
    expect(readdirSync(`${directory}/recordings`)).toHaveLength(2);
    expect(allBytes(`${directory}/journals`)).toMatch(CANARY);

    // As DELETE does: the files first, then the rows.
    await finalizer.deleteFiles(callId);
    for (const folder of ["journals", "recordings"]) expect(readdirSync(`${directory}/${folder}`)).toEqual([]);
    await stores.calls.remove(accountId, callId);
    expect(allBytes(directory)).not.toMatch(CANARY);
    expect(await isOnlyAudited(callId)).toBe(true);

    // Its worker may report its end again.
    finalizer.finalize(callId);
    await finalizer.idle();
    expect(await isOnlyAudited(callId)).toBe(true);
    expect(service.logged.join("")).not.toMatch(CANARY);
  });

  test("and that was not recorded, had left no word before, neither on the disk nor in its events", async () => {
    const { callId, events } = await hold({ ...SPOKEN, transcriptEnabled: false, recordingEnabled: false });
    const { directory, finalizer, stores, accountId } = service;
    expect(events).toContainEqual(expect.objectContaining({ kind: "stt-final", text: "", chars: 17 }));
    expect(JSON.stringify(events)).not.toMatch(CANARY);
    expect(allBytes(directory)).not.toMatch(CANARY);
    await finalizer.deleteFiles(callId);
    await stores.calls.remove(accountId, callId);
    expect(await isOnlyAudited(callId)).toBe(true);
  });

  /** The id of a deleted call stays in the audit log, which says who deleted it, and nowhere else. */
  async function isOnlyAudited(callId: CallId): Promise<boolean> {
    const { stores, accountId } = service;
    const tables: string[] = [];
    await stores.transfer.export(async ({ table, row }) => {
      if (JSON.stringify(row).includes(callId)) tables.push(table);
    });
    const { events } = await stores.audit.list(accountId, { limit: 10 });
    return String(tables) === "audit_events" && events.some(({ target }) => target.id === callId);
  }
});
