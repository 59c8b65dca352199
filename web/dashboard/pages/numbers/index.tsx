import { useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { mayAct } from "../../app/roles.ts";
import { useResource } from "../../app/use-resource.ts";
import { Button } from "../../ui/button.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { CarrierDialog } from "./carrier-dialogs.tsx";
import { Carriers } from "./carriers.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import type { Carrier } from "./model/carriers.ts";
import { Numbers } from "./numbers.tsx";

/** As many as an account has at most. */
const CARRIERS_MAX = 20;

/** The telephone numbers of the account, and its accounts at carriers, which owners alone see. */
export function Page() {
  const isOwner = mayAct("owner");
  const carriers = useResource(`carriers ${isOwner}`, async (signal) =>
    isOwner ? (await api.get("/carriers", { query: { limit: CARRIERS_MAX }, signal })).data : [],
  );
  const [isAdding, setAdding] = useState(false);
  const [importing, setImporting] = useState<Carrier>();
  const [imports, setImports] = useState({ count: 0, note: "" });
  const known = carriers.status === "ready" ? carriers.value : [];
  return (
    <Frame
      title="Numbers and carriers"
      actions={
        isOwner && (
          <Button kind="primary" onClick={() => setAdding(true)}>
            Add a carrier
          </Button>
        )
      }
    >
      <p class="soft" role="status">
        {imports.note}
      </p>
      <Numbers carriers={known} imports={imports.count} onImport={setImporting} />
      {isOwner && <Carriers carriers={carriers} onImport={setImporting} />}
      {isAdding && (
        <CarrierDialog
          onClose={() => setAdding(false)}
          onDone={(carrier) => {
            carriers.reload();
            setImporting(carrier);
          }}
        />
      )}
      {importing !== undefined && (
        <ImportDialog
          carrier={importing}
          onClose={() => setImporting(undefined)}
          onDone={(note) => setImports({ count: imports.count + 1, note })}
        />
      )}
    </Frame>
  );
}
