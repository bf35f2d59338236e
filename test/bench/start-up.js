// How long `ready()` takes with all routes: `start-up.js <ours | bare>` prints milliseconds, imports and the rest apart.
