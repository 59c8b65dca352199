import { agentPage } from "../app/addresses.ts";
import { Foreign } from "./figures.tsx";

/** Leads to the agent of a call, by its name where that is known. */
export const AgentLink = ({ id, names }: { id: string | null; names: ReadonlyMap<string, string> }) =>
  id === null ? (
    <Foreign text={null} />
  ) : (
    <a href={agentPage(id)}>
      <Foreign text={names.get(id) ?? id} />
    </a>
  );
