import { createHash } from "node:crypto";
import type { NodeName } from "../ids.ts";

/** Two of a thousand nodes may have one tag: a worker that looks for a node by its tag asks all that have it. */
export const NODE_TAG_CHARS = 4;

/** What the tags of a node's workers begin with, in hexadecimal digits: tokens of live calls name their workers by tags. */
export const nodeTagOf = (name: NodeName): string =>
  createHash("sha256").update(name).digest("hex").slice(0, NODE_TAG_CHARS);

/** Where the media port of a node is for the other nodes. */
export interface RelayNode {
  tag: string;
  /** Up to `/stream/{token}`. */
  url: string;
}
