import { mayAct } from "../../app/roles.ts";
import { Empty } from "../../ui/empty.tsx";
import { ChoiceFilter, Filters } from "../../ui/filters.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ApiKeys } from "./api-keys.tsx";
import { PublishableKeys } from "./publishable-keys.tsx";

const choices = (...values: readonly string[]) => values.map((value) => ({ value, label: value }));

/** What programs and web pages authenticate with. */
export const Page = () => (
  <Frame title="Keys">
    {mayAct("owner") ? (
      <Tabs
        label="Kinds of keys"
        tabs={[
          {
            name: "api",
            title: "API keys",
            content: () => (
              <ApiKeys
                filters={
                  <Filters names={["status"]}>
                    <ChoiceFilter name="status" label="State" choices={choices("active", "expired", "revoked")} />
                  </Filters>
                }
              />
            ),
          },
          {
            name: "publishable",
            title: "Publishable keys",
            content: () => (
              <PublishableKeys
                filters={
                  <Filters names={["status"]}>
                    <ChoiceFilter name="status" label="State" choices={choices("active", "revoked")} />
                  </Filters>
                }
              />
            ),
          },
        ]}
      />
    ) : (
      <Empty title="Only an owner sees keys.">
        <p>An owner of the account makes and revokes the keys of programs and web pages here.</p>
      </Empty>
    )}
  </Frame>
);
