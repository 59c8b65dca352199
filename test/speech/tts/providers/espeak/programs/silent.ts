/** A program for the pool's tests that never sends a frame. */
setInterval(() => {}, 1_000);
