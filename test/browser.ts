import type { Test } from 'tap'
import { chromium, type Browser } from 'playwright-core'

/**
 * A real Chromium with a profile of its own, closed when the test ends.
 * It is started from /usr/bin/chromium, where Debian's package puts it, or from the path in the variable CHROMIUM.
 */
export async function launch (t: Test): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    chromiumSandbox: false,
    args: [
      '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'
    ]
  })
  t.teardown(() => browser.close())
  return browser
}
