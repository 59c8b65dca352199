import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { catalogueOf } from "../../../src/api/voices/catalogue.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { asCallId, asTurnId, type CallId } from "../../../src/core/ids.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import type { Voice } from "../../../src/speech/contracts.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { TURNS } from "../calls/stored-calls.ts";
import { START } from "../journals/example-call.ts";
import { JournalFile } from "../journals/journal-file.ts";
import { redeemedBy } from "../tokens.ts";
import { ANY_STT } from "./any-stt.ts";
import { type ApiUnderTest, apiUnderTest } from "./harness.ts";

/** The voice that the examples of the API's document speak with. */
const VOICE = { id: "espeak/gmw/en-US", name: "English (America)", language: "en-US", provider: "espeak" };

const CALL = { systemPrompt: "The bakery is closed on Monday.", voice: VOICE.id, language: VOICE.language };
const AGENT = { name: "Bakery", basePrompt: "You are a baker.", voiceId: VOICE.id, languageId: VOICE.language };

export const WAV = Buffer.from("RIFF, and as many bytes after it as a header of 44 has, and some");

/** The API, and calls and agents of its account in every state, made as they are asked for. */
export class Scene {
  readonly api: ApiUnderTest;
  readonly #voices: Voice[];

  private constructor(api: ApiUnderTest, voices: Voice[]) {
    this.api = api;
    this.#voices = voices;
  }

  static async make(options: Parameters<typeof apiUnderTest>[1] = {}): Promise<Scene> {
    const voices = [VOICE];
    return new Scene(await apiUnderTest(catalogueOf({ voices: async () => voices }, ANY_STT), options), voices);
  }

  /** From now on there is no voice any more. */
  withdrawVoices(): void {
    this.#voices.length = 0;
  }

  async agent(): Promise<string> {
    return (await this.#post("/api/v1/agents", AGENT)).id;
  }

  async created(): Promise<string> {
    return (await this.#post("/api/v1/calls", CALL)).id;
  }

  async active(changes: object = {}): Promise<string> {
    const { id, websocketUrl = "" } = await this.#post("/api/v1/calls", { ...CALL, ...changes });
    await this.api.stores.redemptions.redeem(hashSecret(websocketUrl.split("/").at(-1) ?? ""), redeemedBy("worker-1"));
    return id;
  }

  /** With transcript, journal and recording; the last of them is left out when the call is not recorded. */
  async ended(changes: { recordingEnabled?: boolean } = {}): Promise<string> {
    const { recordingEnabled = true } = changes;
    const { stores, clock, directory, recordingPath } = this.api;
    const id = asCallId(
      await this.active({
        metadata: { order: "A-17" },
        selectedTools: [{ toolName: "hang_up" }],
        recordingEnabled,
      }),
    );
    clock.advance(5_000);
    const path = journalPath(directory, id);
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(journal(id), path);
    if (recordingEnabled) writeFileSync(recordingPath(id), WAV);
    await stores.calls.finish(id, {
      status: "ended",
      endReason: "caller_hangup",
      endedAtMs: clock.epochMs(),
      durationMs: 5_000,
      turns: TURNS,
      counters: { malformed: 1 },
    });
    if (recordingEnabled) {
      await stores.calls.setRecording(id, { channels: 2, sampleRateHz: 8_000, durationMs: 5_000, complete: true });
    }
    return id;
  }

  /** One of each: a call in every state that can be seen from outside. */
  async callOfEveryKind(): Promise<string[]> {
    const expired = await this.created();
    this.api.clock.advance(60_000);
    await this.api.stores.calls.expire();
    return [
      expired,
      await this.created(),
      await this.active(),
      await this.active({ connectionType: "websocket" }),
      await this.ended(),
      await this.ended({ recordingEnabled: false }),
    ];
  }

  async #post(path: string, body: object): Promise<{ id: string; websocketUrl?: string }> {
    const answer = await this.api.post(body, {}, path);
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.body as { id: string; websocketUrl?: string };
  }
}

/** The file of a short call's journal, with an interruption in it. */
function journal(callId: CallId): string {
  const frame = new Uint8Array(160);
  return new JournalFile({ ...START, callId })
    .add({ kind: "event", timeMs: callMs(0), event: { kind: "leg-started", codec: "mulaw" } })
    .add({
      kind: "command",
      timeMs: callMs(0),
      command: { kind: "speak", turnId: asTurnId(1), segment: 0, text: "Good evening." },
    })
    .add({ kind: "command", timeMs: callMs(0), command: { kind: "state", state: "speaking" } })
    .add({
      kind: "event",
      timeMs: callMs(9),
      event: {
        kind: "segment-audio",
        turnId: asTurnId(1),
        segment: 0,
        samples: 800,
        words: [{ text: "Good", startMs: 0, endMs: 40 }],
      },
    })
    .frameOut(20, frame)
    .frameIn(40, 20, frame)
    .add({ kind: "event", timeMs: callMs(60), event: { kind: "stt-interim", text: "wait" } })
    .add({
      kind: "command",
      timeMs: callMs(60),
      command: { kind: "cancel-reply", turnId: asTurnId(1), clear: true, reason: "words", speechMs: 0, heardText: "" },
    })
    .add({ kind: "event", timeMs: callMs(80), event: { kind: "stt-final", text: "wait" } })
    .add({
      kind: "command",
      timeMs: callMs(80),
      command: { kind: "generate-reply", turnId: asTurnId(2), messages: 2, language: "en" },
    })
    .add({
      kind: "command",
      timeMs: callMs(90),
      command: {
        kind: "turn",
        turn: { role: "user", text: "wait", startMs: callMs(20), endMs: callMs(60), interrupted: false },
      },
    })
    .add({ kind: "event", timeMs: callMs(4_990), event: { kind: "leg-closed", reason: "caller_hangup" } })
    .end(5_000).path;
}
