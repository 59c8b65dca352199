import type { Machine } from "../harness/machine.ts";
import type { Cores } from "../rig/cpu-cores.ts";
import { escaped } from "./html.ts";

/** What a page's figures were measured on, in one sentence. */
export const machineLine = ({ cpu, cores, memoryGiB, system, node, measuredAt }: Machine): string =>
  escaped(
    `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}, ${measuredAt.slice(0, 16).replace("T", " ")} UTC.`,
  );

/** Which process had which core. */
export const coresLine = (cores: Cores | undefined): string =>
  cores === undefined
    ? "The processes were not held on cores of their own."
    : `Core ${cores.server} had the server to itself; generator, full callers and bench shared core ${cores.others}.`;
