import { Page } from "../ui/page.tsx";
import { HOME } from "./addresses.ts";

export const NoSuchPage = () => (
  <Page title="There is no such page">
    <p>
      The address may be of another version of the service. <a href={HOME}>Go to the calls that are live</a>.
    </p>
  </Page>
);
