import { Empty } from "./empty.tsx";
import { Page } from "./page.tsx";

/** A page whose address is reserved, and which no link leads to. */
export const NotBuilt = ({ title }: { title: string }) => (
  <Page title={title}>
    <Empty title="This version of the dashboard does not have this page.">
      <p>
        The API has what it would show: <a href="/docs">the reference</a>.
      </p>
    </Empty>
  </Page>
);
