import { STATUS_CHOICES } from "../../app/call-states.ts";
import { words } from "../../app/format.ts";
import { ChoiceFilter, Filters, TextFilter, TimeFilter } from "../../ui/filters.tsx";
import { CONNECTION_TYPES, END_REASONS } from "./choices.ts";
import { FILTERS } from "./filters.ts";

const choices = (values: readonly string[]) => values.map((value) => ({ value, label: words(value) }));

/** All filters of `GET /calls`. */
export const CallFilterLine = ({ agents }: { agents: ReadonlyMap<string, string> }) => (
  <Filters names={FILTERS}>
    <ChoiceFilter name="status" label="State" choices={STATUS_CHOICES} />
    <ChoiceFilter name="endReason" label="Why it ended" choices={choices(END_REASONS)} />
    <ChoiceFilter name="agentId" label="Agent" choices={[...agents].map(([value, label]) => ({ value, label }))} />
    <ChoiceFilter name="direction" label="Direction" choices={choices(["inbound", "outbound"])} />
    <ChoiceFilter name="connectionType" label="Connection" choices={choices(CONNECTION_TYPES)} />
    <TextFilter name="from" label="From" hint="+15550199" />
    <TextFilter name="to" label="To" hint="+15550100" />
    <TimeFilter name="createdAfter" label="Created from" />
    <TimeFilter name="createdBefore" label="Created before" />
    <TextFilter name="metadata" label="Metadata" hint="order=A-17" />
    <TextFilter name="header" label="SIP headers" hint="x-customer=1234" />
    <TextFilter name="carrierCallId" label="Id at the carrier" />
  </Filters>
);
