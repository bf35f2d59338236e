// Runs several test files in one process, one after the other: most of the time of a small file is the start of its
// process. Each file gets a test of its own as its `t`, so what it sets up ends with it.

import t from 'tap'

const root = new URL('../', import.meta.url)

/** @param {string[]} files paths in the repository */
export function runGroup (files) {
  for (const file of files) {
    t.test(file, async t => {
      // Read by test/tap-of-file.js, which the file gets in place of tap.
      globalThis.testOfFile = t
      await import(new URL(`${file}?in-group`, root))
    })
  }
}
