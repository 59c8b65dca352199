import dgram from "node:dgram";
import dns from "node:dns";
import net from "node:net";
import { INGESTER_NICE, INGESTER_REPLACE_RSS_MB, INGESTER_RSS_MB_MAX } from "../core/limits/knowledge/corpora.ts";
import { serveTasks } from "../core/task-processes/server.ts";
import { readDocument } from "../knowledge/documents/read-document.ts";

/**
 * The program of the child of the control process that reads documents: one at a time, within a budget of processor time and memory, at a
 * low priority. It gets no environment and opens no connection: see ingester/client.ts.
 */
const refuse = (): never => {
  throw new Error("the process that reads documents has no network");
};
// Nothing here has a use for the network: a parser that was made to fetch something fails instead.
net.Socket.prototype.connect = refuse;
dgram.createSocket = refuse;
dns.lookup = refuse as unknown as typeof dns.lookup;
globalThis.fetch = refuse;

await serveTasks(readDocument, {
  rssMbMax: INGESTER_RSS_MB_MAX,
  replaceRssMb: INGESTER_REPLACE_RSS_MB,
  nice: INGESTER_NICE,
});
