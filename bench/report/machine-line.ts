import type { Machine } from "../machine.ts";
import { escaped } from "./html.ts";

/** What a page's figures were measured on, in one sentence. */
export const machineLine = ({ cpu, cores, memoryGiB, system, node, measuredAt }: Machine): string =>
  escaped(
    `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}, ${measuredAt.slice(0, 16).replace("T", " ")} UTC.`,
  );
