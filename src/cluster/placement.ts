import type { NodeName } from "../core/ids.ts";
import { NODE_LEASE_MS_TRUSTED } from "../core/limits/cluster/nodes.ts";

/** What the choice of a node for a new call looks at, of the calls that one kind of worker carries. */
export interface PlacementNode {
  name: NodeName;
  /** It takes new calls, and no other node has taken its calls. */
  isAccepting: boolean;
  /** How long its lease goes on by the database's clock, ms; 0 or less where it has ended. */
  leaseLeftMs: number;
  /** How many calls it carries at most, and how many it carries or has waiting for their streams. */
  slots: number;
  used: number;
}

/** How many calls this node has placed on another one since the rows were read: they are not in them. */
export type PlacedSince = (name: NodeName) => number;

/**
 * The nodes that a new call may go to: those that take calls and have room. Nodes that have missed heartbeats are among them only
 * where no other node is.
 */
export function openNodes(nodes: readonly PlacementNode[]): readonly PlacementNode[] {
  const open = nodes.filter(
    ({ isAccepting, leaseLeftMs, slots, used }) => isAccepting && leaseLeftMs > 0 && used < slots,
  );
  const trusted = open.filter(({ leaseLeftMs }) => leaseLeftMs >= NODE_LEASE_MS_TRUSTED);
  return trusted.length > 0 ? trusted : open;
}

/**
 * The node for a new call: the less loaded of two open ones, which are drawn at random. Taking the least loaded of all would send the
 * calls of all nodes to one, because each of them knows the loads of a moment ago. `random` gives numbers from 0 up to 1. Undefined
 * where no node has room.
 */
export function chooseNode(
  open: readonly PlacementNode[],
  placedSince: PlacedSince,
  random: () => number,
): NodeName | undefined {
  const loadOf = ({ name, slots, used }: PlacementNode): number => (used + placedSince(name)) / slots;
  const first = open[indexBelow(open.length, random)];
  if (first === undefined) return undefined;
  // One of the others: the last stands in for the first, so that none is drawn twice.
  const drawn = open[indexBelow(open.length - 1, random)] ?? first;
  const second = drawn === first ? (open.at(-1) ?? first) : drawn;
  const chosen = loadOf(second) < loadOf(first) ? second : first;
  if (loadOf(chosen) < 1) return chosen.name;
  // This node alone has filled what was drawn.
  return open.find((node) => loadOf(node) < 1)?.name;
}

const indexBelow = (count: number, random: () => number): number => Math.min(count - 1, Math.floor(random() * count));
