type Listener = (event: Event) => void;

let listener: Listener | undefined;

/**
 * Listens to the browser's way back before the router does, until the function that it returns is called. Chromium calls what
 * listens at the window in the order of registration, capturing or not, so this module is imported before the router is rendered.
 */
export function beforeWayBack(onPop: Listener): () => void {
  listener = onPop;
  return () => {
    if (listener === onPop) listener = undefined;
  };
}

addEventListener("popstate", (event) => listener?.(event));
