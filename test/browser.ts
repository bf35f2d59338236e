import type { Test } from 'tap'
import { chromium, type Browser } from 'playwright-core'
import { locate, skipWithout } from './services.ts'

/** What Chromium loads for the address bar of each window: half of the work of a page, and nobody sees it. */
const popups = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup']

/** What Playwright turns off. Chromium takes the last list that it is given, so ours has these too. */
const ofPlaywright = [
  'AimEnabled', 'AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose', 'HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades', 'LensOverlay', 'MediaRouter',
  'NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding', 'PreconnectToSearch',
  'ThirdPartyStoragePartitioning'
]

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
      `--disable-features=${[...ofPlaywright, ...popups].join()}`
    ]
  })
  t.teardown(() => browser.close())
  return browser
}
