import { NotBuilt } from "../../ui/not-built.tsx";

export const Page = () => <NotBuilt title="Webhook" />;
