import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { ROOT } from "./addresses.ts";
import { beforeWayBack } from "./way-back.ts";

/**
 * Asks before the person leaves a page with changes that are not saved: by a link, by the browser's way back, and by closing the tab.
 * `lost` says what would be lost.
 */
export function LeaveGuard({ isDirty, lost }: { isDirty: boolean; lost: string }) {
  const { url, path, route } = useLocation();
  const [leave, setLeave] = useState<() => void>();
  const here = useRef({ url, path });
  here.current = { url, path };
  const mayLeave = useRef(false);

  useEffect(() => {
    if (!isDirty) return;
    mayLeave.current = false;
    const asks = (next: () => void): void => setLeave(() => next);
    const onClick = (event: MouseEvent): void => {
      const href = linkOf(event);
      if (mayLeave.current || href === undefined || new URL(href, location.href).pathname === here.current.path) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      asks(() => route(href));
    };
    const onPop = (event: Event): void => {
      if (mayLeave.current || location.pathname === here.current.path) return;
      // The browser has gone already: the address of the page that is still shown comes back.
      event.stopImmediatePropagation();
      history.pushState(null, "", here.current.url);
      asks(() => history.back());
    };
    const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault();
    // Before the router, whose listener does not capture.
    addEventListener("click", onClick, { capture: true });
    const stopListening = beforeWayBack(onPop);
    addEventListener("beforeunload", onUnload);
    return () => {
      removeEventListener("click", onClick, { capture: true });
      stopListening();
      removeEventListener("beforeunload", onUnload);
    };
  }, [isDirty, route]);

  if (leave === undefined) return null;
  return (
    <ConfirmDialog
      title="Leave without saving?"
      action="Leave"
      isDangerous
      onClose={() => setLeave(undefined)}
      onConfirm={async () => {
        mayLeave.current = true;
        leave();
      }}
    >
      <p>{lost}</p>
    </ConfirmDialog>
  );
}

/** The page of the dashboard that a click leads to in this tab; undefined for any other click. */
function linkOf(event: MouseEvent): string | undefined {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return undefined;
  const link = event.composedPath().find((one): one is HTMLAnchorElement => one instanceof HTMLAnchorElement);
  const isPage = link?.origin === location.origin && link.pathname.startsWith(`${ROOT}/`);
  if (link === undefined || !isPage || link.download !== "" || !/^(_self)?$/.test(link.target)) return undefined;
  return `${link.pathname}${link.search}`;
}
