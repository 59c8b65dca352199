import type { Socket } from "node:net";
import { deserialize, serialize } from "node:v8";

const HEAD_BYTES = 4;

/**
 * A message between two processes of one version of this service over a socket: its length in 4 bytes, little-endian, and the value by
 * structured clone, typed arrays included. For sockets that only this service can reach.
 */
export function encodeMessage(message: unknown): Buffer {
  const body = serialize(message);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(body.length);
  return Buffer.concat([head, body]);
}

/** Splits the bytes of a socket into messages. */
export class MessageReader {
  readonly #bytesMax: number;
  /** The chunks of messages that are not complete yet, and their length together. */
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Yields the messages that are complete. Throws a RangeError at one of more than `bytesMax` bytes, and an error at one that is no value. */
  *push(bytes: Buffer): Generator<unknown> {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
    while (this.#length >= HEAD_BYTES) {
      const length = this.#joined(HEAD_BYTES).readUInt32LE();
      if (length > this.#bytesMax) {
        throw new RangeError(`a message of ${length} bytes exceeds the maximum of ${this.#bytesMax}`);
      }
      if (this.#length < HEAD_BYTES + length) return;
      const message = this.#joined(HEAD_BYTES + length);
      yield deserialize(message.subarray(HEAD_BYTES, HEAD_BYTES + length));
      this.#length -= HEAD_BYTES + length;
      this.#chunks[0] = message.subarray(HEAD_BYTES + length);
    }
  }

  /** The first chunk, with at least `count` bytes. */
  #joined(count: number): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= count) return first;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }
}

/**
 * Calls `onMessage` for each message of the socket. Bytes that are none close the socket, because nothing after them can be read;
 * the messages before them in the same chunk are lost.
 */
export function readMessages(socket: Socket, bytesMax: number, onMessage: (message: unknown) => void): void {
  const reader = new MessageReader(bytesMax);
  const read = (bytes: Buffer): unknown[] => {
    try {
      return [...reader.push(bytes)];
    } catch {
      socket.destroy();
      return [];
    }
  };
  socket.on("data", (bytes: Buffer) => {
    for (const message of read(bytes)) onMessage(message);
  });
}
