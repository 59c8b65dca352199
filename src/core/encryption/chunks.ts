import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { TrunklineError } from "../errors.ts";
import type { CallId } from "../ids.ts";

/*
 * An encrypted file, little-endian throughout, with the chunks of STREAM (Hoang, Reyhanitabar, Rogaway and Vizár, 2015):
 *
 *   file    "TLKM"  u8 version  u8 content  u16 zero  32 bytes of salt  | chunk | chunk | ...
 *   chunk   u32 length of the plain bytes, its top bit set in the final chunk  | ciphertext | 16 bytes of tag
 *
 * The key of a file is derived from its call's media key by HKDF-SHA256 with the salt, so that two files of one call,
 * or two attempts to write one, never use a nonce twice. Each chunk is AES-256-GCM. Its nonce and its additional data
 * are its number and whether it is the final one; the additional data also name the call and the content.
 */
const MAGIC = Buffer.from("TLKM");
const VERSION = 1;
const SALT_BYTES = 32;
const CIPHER = "aes-256-gcm";
const FINAL_BIT = 0x8000_0000;
const NONCE_BYTES = 12;

export const MEDIA_KEY_BYTES = 32;
export const FILE_HEAD_BYTES = 8 + SALT_BYTES;
/** The length of a chunk stands before it. */
export const CHUNK_HEAD_BYTES = 4;
const TAG_BYTES = 16;
/** What a chunk takes beyond its plain bytes. */
export const CHUNK_OVERHEAD_BYTES = CHUNK_HEAD_BYTES + TAG_BYTES;

/** What an encrypted file holds; the numbers are in its head. */
const CONTENTS = { journal: 1, recording: 2, waveform: 3 } as const;
export type MediaContent = keyof typeof CONTENTS;

/** The key of a call's journal, recording and waveform. */
export interface MediaKey {
  callId: CallId;
  /** MEDIA_KEY_BYTES. */
  bytes: Uint8Array;
}

/** A file of a call's media; with a key it must be encrypted, without one it must not be. */
export interface MediaFile {
  path: string;
  key: MediaKey | undefined;
}

/** An encrypted file is missing its key, or is not what its writer wrote. */
export const mediaUnreadable = (what: string, cause?: unknown): TrunklineError =>
  new TrunklineError("media_unreadable", "service", `the encrypted file cannot be read: ${what}`, { cause });

/** A new key from the CSPRNG. */
export const newMediaKey = (callId: CallId): MediaKey => ({ callId, bytes: randomBytes(MEDIA_KEY_BYTES) });

/** A key as text: base64url. */
export const mediaKeyText = ({ bytes }: MediaKey): string => Buffer.from(bytes).toString("base64url");

/** The key of a text. Throws `media_unreadable` when it has another length. */
export function mediaKeyOf(callId: CallId, text: string): MediaKey {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length !== MEDIA_KEY_BYTES) throw mediaUnreadable(`its key does not have ${MEDIA_KEY_BYTES} bytes`);
  return { callId, bytes };
}

/** Whether a file that begins with these bytes is encrypted. */
export const isEncrypted = (head: Uint8Array): boolean => MAGIC.equals(head.subarray(0, MAGIC.length));

/** Whether a file that so far has only these bytes may become an encrypted one. */
export const mayBecomeEncrypted = (head: Uint8Array): boolean =>
  head.length < FILE_HEAD_BYTES && MAGIC.subarray(0, head.length).equals(head.subarray(0, MAGIC.length));

/** Encrypts the chunks of one file, in order. */
export class ChunkSealer {
  readonly #keys: FileKeys;
  readonly #head: Buffer;
  #number = 0;
  #isFinal = false;

  constructor(key: MediaKey, content: MediaContent) {
    const head = Buffer.alloc(FILE_HEAD_BYTES);
    MAGIC.copy(head);
    head.writeUInt8(VERSION, MAGIC.length);
    head.writeUInt8(CONTENTS[content], MAGIC.length + 1);
    randomBytes(SALT_BYTES).copy(head, FILE_HEAD_BYTES - SALT_BYTES);
    this.#head = head;
    this.#keys = new FileKeys(key, content, head);
  }

  /** The final chunk has been sealed. */
  get isFinal(): boolean {
    return this.#isFinal;
  }

  /** The next bytes of the file: a chunk, and before the first the file's head. Nothing may follow the final chunk. */
  seal(plain: Uint8Array, isFinal: boolean): Uint8Array {
    if (this.#isFinal) throw new Error("the final chunk is sealed");
    const headBytes = this.#number === 0 ? FILE_HEAD_BYTES : 0;
    const sealed = Buffer.allocUnsafeSlow(headBytes + CHUNK_OVERHEAD_BYTES + plain.length);
    if (headBytes > 0) this.#head.copy(sealed);
    sealed.writeUInt32LE(isFinal ? (plain.length | FINAL_BIT) >>> 0 : plain.length, headBytes);
    const { key, nonce, context } = this.#keys.chunk(this.#number, isFinal);
    const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(context);
    sealed.set(cipher.update(plain), headBytes + CHUNK_HEAD_BYTES);
    cipher.final();
    sealed.set(cipher.getAuthTag(), sealed.length - TAG_BYTES);
    this.#number += 1;
    this.#isFinal = isFinal;
    return sealed;
  }
}

/** The length of a chunk as its head says it; not authenticated until the chunk is opened. */
export function chunkHeadOf(word: number): { plainBytes: number; isFinal: boolean } {
  return { plainBytes: word & ~FINAL_BIT, isFinal: word >= FINAL_BIT };
}

/** Decrypts the chunks of one file, in any order. */
export class ChunkOpener {
  readonly #keys: FileKeys;

  /** Throws `media_unreadable` when `head`, the first FILE_HEAD_BYTES, is not that of an encrypted file with this content. */
  constructor(key: MediaKey, content: MediaContent, head: Uint8Array) {
    if (head.length < FILE_HEAD_BYTES || !isEncrypted(head)) throw mediaUnreadable("it is not encrypted");
    const version = head[MAGIC.length];
    if (version !== VERSION) throw mediaUnreadable(`unsupported version ${version}, the current one is ${VERSION}`);
    if (head[MAGIC.length + 1] !== CONTENTS[content]) throw mediaUnreadable(`it is no ${content}`);
    this.#keys = new FileKeys(key, content, head);
  }

  /**
   * The plain bytes of a chunk. `sealed` is what follows its head: ciphertext and tag. Throws `media_unreadable` when it
   * was changed, or does not have this number, or is final or not against `isFinal`, or belongs to another file or key.
   */
  open(number: number, isFinal: boolean, sealed: Uint8Array): Buffer {
    const { key, nonce, context } = this.#keys.chunk(number, isFinal);
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(context);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      const plain = decipher.update(sealed.subarray(0, -TAG_BYTES));
      decipher.final();
      return plain;
    } catch (error) {
      throw mediaUnreadable(`chunk ${number} was changed, moved or is of another key`, error);
    }
  }
}

/** The key of a file, and the nonces and additional data of its chunks. */
class FileKeys {
  readonly #key: Uint8Array;
  readonly #name: string;

  constructor({ callId, bytes }: MediaKey, content: MediaContent, head: Uint8Array) {
    const salt = head.subarray(FILE_HEAD_BYTES - SALT_BYTES, FILE_HEAD_BYTES);
    this.#name = `${content} ${callId}`;
    this.#key = Buffer.from(
      hkdfSync("sha256", bytes, salt, `trunkline media ${VERSION} ${this.#name}`, MEDIA_KEY_BYTES),
    );
  }

  chunk(number: number, isFinal: boolean): { key: Uint8Array; nonce: Uint8Array; context: Uint8Array } {
    const nonce = Buffer.alloc(NONCE_BYTES);
    nonce.writeUInt8(isFinal ? 1 : 0, 0);
    nonce.writeUInt32BE(number, NONCE_BYTES - 4);
    return { key: this.#key, nonce, context: Buffer.from(`${this.#name} ${number} ${isFinal ? "final" : "more"}`) };
  }
}
