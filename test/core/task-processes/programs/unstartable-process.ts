/** A child that fails before it is ready. */
throw new Error("it cannot be started");
