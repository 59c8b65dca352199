import { useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Foreign } from "../../ui/figures.tsx";
import { CARRIER_KINDS, type Carrier } from "./model/carriers.ts";

interface Props {
  carrier: Carrier;
  onClose: () => void;
  /** With a sentence that says what came of it. */
  onDone: (note: string) => void;
}

/** Stores the numbers that the account has at a carrier, page by page. */
export function ImportDialog({ carrier, onClose, onDone }: Props) {
  const [count, setCount] = useState(0);
  const run = async (): Promise<void> => {
    let found = 0;
    for (let cursor: string | undefined; ; ) {
      const body = { carrierId: carrier.id, ...(cursor !== undefined && { cursor }) };
      const page = await api.post("/phone-numbers/import", { body });
      found += page.data.length;
      setCount(found);
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    const numbers = found === 1 ? "one number" : `${found} numbers`;
    onDone(
      found === 0 ? `The account at ${carrier.name} has no number.` : `The list has ${numbers} of ${carrier.name}.`,
    );
  };
  return (
    <ConfirmDialog title="Import the numbers?" action="Import" onClose={onClose} onConfirm={run}>
      <p>
        The service asks {CARRIER_KINDS[carrier.carrier].title} which numbers the account{" "}
        <Foreign text={carrier.name} /> has, and adds those that are new to the list. Nothing changes at the carrier.
      </p>
      <p class="soft" role="status">
        {count > 0 && `${count} so far`}
      </p>
    </ConfirmDialog>
  );
}
