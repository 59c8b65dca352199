import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";

const HEAD_BYTES = 12;
const TYPE_A = 1;
const TYPE_AAAA = 28;
/** An answer, no error, recursion asked for and there. */
const ANSWER_FLAGS = 0x8180;
/** The name that was asked for, where it stands in the question. */
const NAME_POINTER = 0xc00c;

/** A name server of one's own, which says what it likes: `answers` gives the addresses for the question that is asked so often. */
export async function scriptedDns(answers: (question: number) => readonly string[]) {
  const socket = createSocket("udp4");
  const requested: string[] = [];
  const reply = (query: Buffer, { port, address }: RemoteInfo): void => {
    const typeAt = query.indexOf(0, HEAD_BYTES) + 1;
    const isA = query.readUInt16BE(typeAt) === TYPE_A;
    requested.push(isA ? "A" : "AAAA");
    const question = requested.filter((type) => type === requested.at(-1)).length;
    const records = answers(question)
      .filter((found) => isIPv4(found) === isA)
      .map((found) => record(isA ? TYPE_A : TYPE_AAAA, bytesOf(found)));
    const head = Buffer.from(query.subarray(0, typeAt + 4));
    head.writeUInt16BE(ANSWER_FLAGS, 2);
    head.writeUInt16BE(records.length, 6);
    // What a resolver may add to its question is not answered.
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, ...records]), port, address);
  };
  socket.on("message", reply);
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    server: `127.0.0.1:${socket.address().port}`,
    /** The types of the questions, in order. */
    requested,
    close: () => socket.close(),
  };
}

/** To be forgotten at once: a time to live of zero. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(NAME_POINTER, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** IPv6 addresses without their short forms, but for `::` in front of the last group. */
function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  const [front = "", last = ""] = address.split("::");
  const bytes = Buffer.alloc(16);
  for (const [at, group] of front.split(":").entries()) bytes.writeUInt16BE(Number.parseInt(group || "0", 16), 2 * at);
  bytes.writeUInt16BE(Number.parseInt(last || "0", 16), 14);
  return bytes;
}
