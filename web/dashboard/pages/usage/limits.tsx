import type { ComponentChildren } from "preact";
import { api } from "../../app/api.ts";
import { useResource } from "../../app/use-resource.ts";
import { Fact, Facts } from "../../ui/facts.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Count } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Section } from "../../ui/page.tsx";

/** What the operator lets the account use at once. */
export function AccountLimits() {
  const account = useResource("account", (signal) => api.get("/account", { signal }));
  return (
    <Section title="Limits of the account">
      {account.status === "loading" && <Loading what="the limits" />}
      {account.status === "failed" && <Failure error={account.error} onRetry={account.reload} />}
      {account.status === "ready" && (
        <>
          <Facts>
            <Fact name="Calls at once">
              <Limit of={account.value.limits.concurrentCalls} />
            </Fact>
            <Fact name="Calls created in a minute">
              <Limit of={account.value.limits.creationsPerMinute} />
            </Fact>
            <Fact name="Transcriptions at once">
              <Limit of={account.value.limits.concurrentTranscriptions} />
            </Fact>
          </Facts>
          <p class="soft">
            The operator of the service sets them, with <code>npm run accounts</code>.
          </p>
        </>
      )}
    </Section>
  );
}

const Limit = ({ of }: { of: number | null }): ComponentChildren =>
  of === null ? <span class="soft">only those of the service</span> : <Count of={of} />;
