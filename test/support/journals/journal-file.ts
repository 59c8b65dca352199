import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EndReason } from "../../../src/core/calls/reasons.ts";
import { callMs, mediaMs } from "../../../src/core/clocks.ts";
import { asTurnId } from "../../../src/core/ids.ts";
import { JournalEncoder } from "../../../src/record/journal/format.ts";
import type { JournalRecord, JournalStart } from "../../../src/record/journal/records.ts";
import { journalHeader } from "../../../src/record/journal/redact.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { START } from "./example-call.ts";

/** A journal that a test writes record by record, as they stand: nothing is redacted. */
export class JournalFile {
  readonly path: string;
  readonly #encoder = new JournalEncoder();

  constructor(start: JournalStart = START, path = join(temporaryDirectory(), "call.tlj")) {
    this.path = path;
    mkdirSync(dirname(path), { recursive: true });
    this.#encoder.header(journalHeader("trunkline test", start));
    writeFileSync(this.path, this.#encoder.written());
  }

  add(...records: Exclude<JournalRecord, { kind: "header" }>[]): this {
    this.#encoder.reset();
    for (const record of records) encode(this.#encoder, record);
    appendFileSync(this.path, this.#encoder.written());
    return this;
  }

  frameIn(timeMs: number, positionMs: number, audio: Uint8Array): this {
    return this.add({
      kind: "frame-in",
      timeMs: callMs(timeMs),
      mediaMs: mediaMs(positionMs),
      isSpeech: true,
      audio,
      audioOmitted: false,
    });
  }

  frameOut(timeMs: number, audio: Uint8Array, samples = audio.length): this {
    return this.add({
      kind: "frame-out",
      timeMs: callMs(timeMs),
      turnId: asTurnId(1),
      samples,
      audio,
      audioOmitted: false,
    });
  }

  end(timeMs: number, reason: EndReason = "caller_hangup"): this {
    return this.add({ kind: "command", timeMs: callMs(timeMs), command: { kind: "end", reason } });
  }
}

export function encode(encoder: JournalEncoder, record: JournalRecord): void {
  switch (record.kind) {
    case "header":
      encoder.header(record.header);
      return;
    case "frame-in":
      encoder.frameIn(record.timeMs, record.mediaMs, record.isSpeech, record.audio, record.audioOmitted);
      return;
    case "frame-out":
      encoder.frameOut(record.timeMs, record.turnId, record.samples, record.audio, record.audioOmitted);
      return;
    case "attached":
      encoder.attached(record.timeMs, record.attachment);
      return;
    case "event":
      encoder.event(record.timeMs, record.event);
      return;
    case "command":
      encoder.command(record.timeMs, record.command);
      return;
  }
}
