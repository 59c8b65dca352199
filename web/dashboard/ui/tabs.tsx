import { Tab, TabGroup, TabList, TabPanel, TabPanels } from "@headlessui/react";
import type { ComponentChildren } from "preact";
import { useQuery } from "../app/use-query.ts";
import "./tabs.css";

export interface TabEntry {
  /** What stands in the address. */
  name: string;
  title: string;
  content: () => ComponentChildren;
}

/** Parts of a page of which one is shown; the address has which. The first is shown by default. */
export function Tabs({ tabs, label, of = "tab" }: { tabs: readonly TabEntry[]; label: string; of?: string }) {
  const { query, change } = useQuery();
  const found = tabs.findIndex(({ name }) => name === query[of]);
  return (
    <TabGroup
      selectedIndex={Math.max(0, found)}
      onChange={(index: number) => change({ [of]: index === 0 ? undefined : tabs[index]?.name })}
    >
      <TabList class="tabs" aria-label={label}>
        {tabs.map(({ name, title }) => (
          <Tab key={name} class="tabs-tab">
            {title}
          </Tab>
        ))}
      </TabList>
      <TabPanels>
        {tabs.map(({ name, content }) => (
          <TabPanel key={name} class="tabs-panel">
            {content()}
          </TabPanel>
        ))}
      </TabPanels>
    </TabGroup>
  );
}
