import type { Page } from 'playwright-core'
import t from 'tap'
import { TimeoutError, type Track } from 'fastify-source-origin'
import { launch } from '../browser.ts'
import {
  addSource, elsewhere, keepElements, playedTo, playerOf, type Served, silenceUrl, switchSource, token, type Visit,
  visit
} from './helper.ts'
import { deferred } from '../helper.ts'
import type { WholeAdapter } from '../reference-source.ts'

const browser = await launch(t)
const play = (title: string) => ({ name: `Play ${title}`, exact: true })

/** Something that comes when `come` is called. */
function later () {
  const { promise: late, resolve: come } = deferred<void>()
  return { late, come }
}

/** Whatever the page does with an answer, it has done some frames after it. */
const settled = ({ page }: Visit) =>
  page.evaluate('(async () => { for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame) })()')

/** A source of 200 numbered tracks of ten minutes. `wait` says what an answer waits for. */
const numbered = (wait: (offset: number) => unknown) => (base: WholeAdapter, served: () => Served) => ({
  getTrackUrl: async (_id: string, quality?: string) =>
    ({ ...await base.getTrackUrl('t1', quality), url: silenceUrl(served(), 1) }),
  searchTracks: async (_keyword: string, offset: number, limit: number) => {
    await wait(offset)
    const track = await base.getTrackDetail('t1')
    const items = Array.from({ length: limit }, (_empty, index) =>
      ({ ...track, id: `n${offset + index}`, title: `Number ${offset + index}` }))
    return { items, offset, limit, hasMore: offset + limit < 200 }
  }
})

/** Plays the first fifty of them, and goes on to the last. */
async function playFifty ({ page, go }: Visit): Promise<void> {
  await go('/search/number')
  await page.getByRole('button', play('Number 0')).click()
  await go('/queue')
  await page.evaluate('document.getElementById("main").scrollTop = 1e9')
  await page.getByRole('button', play('Number 49')).click()
  await playerOf(page).titled('Number 49').waitFor()
}

const pressNext = (page: Page) => playerOf(page).next.click()

t.test('a URL that comes after the listener went to another source is not played there', async t => {
  const { late, come } = later()
  const other = await elsewhere(t)
  await visit(t, browser, {
    adapter: (base, served) => ({
      getTrackUrl: async (id, quality) => {
        await late
        return { ...await base.getTrackUrl(id, quality), url: silenceUrl(served(), 1) }
      }
    })
  }, async visited => {
    const { page, go, served } = visited
    await addSource(visited, other)
    await go('/daily')
    await page.getByRole('button', play('Noon Song 5')).click()
    await playedTo(page, 0.1)
    await switchSource(visited, 'Test source')
    const asked = page.waitForRequest(/track\/url\?id=t4/)
    await page.getByRole('button', play('Morning Song 4')).click()
    await asked
    await switchSource(visited, 'The other one')
    const sounds: string[] = []
    page.on('request', request => {
      if (request.url().startsWith(served.origin) && /silence/.test(request.url())) sounds.push(request.url())
    })
    come()
    await settled(visited)
    await playerOf(page).titled('Noon Song 5').waitFor()
    await playerOf(page).play.click()
    await playedTo(page, 0.1)
    t.strictSame(sounds, [])
  })
})

t.test('more tracks that come after the listener chose something else do not go on from there', t => {
  const { late, come } = later()
  let asked = 0
  return visit(t, browser, {
    adapter: (base, served) => ({
      getRoamTracks: async () => {
        if (asked++ > 0) await late
        return (await base.getRoamTracks()).slice(0, 1)
      },
      getTrackUrl: async (id, quality) => ({ ...await base.getTrackUrl(id, quality), url: silenceUrl(served(), 1) })
    })
  }, async visited => {
    const { page, go } = visited
    await page.getByRole('button', { name: /^Radio/ }).click()
    await playedTo(page, 0.1)
    const more = page.waitForRequest(/track\/roam/)
    await playerOf(page).next.click()
    await more
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playerOf(page).titled('Morning Song 4').waitFor()
    const came = page.waitForResponse(/track\/roam/)
    come()
    await came
    await settled(visited)
    t.equal(await playerOf(page).title.textContent(), 'Morning Song 4')
    await playedTo(page, 0.1)
  })
})

for (const [name, path, start] of [
  ['roaming', /track\/roam/, async ({ page }: Visit) => page.getByRole('button', { name: /^Radio/ }).click()],
  ['similar tracks', /track\/similar/, async ({ page, go }: Visit) => {
    await go('/new')
    await page.getByRole('button', { name: 'More for Morning Song 8' }).click()
    await page.getByRole('button', { name: 'Play similar tracks' }).click()
  }]
] as const) {
  t.test(`what was asked for by ${name} is not played when the listener plays something else meanwhile`, t => {
    const { late, come } = later()
    const waits = (get: () => unknown) => async () => { await late; return get() as Track[] }
    return visit(t, browser, {
      adapter: base =>
        ({ getRoamTracks: waits(base.getRoamTracks), getSimilarTracks: waits(() => base.getSimilarTracks('t8')) })
    }, async visited => {
      const { page, go } = visited
      const asked = page.waitForRequest(path)
      await start(visited)
      await asked
      await go('/daily')
      await page.getByRole('button', play('Evening Song 6')).click()
      await playerOf(page).titled('Evening Song 6').waitFor()
      const came = page.waitForResponse(path)
      come()
      await came
      await settled(visited)
      t.equal(await playerOf(page).title.textContent(), 'Evening Song 6')
    })
  })
}

t.test('a token that was typed for one source is not there for another', async t => {
  const other = await elsewhere(t)
  await visit(t, browser, {}, async visited => {
    const { page, go } = visited
    const signOut = async () => {
      await go('/sources')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.locator('.gate').getByLabel('Token').waitFor()
    }
    await addSource(visited, other)
    await signOut()
    await page.locator('.gate').getByLabel('Source').selectOption('Test source')
    await page.locator('.brand', { hasText: 'Test source' }).waitFor()
    await signOut()
    await page.getByLabel('Token').fill('typed')
    await page.locator('.gate').getByLabel('Source').selectOption('The other one')
    await page.getByRole('heading', { level: 1, name: 'The other one' }).waitFor()
    t.equal(await page.getByLabel('Token').inputValue(), '')
  })
})

t.test('tracks are not added to a playlist of the source that one has gone to meanwhile', async t => {
  const { late, come } = later()
  const other = await elsewhere(t)
  await visit(t, browser, {
    adapter: base => ({
      addTrackToPlaylist: async (id, trackId) => {
        await late
        return base.addTrackToPlaylist(id, trackId)
      }
    })
  }, async visited => {
    const { page, go, served, sees } = visited
    const { id } = await served.adapter.createPlaylist('Mine')
    await addSource(visited, other)
    await switchSource(visited, 'Test source')
    await go('/album/b2')
    await page.locator('.hero').getByRole('button', { name: /^More for/ }).click()
    await page.getByRole('button', { name: 'Add to playlist' }).click()
    const asked = page.waitForRequest(/page\/playlist/)
    await page.locator('.menu').getByRole('button', { name: 'Mine' }).click()
    await asked
    await switchSource(visited, 'The other one')
    const changes: string[] = []
    page.on('request', request => {
      if (request.url().startsWith(other.origin) && request.method() !== 'GET') changes.push(request.url())
    })
    come()
    await sees('Added to Mine')
    t.strictSame(changes, [])
    t.equal((await served.adapter.getPlaylistDetail(id, -1)).tracks.length, 4)
  })
})

t.test('tracks are not added to a new playlist that was made for the source before', async t => {
  const { late, come } = later()
  const other = await elsewhere(t)
  await visit(t, browser, {
    adapter: base => ({
      createPlaylist: async name => {
        await late
        return base.createPlaylist(name)
      }
    })
  }, async visited => {
    const { page, go } = visited
    await addSource(visited, other)
    await switchSource(visited, 'Test source')
    await go('/daily')
    await page.getByRole('button', { name: 'More for Noon Song 5' }).click()
    await page.getByRole('button', { name: 'Add to playlist' }).click()
    await page.getByRole('textbox', { name: 'New playlist' }).fill('Mine')
    const asked = page.waitForRequest(/page\/playlist/)
    await page.keyboard.press('Enter')
    await asked
    await switchSource(visited, 'The other one')
    const details: string[] = []
    page.on('request', request => { if (/playlist\/detail/.test(request.url())) details.push(request.url()) })
    const came = page.waitForResponse(/page\/playlist/)
    come()
    await came
    await settled(visited)
    t.strictSame(details, [])
  })
})

t.test('a track that is added again before the answer comes is in the playlist once', t => {
  const { late, come } = later()
  const added: string[] = []
  return visit(t, browser, {
    adapter: base => ({
      addTrackToPlaylist: async (id, trackId) => {
        added.push(trackId)
        await late
        return base.addTrackToPlaylist(id, trackId)
      }
    })
  }, async visited => {
    const { page, go, served, sees } = visited
    await served.adapter.createPlaylist('Mine')
    await go('/daily')
    const add = async () => {
      await page.getByRole('button', { name: 'More for Noon Song 5' }).click()
      await page.getByRole('button', { name: 'Add to playlist' }).click()
      await page.locator('.menu').getByRole('button', { name: 'Mine' }).click()
    }
    const asked = page.waitForRequest(/page\/playlist$/)
    await add()
    await asked
    await add()
    await settled(visited)
    come()
    await sees('Already in Mine')
    t.strictSame(added, ['t5'])
  })
})

t.test('of an album none is added where one track fails, and no new list stays behind', t => visit(t, browser, {
  adapter: base => ({
    addTrackToPlaylist: async (id, trackId) => {
      const { tracks } = await base.getPlaylistDetail(id, -1)
      await base.addTrackToPlaylist(id, trackId)
      // It is done, though nobody hears of it.
      if (tracks.length === 2) throw new TimeoutError()
      return { success: true }
    }
  })
}, async ({ page, go, served, sees }) => {
  const { id } = await served.adapter.createPlaylist('Mine')
  const choose = async () => {
    await page.locator('.hero').getByRole('button', { name: /^More for/ }).click()
    await page.getByRole('button', { name: 'Add to playlist' }).click()
  }
  await go('/album/b2')
  await choose()
  await page.locator('.menu').getByRole('button', { name: 'Mine' }).click()
  await sees(/^Nothing was added to Mine\. /)
  t.strictSame((await served.adapter.getPlaylistDetail(id, -1)).tracks, [])
  await choose()
  await page.getByRole('textbox', { name: 'New playlist' }).fill('Fresh')
  const asked = page.waitForResponse(/page\/playlist/)
  await page.keyboard.press('Enter')
  await asked
  t.notMatch(await served.adapter.getUserPlaylist(), [{ name: 'Mine' }, { name: 'Fresh' }])
}))

t.test('an album is added to a playlist whole though the tab is closed meanwhile', t => {
  const { late, come } = later()
  const { promise: begun, resolve: begin } = deferred<void>()
  const { promise: ended, resolve: end } = deferred<void>()
  let added = 0
  return visit(t, browser, {
    adapter: base => ({
      addTrackToPlaylist: async (id, trackId) => {
        begin()
        await late
        const answer = await base.addTrackToPlaylist(id, trackId)
        if (++added === 4) end()
        return answer
      }
    })
  }, async ({ page, go, served }) => {
    const { id } = await served.adapter.createPlaylist('Mine')
    await go('/album/b2')
    await page.locator('.hero').getByRole('button', { name: /^More for/ }).click()
    await page.getByRole('button', { name: 'Add to playlist' }).click()
    await page.locator('.menu').getByRole('button', { name: 'Mine' }).click()
    await begun
    await page.close()
    come()
    await ended
    t.equal((await served.adapter.getPlaylistDetail(id, -1)).tracks.length, 4)
  })
})

t.test('more tracks that are on their way for another list do not keep this one from going on', t => {
  const { late, come } = later()
  let asked = 0
  return visit(t, browser, {
    adapter: (base, served) => ({
      ...numbered(() => {})(base, served),
      getRoamTracks: async () => {
        if (asked++ > 0) await late
        return (await base.getRoamTracks()).slice(0, 1)
      }
    })
  }, async visited => {
    const { page } = visited
    await page.getByRole('button', { name: /^Radio/ }).click()
    await playedTo(page, 0.1)
    const more = page.waitForRequest(/track\/roam/)
    await pressNext(page)
    await more
    await playFifty(visited)
    await pressNext(page)
    await playerOf(page).titled('Number 50').waitFor()
    come()
  })
})

t.test('clearing the queue and undoing that while more of it is on its way loses nothing', t => {
  const { late, come } = later()
  return visit(t, browser, {
    adapter: numbered(offset => offset === 50 && late)
  }, async visited => {
    const { page, row } = visited
    const more = page.waitForRequest(/offset=50/)
    await playFifty(visited)
    await pressNext(page)
    await more
    await page.getByRole('button', { name: 'Clear' }).click()
    await row('Number 48').waitFor({ state: 'detached' })
    const came = page.waitForResponse(/offset=50/)
    come()
    await came
    await settled(visited)
    await page.getByRole('button', { name: 'Undo' }).click()
    await row('Number 48').waitFor()
    await pressNext(page)
    await playerOf(page).title.filter({ hasNotText: 'Number 49' }).waitFor()
    t.equal(await playerOf(page).title.textContent(), 'Number 50')
  })
})

for (const how of ['Next is pressed', 'its last track ends']) {
  t.test(`a list whose view was left while more of it is on its way goes on when ${how}`, t => {
    const { late, come } = later()
    let asked = 0
    return visit(t, browser, {
      adapter: numbered(offset => offset === 50 && asked++ === 0 && late)
    }, async ({ page, go }) => {
      await keepElements(page)
      await go('/search/number')
      await page.getByRole('button', play('Number 0')).waitFor()
      const more = page.waitForRequest(/offset=50/)
      await page.evaluate('document.getElementById("main").scrollTop = 1e9')
      await more
      await page.getByRole('button', play('Number 49')).click()
      await playedTo(page, 0.1)
      if (how === 'Next is pressed') await pressNext(page)
      else {
        await page.evaluate('elements.find(element => !element.paused).currentTime = 599.5')
        await page.waitForFunction(() => elements.some(element => element.ended))
      }
      await go('/daily')
      await playerOf(page).titled('Number 50').waitFor()
      come()
    })
  })
}

for (const [what, count] of [['one', 1], ['none', 0]] as const) {
  t.test(`who goes back in the last track while the source is asked for more hears it on when it gives ${what}`, t => {
    const { late, come } = later()
    let asked = 0
    return visit(t, browser, {
      adapter: (base, served) => ({
        ...numbered(() => {})(base, served),
        getRoamTracks: async () => {
          const tracks = await base.getRoamTracks()
          if (asked++ === 0) return tracks.slice(0, 1)
          await late
          return tracks.slice(1, 1 + count)
        }
      })
    }, async visited => {
      const { page } = visited
      await keepElements(page)
      await page.getByRole('button', { name: /^Radio/ }).click()
      await playedTo(page, 0.1)
      const title = await playerOf(page).title.textContent()
      const more = page.waitForRequest(/track\/roam/)
      await page.evaluate('elements.find(element => !element.paused).currentTime = 599.5')
      await more
      await page.waitForFunction(() => elements.some(element => element.ended))
      await page.locator('.player .seek input').fill('10')
      await playedTo(page, 10.2)
      const came = page.waitForResponse(/track\/roam/)
      come()
      await came
      await settled(visited)
      t.equal(await playerOf(page).title.textContent(), title)
      t.ok(await page.evaluate('elements.some(element => !element.paused)'))
      await page.locator('.player-center').getByRole('button', { name: 'Pause' }).waitFor()
    })
  })
}

t.test('what was asked for by roaming says nothing to who has signed out meanwhile', t => {
  const { late, come } = later()
  return visit(t, browser, {
    adapter: base => ({
      getRoamTracks: async () => {
        await late
        return base.getRoamTracks()
      }
    })
  }, async visited => {
    const { page, go } = visited
    const asked = page.waitForRequest(/track\/roam/)
    await page.getByRole('button', { name: /^Radio/ }).click()
    await asked
    await go('/sources')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.locator('.gate').getByLabel('Token').waitFor()
    const came = page.waitForResponse(/track\/roam/)
    come()
    await came
    await settled(visited)
    t.equal(await page.locator('.notice').count(), 0)
  })
})

t.test('the list of keys that is loaded late is not there for who has signed out and in meanwhile', t =>
  visit(t, browser, {}, async visited => {
    const { page, open } = visited
    const { late, come } = later()
    const asked = page.waitForRequest(/page\/later-/)
    await page.route(/page\/later-/, async route => {
      await late
      await route.continue()
    })
    await open('/')
    await page.keyboard.press('?')
    const request = await asked
    await page.locator('.avatar').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click()
    const field = page.locator('.gate').getByLabel('Token')
    await field.waitFor()
    come()
    await request.response()
    await settled(visited)
    await field.fill(token)
    await field.press('Enter')
    await page.locator('.brand').waitFor()
    await settled(visited)
    t.equal(await page.locator('dialog[open]').count(), 0)
  }))

for (const [what, isThere, leave] of [
  ['is not shown over another source', false, (visited: Visit) => switchSource(visited, 'The other one')],
  // As when links are clicked faster than the browser tells of them.
  ['is there again though the same address was told of again', true, ({ page }: Visit) =>
    page.evaluate('dispatchEvent(new Event("hashchange"))')]
] as const) {
  t.test(`a form that could not be saved ${what}`, async t => {
    const { late, come } = later()
    const other = await elsewhere(t)
    await visit(t, browser, {
      adapter: () => ({
        createPlaylist: async () => {
          await late
          throw new Error('no')
        }
      })
    }, async visited => {
      const { page, go, sees } = visited
      await addSource(visited, other)
      await switchSource(visited, 'Test source')
      await go('/library/playlists')
      await page.getByRole('button', { name: 'New playlist' }).click()
      await page.getByLabel('Name').fill('Mine')
      const asked = page.waitForRequest(/playlist\/create/)
      await page.getByRole('button', { name: 'Save' }).click()
      await asked
      await leave(visited)
      come()
      await sees(/The source reported an error/)
      await settled(visited)
      t.equal(await page.locator('dialog[open]').count(), isThere ? 1 : 0)
    })
  })
}
