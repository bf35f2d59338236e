import type { Test } from 'tap'
import { chromium, type Browser } from 'playwright-core'
import { locate, skipWithout } from './services.ts'

/**
 * A real Chromium with a profile of its own, closed when the test ends: the one of PATH, or the path in the variable
 * CHROMIUM. Where it is not installed, the tests of `t` that come from now on are skipped.
 */
export async function launch (t: Test): Promise<Browser> {
  if (skipWithout('Chromium', t)) return undefined!
  const browser = await chromium.launch({
    executablePath: locate('Chromium'),
    chromiumSandbox: false,
    args: [
      '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
      // Without https a host of another name is no secure context, as a source at home is none.
      '--host-resolver-rules=MAP home.example 127.0.0.1'
    ]
  })
  t.teardown(() => browser.close())
  return browser
}
