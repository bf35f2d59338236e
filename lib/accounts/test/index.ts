import { bindingTests } from './binding-tests.ts'
import { lockTests } from './lock-tests.ts'
import { sessionTests } from './session-tests.ts'
import type { TestedStore } from './store-test.ts'
import { tokenTests } from './token-tests.ts'

export type { TestedStore } from './store-test.ts'

/**
 * Registers the tests of an account store, for authors of stores. They remove their data, work with any existing data,
 * and may run concurrently.
 *
 * @param test the `test(title, body)` of a test runner: unchanged for node:test, Vitest and others; for tap `(title,
 * body) => t.test(title, async t => { await t.resolves(body()) })`
 * @param open returns the store; called for each test, may return the same store
 */
export function testAccountStore (
  test: (title: string, body: () => Promise<void>) => unknown, open: () => TestedStore | Promise<TestedStore>
): void {
  for (const [title, check] of Object.entries({ ...tokenTests, ...sessionTests, ...lockTests, ...bindingTests })) {
    test(title, async () => {
      const { store, replica = store } = await open()
      await check({ store, replica })
    })
  }
}
