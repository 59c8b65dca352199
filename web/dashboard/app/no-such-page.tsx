import { Page } from "../ui/page.tsx";

export const NoSuchPage = () => (
  <Page title="There is no such page">
    <p>
      The address may be of another version of the service. <a href="/dashboard/live">Go to the calls that are live</a>.
    </p>
  </Page>
);
