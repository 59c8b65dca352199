import { readFileSync } from "node:fs";
import type { CarrierName } from "../../../src/carriers/list.ts";
import type { MediaLayout } from "../../../src/carriers/media-scanner.ts";
import type { FrameCodec } from "../../../src/media/frame-codec.ts";
import type { G711Codec, Wire } from "../../../src/wire/wire.ts";

/** One message of a WebSocket. */
export interface WireMessage {
  bytes: Uint8Array;
  isBinary: boolean;
}

/** One dialect with what the tests of every dialect must know of it: how its peer says things, and how we must. */
export interface WireUnderTest {
  name: string;
  /** `decodeFully`: what `decode` means, of a dialect that has a short cut. */
  make(): Wire & { decodeFully?: Wire["decode"] };
  /** One whole stream as its peer sends it. */
  messages: readonly WireMessage[];
  /** What that stream's audio is kept in. */
  inbound: FrameCodec;
  /** What an independent decoder makes of all audio of a stream. */
  heard(audio: readonly WireMessage[]): { samples: Int16Array; bytes: Uint8Array };
  /** The member that says what a text message is. */
  kindKey: string;
  mark(name: unknown): object;
  dtmf(digit: unknown): object;
  stop(): object;
  /** How long that may be. */
  stopBytesMax: number;
  /** The codes of refusals that are more than `wire_malformed`, where they are. */
  refusals: { notAnObject: string; tooLong: string };
  /** What we say, byte for byte. */
  sent: {
    mark(name: string): string;
    clear(): string;
    /** Whether a message holds the frame that was kept as `bytes`. */
    holds(message: Uint8Array, bytes: Uint8Array): boolean;
  };
}

/** A dialect of G.711 as base64 in JSON, whose stream begins with a message and has an id. */
export interface CarrierUnderTest extends WireUnderTest {
  connectionType: CarrierName;
  make(): Wire & { decodeFully: Wire["decode"] };
  /** The stream's messages as texts, the start of it as `start` says it. */
  lines: readonly string[];
  streamId: string;
  callId: string;
  inbound: G711Codec;
  /** How that stream's audio is written. */
  layouts: readonly MediaLayout[];
  /** How many inbound frames of that stream are written otherwise. */
  unusual: number;
  start(streamId: unknown, callId?: unknown): Record<string, unknown>;
  /** A start with these parameters, of any JSON, as the carrier writes them. */
  startWith(parameters: unknown): Record<string, unknown>;
  /** The members of `media` that say which audio it is, as the carrier writes them. */
  place(chunk: number, atMs: number): object;
  /** Three bytes of audio that come in, with the members of `media` on top. */
  media(media: object, streamId?: unknown): Record<string, unknown>;
  mark(name: unknown, streamId?: unknown): object;
  dtmf(digit: unknown, streamId?: unknown): object;
  stop(streamId?: unknown): object;
  sent: WireUnderTest["sent"] & {
    audio(payload: string, streamId?: string): string;
    mark(name: string, streamId?: string): string;
    clear(streamId?: string): string;
  };
}

/** The lines of one file under `fixtures`; fixtures/README.md says where each file came from. */
export const fixtureLines = (name: string): string[] =>
  linesOf(readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), "utf8"));

export const linesOf = (text: string): string[] => text.trim().split("\n");

/** A message from a line of a fixture: a text as it stands, binary data as `{"binary":"<base64>"}`. */
export function messageOf(line: string): WireMessage {
  const { binary } = JSON.parse(line);
  if (typeof binary === "string") return { bytes: Buffer.from(binary, "base64"), isBinary: true };
  return { bytes: Buffer.from(line), isBinary: false };
}

/** The texts among a stream's messages. */
export const textsOf = ({ messages }: WireUnderTest): string[] =>
  messages.filter(({ isBinary }) => !isBinary).map(({ bytes }) => Buffer.from(bytes).toString());
