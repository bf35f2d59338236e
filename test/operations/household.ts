// What ships, in a household: the built example with a folder, two Subsonic servers and a friend's source beside it, as
// processes of their own, with real audio, several accounts, a client of Subsonic apps, browsers and mpv.

import t, { type Test } from 'tap'
import { songsToTry } from './household/find.ts'
import { openHouse } from './household/house.ts'
import { changing, media, reading, together } from './household/items.ts'
import { checkLists } from './household/lists.ts'
import { prepare } from './household/prepare.ts'

/** A group of tests, one after the other. */
const group = (title: string, run: (t: Test) => void) => t.test(title, { timeout: 120_000 }, async t => run(t))

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
group('items of all sources', t => together(t, house, songs.map(([, found]) => found)))
