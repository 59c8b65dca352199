import type { ComponentType } from "preact";
import { lazy } from "preact-iso";

type Load = () => Promise<{ Page: ComponentType }>;

/** A page of the dashboard. */
export interface PageEntry {
  /** The last part of its address; `:id` is a part that pages read by `useRoute`. */
  path: string;
  /** Its name in the navigation. */
  title: string;
  /** Whether it is in the navigation; others lead to the rest. */
  isListed: boolean;
  component: LoadedPage;
}

/** A page whose program is loaded when it is first shown, or by `preload`. */
type LoadedPage = ComponentType & { preload: () => Promise<unknown> };

const page = (load: Load): LoadedPage => lazy<ComponentType>(() => load().then(({ Page }) => Page));

/** All pages, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  { path: "live", title: "Live", isListed: true, component: page(() => import("../pages/live/index.tsx")) },
  { path: "calls", title: "Calls", isListed: true, component: page(() => import("../pages/calls/index.tsx")) },
  { path: "calls/:id", title: "Call", isListed: false, component: page(() => import("../pages/call/index.tsx")) },
];

/** Loads the program of the page at an address, of which it is the part after ROOT, before it is shown. Does nothing where there is none. */
export function preloadPage(address: string): void {
  const parts = address.split("/");
  const entry = PAGES.find(({ path }) => {
    const names = path.split("/");
    return names.length === parts.length && names.every((name, at) => name.startsWith(":") || name === parts[at]);
  });
  // What fails here fails again when the page is shown, which says so.
  entry?.component.preload().catch(() => {});
}
