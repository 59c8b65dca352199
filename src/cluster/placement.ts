import type { NodeName } from "../core/ids.ts";

/** What the choice of a node for a new call looks at, of the calls that one kind of worker carries. */
export interface PlacementNode {
  name: NodeName;
  /** It is there and takes new calls. */
  isAccepting: boolean;
  /** How many calls it carries at most, and how many it carries or has waiting for their streams. */
  slots: number;
  used: number;
}

/**
 * The node for a new call: the less loaded of two that have room, which are drawn at random. Taking the least loaded of all would send
 * the calls of all nodes to one, because each of them knows the loads of a moment ago. `random` gives numbers from 0 up to 1. Undefined
 * where no node has room.
 */
export function chooseNode(nodes: readonly PlacementNode[], random: () => number): NodeName | undefined {
  const open = nodes.filter(({ isAccepting, slots, used }) => isAccepting && used < slots);
  const first = open[indexBelow(open.length, random)];
  if (first === undefined) return undefined;
  const others = open.filter((node) => node !== first);
  const second = others[indexBelow(others.length, random)];
  return second !== undefined && loadOf(second) < loadOf(first) ? second.name : first.name;
}

const loadOf = ({ slots, used }: PlacementNode): number => used / slots;

const indexBelow = (count: number, random: () => number): number => Math.min(count - 1, Math.floor(random() * count));
