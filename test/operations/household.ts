// What ships, in a household: the built example with a folder, two Subsonic servers and a friend's source beside it, as
// processes of their own, with real audio, several accounts, a client of Subsonic apps, two browsers and mpv.

import t, { type Test } from 'tap'
import { launch } from '../browser.ts'
import { skipWithout } from '../services.ts'
import { songsToTry } from './household/find.ts'
import { openHouse } from './household/house.ts'
import { changing, media, reading, together } from './household/items.ts'
import { checkLists } from './household/lists.ts'
import { checkOutages } from './household/outage.ts'
import { checkMpv, checkPage } from './household/players.ts'
import { makeMix, prepare } from './household/prepare.ts'
import { checkChild, checkLogin, checkPrivacy } from './household/privacy.ts'

/** A group of tests, one after the other; with the variable ONLY those whose title contains it. */
const group = (title: string, run: (t: Test) => void) =>
  t.test(title, { timeout: 300_000, skip: !title.includes(process.env.ONLY ?? '') }, async t => run(t))

const isSkipped = ['supysonic', 'ffmpeg', 'mpv'].map(name => skipWithout(name as 'mpv', t)).includes(true)
if (!isSkipped) {
  const [browser, house] = [await launch(t), await openHouse(t)]
  await prepare(house)
  const songs = await songsToTry(house)
  const found = songs.map(([, found]) => found)
  await makeMix(house, found)

  group('lists', t => checkLists(t, house))
  for (const [row, found] of songs) {
    group(`an item of the ${row}`, t => {
      for (const [what, check] of Object.entries({ ...reading, ...media, ...changing })) {
        t.test(what, async t => { await check(t, house, found) })
      }
    })
  }
  group('items of all sources', t => together(t, house, found))
  group('mpv', t => checkMpv(t, house, found))
  group('the page', t => checkPage(t, house, browser, found))
  group('an account beside the owner', t => checkPrivacy(t, house, found))
  group('an account with a login of its own at another server', t => checkLogin(t, house, found))
  group('a child that sees a part of the folder', t => checkChild(t, house, found))
  group('another source is down', t => checkOutages(t, house, found))
}
