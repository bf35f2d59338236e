// What ships, in a household: the built example with a folder, two Subsonic servers and a friend's source beside it, as
// processes of their own, with real audio, several accounts, a client of Subsonic apps, browsers and mpv.

import t, { type Test } from 'tap'
import { songsToTry } from './household/find.ts'
import { openHouse } from './household/house.ts'
import { changing, media, reading, together } from './household/items.ts'
import { checkLists } from './household/lists.ts'
import { checkOutages } from './household/outage.ts'
import { checkChild, checkLogin, checkPrivacy } from './household/privacy.ts'
import { prepare } from './household/prepare.ts'

/** A group of tests, one after the other; with ONLY those whose title contains it. */
const group = (title: string, run: (t: Test) => void) =>
  t.test(title, { timeout: 300_000, skip: !title.includes(process.env.ONLY ?? '') }, async t => run(t))

const house = await openHouse(t)
await prepare(house)
const songs = await songsToTry(house)

group('lists', t => checkLists(t, house))
for (const [row, found] of songs) {
  group(`an item of the ${row}`, t => {
    for (const [what, check] of Object.entries({ ...reading, ...media, ...changing })) {
      t.test(what, async t => { await check(t, house, found) })
    }
  })
}
const found = songs.map(([, found]) => found)
group('items of all sources', t => together(t, house, found))
group('an account beside the owner', t => checkPrivacy(t, house, found))
group('an account with a login of its own at another server', t => checkLogin(t, house, found))
group('a child that sees a part of the folder', t => checkChild(t, house, found))
group('another source is down', t => checkOutages(t, house, found))
