import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import { TOOLS_RUNNING_MAX } from "../../../src/core/limits/agents/tools.ts";
import { TURN_TEXT_CHARS_MAX } from "../../../src/core/limits/calls/calls.ts";
import { JOURNAL_BACKLOG_BYTES_MAX } from "../../../src/core/limits/storage/storage.ts";
import { FRAME_MS, OUTPUT_RING_FRAMES_MAX } from "../../../src/core/limits/streams/media.ts";
import type { Chronicle } from "../observer/chronicle.ts";
import { type Facts, isOver } from "../observer/facts.ts";
import type { OpenStreams } from "../providers/open-streams.ts";
import { CHUNK_MS_MAX } from "../providers/tts.ts";
import type { Rule } from "./rule.ts";

/** When the TTS is no longer pulled, it has emitted a chunk that does not fit. The resampler's delay is included. */
const SPEECH_MS_MAX = OUTPUT_RING_FRAMES_MAX * FRAME_MS + CHUNK_MS_MAX + FRAME_MS;

export interface QueuesOptions {
  facts: Facts;
  chronicle: Chronicle;
  streams: OpenStreams;
  /** Bytes of the journal that are not in its file. */
  pendingBytes(): number;
}

/** What waits in a call stays within its bounds, whatever the others do. */
export class Queues implements Rule {
  readonly #options: QueuesOptions;
  /** The LLM's text since its request. */
  #textChars = 0;

  constructor(options: QueuesOptions) {
    this.#options = options;
  }

  event(event: CallEvent): void {
    if (event.kind === "stt-final" || event.kind === "stt-interim") this.#check("words", event.text.length, CHARS_MAX);
    if (event.kind !== "reply-text") return;
    this.#textChars += event.text.length;
    this.#check("characters of one answer", this.#textChars, CHARS_MAX);
  }

  command(command: CallCommand): void {
    if (command.kind === "generate-reply") this.#textChars = 0;
  }

  inspect(): void {
    const { facts, streams, pendingBytes } = this.#options;
    this.#check("bytes for the disk", pendingBytes(), JOURNAL_BACKLOG_BYTES_MAX);
    this.#check("tools", streams.owners.filter((owner) => owner === "tool").length, TOOLS_RUNNING_MAX);
    const { reply } = facts;
    if (reply === undefined || isOver(reply)) return;
    const givenMs = reply.segments.reduce((sum, { spoken }) => sum + (spoken?.givenMs ?? 0), 0);
    this.#check("ms of speech that was not sent", givenMs - reply.sentFrames * FRAME_MS, SPEECH_MS_MAX);
  }

  #check(what: string, count: number, max: number): void {
    if (count > max) this.#options.chronicle.violated("what waits stays within its bounds", `${count} ${what}`);
  }
}

const CHARS_MAX = TURN_TEXT_CHARS_MAX;
