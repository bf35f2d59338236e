import { lockTests } from './lock-tests.ts'
import { sessionTests } from './session-tests.ts'
import type { TestedStore } from './store-test.ts'
import { tokenTests } from './token-tests.ts'

export type { TestedStore } from './store-test.ts'

/**
 * Tests of a store, for authors of stores. They leave nothing behind, work with any existing data, and may run at the
 * same time.
 *
 * @param test the `test(title, body)` of a test runner: that of node:test, Vitest and others as it is, that of tap as
 *   `(title, body) => t.test(title, async t => { await t.resolves(body()) })`
 * @param open gives the store; called for each test, may give the same one
 */
export function testAccountStore (
  test: (title: string, body: () => Promise<void>) => unknown, open: () => TestedStore | Promise<TestedStore>
): void {
  for (const [title, check] of Object.entries({ ...tokenTests, ...sessionTests, ...lockTests })) {
    test(title, async () => {
      const { store, replica = store } = await open()
      await check({ store, replica })
    })
  }
}
