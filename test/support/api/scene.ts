import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { catalogueOf } from "../../../src/api/voices/catalogue.ts";
import type { Role } from "../../../src/core/accounts/roles.ts";
import type { Scope } from "../../../src/core/accounts/scopes.ts";
import { addMs, callMs } from "../../../src/core/clocks.ts";
import {
  asCallId,
  asPhoneNumberId,
  asTurnId,
  asWebhookId,
  type CallId,
  type CorpusId,
  type DocumentId,
} from "../../../src/core/ids.ts";
import { EVENT_STREAMS_MAX, EVENT_STREAMS_PER_ACCOUNT_MAX } from "../../../src/core/limits/control-api/events.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import { PeakMeter, waveformPath } from "../../../src/record/recording/waveform.ts";
import type { Voice } from "../../../src/speech/contracts.ts";
import { BY_SERVICE } from "../../../src/store/accounts/audit-store.ts";
import { TranscriptionAudio } from "../../../src/store/data-dir/transcription-audio.ts";
import { Keyring, sealingKeyOf } from "../../../src/store/sealing/seal.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { outboundCall } from "../../../src/telephony/machine/state.ts";
import { TURNS } from "../calls/stored-calls.ts";
import { START } from "../journals/example-call.ts";
import { JournalFile } from "../journals/journal-file.ts";
import { CORPUS, newDocument, readyDocument } from "../knowledge/stored.ts";
import { present } from "../present.ts";
import { createCarrier, importNumber, queuedCall } from "../telephony/stored.ts";
import { redeemedBy } from "../tokens.ts";
import { newTranscription, RESULT } from "../transcriptions/stored.ts";
import { ANY_STT } from "./any-stt.ts";
import { type ApiUnderTest, apiUnderTest } from "./harness.ts";

/** The voice that the examples of the API's document speak with. */
const VOICE = { id: "espeak/gmw/en-US", name: "English (America)", language: "en-US", provider: "espeak" };

const CALL = { systemPrompt: "The bakery is closed on Monday.", voice: VOICE.id, language: VOICE.language };
const AGENT = {
  name: "Bakery desk",
  basePrompt: "You are a baker, and speak with {{customer}}.",
  voiceId: VOICE.id,
  languageId: VOICE.language,
  variables: [
    { name: "customer", type: "string", default: "somebody" },
    { name: "loaves", type: "number", default: 1 },
  ],
  allowedOverrides: ["voice", "language", "maxDuration"],
};

export const WAV = Buffer.from("RIFF, and as many bytes after it as a header of 44 has, and some");

/** The API, and calls and agents of its account in every state, made as they are asked for. */
export class Scene {
  readonly api: ApiUnderTest;
  readonly #voices: Voice[];
  #users = 0;
  #numbers = 0;

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

  /** An agent whose version 1 is live, with a draft. */
  async agent(fields: object = {}): Promise<string> {
    const { id } = await this.#post("/api/v1/agents", { ...AGENT, ...fields });
    const changed = await this.api.patch(
      { context: "Bread costs a dollar.", autoPublish: false },
      {},
      `/api/v1/agents/${id}`,
    );
    if (changed.status !== 200) throw new Error(`the change of an agent answered ${changed.status}: ${changed.text}`);
    return id;
  }

  /** A transcription that is complete, or one that is queued, with its audio. */
  async transcription(status: "completed" | "queued" = "completed"): Promise<string> {
    const { accountId, stores, directory } = this.api;
    const { id } = await stores.transcriptions.create(newTranscription(accountId));
    const audio = await new TranscriptionAudio(directory).create(id);
    await audio.writeFile(WAV);
    await audio.close();
    if (status === "completed") await stores.transcriptions.end(id, { status, result: RESULT });
    return id;
  }

  /** A corpus with a document that is ready, unless another state is asked for. */
  async corpus(status: "ready" | "processing" = "ready"): Promise<{ id: CorpusId; documentId: DocumentId }> {
    const { accountId, stores } = this.api;
    const corpus = await stores.corpora.create(accountId, CORPUS);
    if (corpus === undefined) throw new Error("the account is full");
    const document = newDocument(accountId, corpus.id);
    if (status === "ready") await readyDocument(stores, document);
    else await stores.documents.create(document);
    return { id: corpus.id, documentId: document.id };
  }

  /** A live one whose stream has connected. */
  async liveTranscription(): Promise<string> {
    const created = await this.#post("/api/v1/transcriptions/live", { language: VOICE.language });
    const token = created.websocketUrl?.split("/").at(-1) ?? "";
    await this.api.stores.redemptions.redeem(hashSecret(token), redeemedBy("worker-1"));
    return created.id;
  }

  /** An API key besides the one that requests have. */
  async apiKey(): Promise<string> {
    const { accountId, stores } = this.api;
    return (await stores.apiKeys.create({ accountId, name: "another" })).record.id;
  }

  /** A person who has been invited, by default as a viewer. */
  async user(role: Role = "viewer"): Promise<string> {
    const { accountId, stores } = this.api;
    this.#users += 1;
    const email = `robin${this.#users}@example.com`;
    const invited = await stores.users.invite({ accountId, email, name: "Robin", role }, BY_SERVICE);
    if (invited === "exists") throw new Error(`${email} was invited before`);
    return invited.record.id;
  }

  /** A saved HTTP tool that was tested once. */
  async tool(): Promise<string> {
    const { id } = await this.#post("/api/v1/tools", {
      type: "http",
      name: "order_status",
      description: "Tells how far an order is.",
      parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
      http: { method: "GET", url: "https://api.example.com/orders/{order}" },
    });
    await this.api.post({ arguments: { order: "A-17" } }, {}, `/api/v1/tools/${id}/test`);
    return id;
  }

  /** A saved tool that a client of a call carries out. */
  async clientTool(): Promise<string> {
    const { id } = await this.#post("/api/v1/tools", {
      type: "client",
      name: "book_table",
      description: "Books a table.",
      parameters: { type: "object", properties: { people: { type: "integer" } } },
    });
    return id;
  }

  /** A secret of the account's tools. */
  async toolSecret(): Promise<string> {
    const { accountId, accountSecrets } = this.api;
    const secret = { kind: "tool_secret", name: "BAKERY", text: "0123456789abcdef", hosts: ["x.example"] } as const;
    return present(await accountSecrets.put(accountId, secret)).id;
  }

  /** An API key of the account at a provider. */
  async credential(): Promise<string> {
    const { accountId, accountSecrets } = this.api;
    const secret = { kind: "provider_credential", name: "openai", text: "sk-0123456789abcdef" } as const;
    return present(await accountSecrets.put(accountId, secret)).id;
  }

  /** An account at a carrier. */
  async carrier(): Promise<string> {
    const { accountId, stores } = this.api;
    return (await createCarrier(stores, accountId)).id;
  }

  /** A telephone number that is not attached. */
  async phoneNumber(): Promise<string> {
    const { accountId, stores } = this.api;
    this.#numbers += 1;
    const number = `+155501${String(this.#numbers).padStart(2, "0")}`;
    return (await importNumber(stores, await createCarrier(stores, accountId, { allowedCountries: ["US"] }), number))
      .id;
  }

  /** A telephone number that is attached. */
  async attachedNumber(): Promise<string> {
    const { accountId, stores } = this.api;
    const id = await this.phoneNumber();
    await stores.phoneNumbers.setAttached(accountId, asPhoneNumberId(id), { voice_url: "https://before.example/" });
    return id;
  }

  /** The key that sealed the credentials of all carriers is lost. */
  async loseCarrierKeys(): Promise<void> {
    await this.api.stores.forgetLostSecrets(new Keyring([sealingKeyOf(Buffer.alloc(32, 1))]), false);
  }

  /** An outbound telephone call that was not placed yet. */
  async queued(): Promise<string> {
    const { accountId, stores, clock } = this.api;
    const carrier = await createCarrier(stores, accountId);
    const made = await stores.phoneCalls.create(queuedCall(accountId, carrier.id, clock.epochMs()));
    if (made.kind !== "created") throw new Error(made.kind);
    return made.call.id;
  }

  /** An outbound telephone call that a worker carries, of a carrier that can send digits. */
  async livePhoneCall(): Promise<string> {
    const { accountId, stores, clock } = this.api;
    const nowMs = clock.epochMs();
    const credentials = { apiKey: "KEY0123456789", publicKey: "A".repeat(43).concat("="), connectionId: "1" };
    const carrier = await createCarrier(stores, accountId, { carrier: "carrier_b", credentials });
    const waiting = outboundCall({ takesDocuments: false, ringMsMax: 30_000 }, nowMs);
    const state = { ...waiting, phase: { at: "live", untilMs: addMs(nowMs, 60_000) } };
    const facts = { direction: "outbound", from: "+12025550100", to: "+12025550123" } as const;
    const made = await stores.phoneCalls.create(
      queuedCall(accountId, carrier.id, nowMs, { state, facts, carrierCallId: "v3:live" }),
    );
    if (made.kind !== "created") throw new Error(made.kind);
    return made.call.id;
  }

  /** The text of an API key of the account with these scopes. */
  async keyWith(scopes: readonly Scope[]): Promise<string> {
    const { accountId, stores } = this.api;
    return (await stores.apiKeys.create({ accountId, name: scopes.join(" "), scopes })).key;
  }

  /** A publishable key of an agent. */
  async publishableKey(): Promise<string> {
    const body = { name: "shop", agentIds: [await this.agent()], origins: ["https://shop.example"] };
    return (await this.#post("/api/v1/publishable-keys", body)).id;
  }

  /** From now on there is no room for another stream of events, of any account. They end with the API. */
  async openAllEventStreams(): Promise<void> {
    const { app, stores, metrics } = this.api;
    for (let account = 0; account < EVENT_STREAMS_MAX / EVENT_STREAMS_PER_ACCOUNT_MAX; account++) {
      const accountId = await stores.accounts.ensure(`account ${account}`);
      const { key } = await stores.apiKeys.create({ accountId, name: "streams" });
      for (let count = 0; count < EVENT_STREAMS_PER_ACCOUNT_MAX; count++) {
        void app.inject({ url: "/api/v1/events", headers: { "x-api-key": key } });
      }
    }
    const open = async () =>
      (await metrics.registry.getSingleMetric("trunkline_event_streams")?.get())?.values[0]?.value;
    while ((await open()) !== EVENT_STREAMS_MAX) await setImmediate();
  }

  /** A webhook for all events of calls, with a delivery that has failed for good. */
  async webhook(): Promise<{ id: string; deliveryId: string }> {
    const body = { url: "https://example.com/hook", eventTypes: ["call.created", "call.ended"] };
    const { id } = await this.#post("/api/v1/webhooks", body);
    await this.created();
    const { webhooks, accountId } = this.api;
    const page = await webhooks.listDeliveries(accountId, asWebhookId(id), { limit: 1 });
    const deliveryId = page?.deliveries[0]?.id;
    if (deliveryId === undefined) throw new Error("the call has a delivery");
    const answer = { status: 500, excerpt: "", tookMs: 1 };
    await webhooks.recordAttempt(deliveryId, { kind: "failed", answer, isGone: false });
    return { id, deliveryId };
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
  async ended(changes: { recordingEnabled?: boolean; transcriptEnabled?: boolean } = {}): Promise<string> {
    const { recordingEnabled = true, transcriptEnabled = true } = changes;
    const { stores, clock, directory, recordingPath } = this.api;
    const id = asCallId(
      await this.active({
        metadata: { order: "A-17" },
        selectedTools: [{ toolName: "hang_up" }],
        recordingEnabled,
        transcriptEnabled,
      }),
    );
    clock.advance(5_000);
    const path = journalPath(directory, id);
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(journal(id), path);
    if (recordingEnabled) {
      writeFileSync(recordingPath(id), WAV);
      await new PeakMeter(40_000, 8_000).write({ path: waveformPath(recordingPath(id)), key: undefined });
    }
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
      await this.queued(),
      await this.created(),
      await this.active(),
      await this.active({ connectionType: "websocket" }),
      await this.ended(),
      await this.ended({ recordingEnabled: false, transcriptEnabled: false }),
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
