/** A voice program that never says anything, for the pool's tests. */
setInterval(() => {}, 1_000);
