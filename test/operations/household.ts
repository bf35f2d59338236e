// What ships, in a household: the built example with a folder, two Subsonic servers and a friend's source beside it, as
// processes of their own, with real audio, several accounts, a client of Subsonic apps, two browsers and mpv. Beside it
// runs a home for each source that is down in each way: they wait most of the time.

import t, { type Test } from 'tap'
import { launch } from '../browser.ts'
import { skipWithout } from '../services.ts'
import { checkChild } from './household/child.ts'
import { songsToTry } from './household/find.ts'
import { checkFriend } from './household/friend.ts'
import { addPeople, openHome, openServers } from './household/house.ts'
import { changing, media, reading } from './household/items.ts'
import { checkFullDisk, checkKills } from './household/kills.ts'
import { checkLogin } from './household/login.ts'
import { checkLists, readList } from './household/lists.ts'
import { checkOutages } from './household/outage.ts'
import { checkMpv, checkPage } from './household/players.ts'
import { makeMix, prepare, prepareOthers } from './household/prepare.ts'
import { checkPrivacy } from './household/privacy.ts'
import { checkRestart, checkReturn, livedBefore } from './household/restart.ts'
import { together } from './household/together.ts'
import { until } from './household/until.ts'

/** Milliseconds in which the libraries of all servers are read. */
const longestRead = 60_000

type Group = (title: string, run: (t: Test) => void) => void

const missing = (['supysonic', 'ffmpeg', 'mpv'] as const).map(name => skipWithout(name, t))
if (!missing.includes(true)) {
  const [browser, servers] = [await launch(t), await openServers(t)]

  /** A home whose owner has something at each source, and songs to try. */
  const settle = async (name: 'house' | 'shed' | 'barn') => {
    const home = await openHome(t, servers, name)
    await prepare(home)
    // Apps have the music of a server when it was read.
    await until(async () => (await readList(home.owner, '/rest/getArtists')).missing === null, longestRead)
    const songs = await songsToTry(home)
    const found = songs.map(([, found]) => found)
    await makeMix(home, found)
    return { home, songs, found }
  }

  /** Tests of one home, in groups; with the variable ONLY the groups whose title contains it. */
  const inHome = (title: string, buffered: boolean, run: (group: Group) => Promise<void>) =>
    t.test(title, { buffered, timeout: 900_000 }, t => run((title, run) => {
      t.test(title, { skip: !title.includes(process.env.ONLY ?? ''), timeout: 300_000 }, async t => run(t))
    }))

  t.jobs = 3
  const elder = livedBefore(t, servers.root, 'house')
  const ready = elder.then(() => settle('house'))
    .then(async settled => ({ ...settled, house: await addPeople(settled.home) }))
  inHome('a household', true, async group => {
    const { house, songs, found } = await ready
    await prepareOthers(house)
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
    // On the page the account plays songs of its own, which its lists have then.
    group('an account beside the owner', t => checkPrivacy(t, house, found))
    group('the page', t => checkPage(t, house, browser, found))
    group('an account with a login of its own at another server', t => checkLogin(t, house, found))
    group('a child that sees a part of the folder', t => checkChild(t, house, found))
  })
  for (const [name, down] of [['shed', 'subsonic'], ['barn', 'friend']] as const) {
    inHome(`a home whose source is down: ${down}`, true, async group => {
      const { home, found } = await settle(name)
      group(`${down} is down`, t => checkOutages(t, home, found, down))
    })
  }
  // When no other home needs them any more.
  inHome('a household whose servers are killed', false, async group => {
    const { house, found } = await ready
    group('the source of a friend', t => checkFriend(t, house))
    group('servers are killed', t => checkKills(t, house, found))
    group('the house is restarted', t => checkRestart(t, house, found))
    const before = await elder
    group('the house goes back to the version before', t => checkReturn(t, house, before))
    if (process.getuid?.() === 0) group('the disk of the house is full', t => checkFullDisk(t, house, found))
  })
}
