import t, { type Test } from 'tap'
import { UpstreamError } from 'fastify-source-origin'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import { launch } from '../browser.ts'
import { nextFrames, playerOf, token, type Visit, visit, wide, widths } from './helper.ts'
import { requestEnd } from './request-end.ts'
import { until } from '../example/helper.ts'
import { deferred } from '../helper.ts'

const browser = await launch(t)

t.test('what an account keeps is called its music, and an empty list says what comes there', t => visit(t, browser, {
  adapter: () => ({
    userFavoriteTracks: () => [], userAlbums: () => [], userArtists: () => [], getUserPlaylist: () => []
  })
}, async ({ page, sees, go }) => {
  await go('/')
  await page.getByRole('link', { name: 'My music' }).first().click()
  for (const tab of ['Favourite tracks', 'Artists', 'Albums']) {
    await page.locator('.segments').getByRole('link', { name: tab }).click()
    await page.getByRole('heading', { name: tab }).waitFor()
    await sees('Your favourites appear here. Add them with the heart.')
  }
  await page.locator('.segments').getByRole('link', { name: 'My playlists' }).click()
  await sees('Playlists that you create appear here.')
}))

t.test('a favourite survives a reload and is in the library', t => visit(t, browser, {}, async ({ page, row, go }) => {
  await go('/daily')
  const heart = page.getByRole('button', { name: 'Favourite: Noon Song 5' })
  await heart.click()
  await page.locator('.row [aria-pressed=true]').waitFor()
  await page.reload()
  await heart.waitFor()
  t.equal(await heart.getAttribute('aria-pressed'), 'true')
  await go('/library/tracks')
  await row('Noon Song 5').waitFor()
}))

t.test('a favourite of one tab is that of the others', t => visit(t, browser, {}, async ({ page, served, go }) => {
  const other = await page.context().newPage()
  await other.goto(`${served.origin}/#/daily`)
  await go('/daily')
  for (const state of ['true', 'false']) {
    await page.getByRole('button', { name: 'Favourite: Noon Song 5' }).click()
    await other.locator(`[aria-label="Favourite: Noon Song 5"][aria-pressed=${state}]`).waitFor()
  }
}))

t.test('a playlist made in one tab is in the others', t => visit(t, browser, {}, async ({ page, served, go }) => {
  const other = await page.context().newPage()
  await other.goto(`${served.origin}/#/library/playlists`)
  await other.getByText('Playlists that you create appear here.').waitFor()
  await go('/library/playlists')
  await page.getByRole('button', { name: 'New playlist' }).click()
  await page.getByLabel('Name').fill('Of two tabs')
  await page.keyboard.press('Enter')
  await other.locator('.sidebar').getByRole('link', { name: 'Of two tabs' }).waitFor()
}))

t.test('a change that the source refuses is taken back with a sentence', t => visit(t, browser, {
  adapter: () => ({ favoriteTrack: () => ({ success: false, status: false }) })
}, async ({ page, go, sees }) => {
  await go('/daily')
  const heart = page.getByRole('button', { name: 'Favourite: Noon Song 5' })
  await heart.click()
  await sees('The source rejected the change.')
  t.equal(await heart.getAttribute('aria-pressed'), 'false')
}))

t.test('a favourite that is changed again before the answer comes is in the end what the source has', t => {
  const asked: boolean[] = []
  const answers: (() => void)[] = []
  return visit(t, browser, {
    adapter: () => ({
      favoriteTrack: (_id, status) => {
        const count = asked.push(status)
        if (count > 2) return { success: true, status }
        return new Promise((_resolve, reject) => answers.push(() => reject(new UpstreamError(`gone ${count}`))))
      }
    })
  }, async ({ page, go, sees }) => {
    await go('/daily')
    const heart = page.getByRole('button', { name: 'Favourite: Noon Song 5' })
    const isPressed = (state: boolean) =>
      page.locator(`[aria-label="Favourite: Noon Song 5"][aria-pressed=${state}]`).first().waitFor()
    await heart.click()
    await isPressed(true)
    await heart.click()
    await isPressed(false)
    for (const count of [1, 2]) {
      while (asked.length < count) await page.waitForTimeout(20)
      answers[count - 1]!()
    }
    await sees('The source reported an error: gone 2')
    await isPressed(false)
    // Changes come in their order: one too many would be between these.
    await heart.click()
    await isPressed(true)
    await heart.click()
    while (asked.length < 4) await page.waitForTimeout(20)
    t.strictSame(asked, [true, false, true, false])
  })
})

t.test('albums and artists can be favourites too', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/album/b2')
  await page.getByRole('button', { name: 'Favourite: Evening Music' }).click()
  await go('/library/albums')
  await page.locator('.cards').getByText('Evening Music').waitFor()
  await go('/library/artists')
  await page.locator('.cards').getByText('Bela Quartet').waitFor()
}))

t.test('a playlist is made, filled, sorted, renamed, emptied and deleted', t =>
  visit(t, browser, {}, async ({ page, row, go, sees }) => {
    await go('/library/playlists')
    await page.getByRole('button', { name: 'New playlist' }).click()
    await page.getByLabel('Name').fill('Mine')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.cards').getByText('Mine').waitFor()

    await go('/daily')
    for (const title of ['Night Song 7', 'Morning Song 4']) {
      await page.getByRole('button', { name: `More for ${title}` }).click()
      await page.getByRole('button', { name: 'Add to playlist' }).click()
      const added = page.waitForResponse('**/page/playlist')
      await page.locator('.menu button', { hasText: 'Mine' }).click()
      await added
      await sees('Added to Mine')
    }
    await go('/library/playlists')
    await page.locator('.cards').getByText('Mine').click()
    await row('Night Song 7').waitFor()
    const titles = () => page.locator('.row .title').allTextContents()
    t.strictSame(await titles(), ['Night Song 7', 'Morning Song 4'])
    await page.getByLabel('Sort by').selectOption('Title')
    await page.locator('.row .title').first().filter({ hasText: 'Morning Song 4' }).waitFor()
    t.strictSame(await titles(), ['Morning Song 4', 'Night Song 7'])
    await page.getByRole('button', { name: 'Ascending' }).click()
    await page.locator('.row .title').first().filter({ hasText: 'Night Song 7' }).waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name').fill('Ours')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ours' }).waitFor()

    await page.getByRole('button', { name: 'More for Night Song 7' }).click()
    await page.getByRole('button', { name: 'Remove from this playlist' }).click()
    await row('Night Song 7').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Delete' }).click()
    await page.locator('.dialog').getByRole('button', { name: 'Delete' }).click()
    await sees('“Ours” was deleted')
    await page.getByRole('heading', { level: 1, name: 'My playlists' }).waitFor()
    t.equal(await page.locator('.cards').getByText('Ours').count(), 0)
  }))

t.test('a playlist that is open can still be changed when another one was made', t =>
  visit(t, browser, {}, async ({ page, row, go, sees }) => {
    const make = async (title: string, name: string) => {
      await page.getByRole('button', { name: `More for ${title}` }).click()
      await page.getByRole('button', { name: 'Add to playlist' }).click()
      await page.getByLabel('New playlist').fill(name)
      const listed = page.waitForResponse('**/v1/user/playlist/list')
      await page.getByRole('button', { name: 'Create' }).click()
      await sees(`Added to ${name}`)
      return listed
    }
    await go('/daily')
    await make('Night Song 7', 'One')
    await go('/library/playlists')
    await page.locator('.cards').getByText('One').click()
    await row('Night Song 7').waitFor()
    await page.getByRole('button', { name: 'Edit' }).waitFor()
    await make('Night Song 7', 'Two')
    await nextFrames(page)
    t.equal(await page.getByRole('button', { name: 'Edit' }).count(), 1)
  }))

t.test('a playlist of the account can be changed though the list of them could not be loaded at first', t =>
  visit(t, browser, {}, async ({ page, go, served }) => {
    const { id } = await served.adapter.createPlaylist('Mine')
    const list = '**/v1/user/playlist/list'
    await page.route(list, route => route.abort('internetdisconnected'))
    // Those that the reload ends fail, too.
    const failed = page.waitForEvent('requestfailed', request =>
      request.failure()?.errorText === 'net::ERR_INTERNET_DISCONNECTED')
    await page.reload()
    await failed
    await go(`/playlist/${id}`)
    await page.getByRole('heading', { level: 1, name: 'Mine' }).waitFor()
    await page.unroute(list)
    await page.evaluate('dispatchEvent(new Event("online"))')
    await page.getByRole('button', { name: 'Delete' }).waitFor()
  }))

t.test('who goes elsewhere while a playlist is deleted stays there', t => {
  const { promise: late, resolve: answer } = deferred<void>()
  return visit(t, browser, {
    adapter: base => ({ deletePlaylist: async id => { await late; return base.deletePlaylist(id) } })
  }, async ({ page, go, open, sees }) => {
    await go('/library/playlists')
    await page.getByRole('button', { name: 'New playlist' }).click()
    await page.getByLabel('Name').fill('Mine')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.cards').getByText('Mine').click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.locator('.dialog').getByRole('button', { name: 'Delete' }).click()
    await open('/artists')
    const listed = page.waitForResponse('**/v1/user/playlist/list')
    answer()
    await sees('“Mine” was deleted')
    await listed
    await nextFrames(page)
    t.match(page.url(), /#\/artists$/)
  })
})

t.test('the account behind the source is shown', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/library')
  await page.locator('.profile', { hasText: 'Ada' }).waitFor()
  t.match(await page.locator('.profile').textContent(), 'Reference')
}))

t.test('who signs in anew sees nothing of the account before', t => {
  let name = 'Ada'
  const { promise: isAsked, resolve: asked } = deferred<void>()
  const { promise: late, resolve: answer } = deferred<void>()
  return visit(t, browser, {
    adapter: () => ({
      favoriteTrack: (_id, status) => ({ success: true, status }),
      getUserPlaylist: async () => {
        const list = [{ id: `of${name}`, name: `List of ${name}`, coverUrl: '' }]
        if (name === 'late') {
          asked()
          await late
        }
        return list
      }
    })
  }, async ({ page, go, open, sees }) => {
    const lists = async () => {
      await page.getByRole('button', { name: 'More for Noon Song 5' }).click()
      await page.getByRole('button', { name: 'Add to playlist' }).click()
      await page.locator('.menu', { hasText: 'List of' }).waitFor()
      const names = await page.locator('.menu button').allTextContents()
      await page.keyboard.press('Escape')
      return names
    }
    const signInAnew = async () => {
      await go('/sources')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('Token').fill(token)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      await go('/daily')
    }
    const heart = page.getByRole('button', { name: 'Favourite: Noon Song 5' })
    await go('/daily')
    await heart.click()
    await page.locator('.row [aria-pressed=true]').waitFor()
    t.strictSame(await lists(), ['List of Ada'])
    name = 'Bela'
    await signInAnew()
    await heart.waitFor()
    t.equal(await heart.getAttribute('aria-pressed'), 'false')
    t.strictSame(await lists(), ['List of Bela'])

    // The list is asked for after a change, whatever view is open when it comes.
    await open('/library/playlists')
    await page.getByRole('button', { name: 'New playlist' }).click()
    name = 'late'
    await page.getByLabel('Name').fill('New one')
    await page.getByRole('button', { name: 'Save' }).click()
    await sees('“New one” was created')
    await isAsked
    name = 'Cleo'
    await signInAnew()
    const ended = requestEnd(page, /\/v1\/user\/playlist\/list$/)
    answer()
    await ended
    t.strictSame(await lists(), ['List of Cleo'])
  })
})

t.test('an app password is made, shown once with what an app asks for, copied, and revoked', t => {
  const accounts = createAccounts({ store: memoryAccountStore(), secret: Buffer.alloc(32, 1) })
  let tokenId: string | null = null
  return visit(t, browser, {
    page: { appPasswords: { ...accounts, find: () => ({ id: 'ann', tokenId }) } }
  }, async ({ page, go, open, sees, served }) => {
    await open('/sources')
    t.equal(await page.getByRole('heading', { name: 'App passwords' }).count(), 0, 'a fixed token needs none')
    tokenId = 'of the page'
    await go('/daily')
    await go('/sources')
    await page.getByLabel('Name of the app').fill('My phone')
    await page.getByRole('button', { name: 'Create' }).click()
    const dialog = page.getByRole('dialog', { name: 'My phone' })
    t.equal(await dialog.getByLabel('Address', { exact: true }).inputValue(), served.origin)
    t.equal(await dialog.getByLabel('User name', { exact: true }).inputValue(), 'ann')
    const password = await dialog.getByLabel('Password', { exact: true }).inputValue()
    t.ok(await accounts.logIn({ username: 'ann', verify: secret => secret === password }))
    await dialog.getByRole('button', { name: 'Copy: Password' }).click()
    await sees('Copied')
    await page.keyboard.press('Escape')
    const [made] = await accounts.list('ann')
    await page.getByLabel('Name of the app').press('Control+v')
    t.equal(await page.getByLabel('Name of the app').inputValue(), password)
    t.notMatch(await page.locator('.source-list').last().textContent(), password)

    await page.getByRole('button', { name: 'Revoke My phone' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    t.strictSame(await accounts.list('ann'), [made])
    await page.getByRole('button', { name: 'Revoke My phone' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('button', { name: 'Revoke My phone' }).waitFor({ state: 'detached' })
    await sees('“My phone” is revoked')
    t.strictSame(await accounts.list('ann'), [])
  })
})

t.test('a stateless source shows nothing of an account', t => visit(t, browser, {
  context: { stateless: true }
}, async ({ page, go, row }) => {
  await go('/daily')
  await row('Noon Song 5').waitFor()
  t.equal(await page.getByRole('link', { name: 'My music' }).count(), 0)
  await page.getByRole('button', { name: 'More for Noon Song 5' }).click()
  t.strictSame(await page.locator('.menu button').allTextContents(), [
    'Play next', 'Add to queue', 'Play similar tracks', 'Go to album', 'Go to artist', 'About this track'
  ])
}))

for (const width of widths) {
  t.test(`several tracks are selected, queued, added and removed together, ${width} px`, t => visit(t, browser, {
    browser: wide(width)
  }, async ({ page, go, row, sees }) => {
    const title = (name: string) => row(name).locator('.title')
    await go('/daily')
    await row('Morning Song 4').click({ modifiers: ['Control'], position: { x: 2, y: 2 } })
    await sees('1 selected')
    await page.keyboard.press('Escape')
    await page.getByText('1 selected').waitFor({ state: 'detached' })
    await title('Morning Song 4').click({ modifiers: ['Control'] })
    await title('Evening Song 6').click({ modifiers: ['Shift'] })
    await title('Noon Song 5').click({ modifiers: ['Control'] })
    await title('Night Song 7').click({ modifiers: ['Control'] })
    await sees('3 selected')
    t.equal(await playerOf(page).title.count(), 0, 'nothing is played by that')
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('button', { name: 'Add to queue' }).click()
    await sees('3 tracks added to the queue')
    await row('Night Song 7').locator('.row-text').click({ button: 'right', position: { x: 2, y: 2 } })
    await page.getByRole('heading', { name: '3 selected' }).waitFor()
    await page.getByRole('button', { name: 'Add to playlist' }).click()
    await page.getByRole('textbox', { name: 'New playlist' }).fill('Three')
    await page.keyboard.press('Enter')
    await sees('Added to Three')
    await go('/library/playlists')
    await page.getByRole('main').getByRole('link', { name: 'Three' }).click()
    await row('Night Song 7').waitFor()
    t.strictSame(await page.locator('.row .title').allTextContents(), [
      'Morning Song 4', 'Evening Song 6', 'Night Song 7'
    ])
    await title('Morning Song 4').focus()
    await page.keyboard.press('Shift+ArrowDown')
    await sees('2 selected')
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('button', { name: 'Remove from this playlist' }).click()
    await row('Morning Song 4').waitFor({ state: 'detached' })
    t.strictSame(await page.locator('.row .title').allTextContents(), ['Night Song 7'])
    await go('/queue')
    await title('Evening Song 6').click({ modifiers: ['Control'] })
    await title('Night Song 7').click({ modifiers: ['Control'] })
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('button', { name: 'Remove from queue' }).click()
    await row('Night Song 7').waitFor({ state: 'detached' })
    t.strictSame(await page.locator('.row .title').allTextContents(), ['Morning Song 4'])
  }))

  t.test(`a whole album is queued and added from its page and its card, ${width} px`, t => visit(t, browser, {
    browser: wide(width)
  }, async ({ page, go, row, sees }) => {
    await go('/album/b0')
    await page.getByRole('button', { name: 'More for Morning Music' }).click()
    await page.getByRole('button', { name: 'Add to queue' }).click()
    await sees('4 tracks added to the queue')
    await go('/search/noon?in=albums')
    await page.locator('main .card').click({ button: 'right' })
    await page.getByRole('button', { name: 'Play next' }).click()
    await row('Noon').waitFor({ state: 'detached' })
    await go('/queue')
    await row('Noon Song 1').first().waitFor()
    t.strictSame((await page.locator('.row .title').allTextContents()).slice(0, 3), [
      'Morning Song 0', 'Noon Song 1', 'Noon Song 5'
    ])
    await go('/search/ada?in=artists')
    await page.getByRole('button', { name: 'More for Ada Quartet' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Add to playlist' }).click()
    await page.getByRole('textbox', { name: 'New playlist' }).fill('Of Ada')
    await page.keyboard.press('Enter')
    await sees('Added to Of Ada')
  }))
}

t.test('a finger that misses the title of a track plays it, and one that stays gives its menu', t => visit(t, browser, {
  browser: wide(390)
}, async ({ page, go, row }) => {
  await go('/daily')
  const box = (await row('Noon Song 5').boundingBox())!
  await page.touchscreen.tap(box.x + 250, box.y + 6)
  await playerOf(page).titled('Noon Song 5').waitFor()
  const session = await page.context().newCDPSession(page)
  const { x, y } = (await row('Evening Song 6').boundingBox())!
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: x + 100, y: y + 20 }] })
  await page.getByRole('heading', { name: 'Evening Song 6' }).waitFor()
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  t.equal(await playerOf(page).title.textContent(), 'Noon Song 5')
  await page.getByRole('button', { name: 'Play next' }).click()
  await row('Noon Song 5').waitFor()
}))

for (const width of widths) {
  t.test(`a double click beside the title plays, a right click gives the menu at the pointer, ${width} px`, t =>
    visit(t, browser, { browser: wide(width) }, async ({ page, go, row }) => {
      await go('/daily')
      const beside = row('Noon Song 5').locator('.row-text')
      await beside.waitFor()
      const box = (await beside.boundingBox())!
      const position = { x: box.width - 4, y: 6 }
      await beside.click({ button: 'right', position })
      const menu = page.getByRole('dialog', { name: 'Noon Song 5' })
      await menu.waitFor()
      const shown = (await menu.boundingBox())!
      if (width > 720) t.ok(Math.abs(shown.x - box.x - position.x) < 9 && Math.abs(shown.y - box.y - 6) < 9)
      t.ok(shown.x >= 0 && shown.x + shown.width <= width && shown.y + shown.height <= 800)
      await page.keyboard.press('Escape')
      await menu.waitFor({ state: 'hidden' })
      t.equal(await playerOf(page).title.count(), 0)
      await beside.dblclick({ position })
      await playerOf(page).titled('Noon Song 5').waitFor()
    }))
}

t.test('cards are played from themselves and from their menu', t => visit(t, browser, {}, async ({ page, go }) => {
  const card = page.locator('.card', { hasText: 'Morning Music' }).first()
  const playIt = card.getByRole('button', { name: 'Play Morning Music' })
  const opacity = () => playIt.evaluate(button => getComputedStyle(button).opacity)
  t.equal(await opacity(), '0')
  await card.hover()
  t.equal(await opacity(), '1')
  await playIt.click()
  await playerOf(page).titled('Morning Song').waitFor()
  await go('/artist/a1?show=albums')
  const choose = async (action: string) => {
    await page.locator('.card', { hasText: 'Noon Music' }).first().click({ button: 'right' })
    await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click()
  }
  await choose('Play')
  await playerOf(page).titled('Noon Song 1').waitFor()
  t.equal(await playerOf(page).shuffle.getAttribute('aria-pressed'), 'false')
  await choose('Shuffle')
  await page.locator('.player [aria-label=Shuffle][aria-pressed=true]').waitFor()
}))

t.test('a playlist of one\'s own is put into order by keys and by dragging, and what was changed comes back', t =>
  visit(t, browser, {}, async ({ page, served, open, sees }) => {
    const { id } = await served.adapter.createPlaylist('Mine')
    for (const track of ['t1', 't5', 't9']) await served.adapter.addTrackToPlaylist(id, track)
    const stored = async () => (await served.adapter.getPlaylistDetail(id, -1)).tracks.map(track => track.id).join()
    const done = async (action: string, order: string) => {
      // A slow machine may pause long enough between two moves that each is saved by itself.
      await until(async () => await stored() === order)
      const notice = page.locator('.notice', { hasText: action })
      await notice.waitFor()
      return notice
    }
    await open(`/playlist/${id}`)
    await page.getByRole('button', { name: 'Edit' }).waitFor()
    await page.getByRole('button', { name: 'Play Noon Song 1', exact: true }).focus()
    await page.keyboard.press('Alt+ArrowDown')
    await page.keyboard.press('Alt+ArrowDown')
    t.equal(await page.evaluate('document.activeElement.textContent'), 'Noon Song 1', 'the focus goes with it')
    const saved = await done('Saved', 't5,t9,t1')
    await saved.getByRole('button', { name: 'Close' }).click()
    const handle = (index: number) => page.locator(`[data-index="${index}"] .handle`)
    await handle(2).hover()
    await page.mouse.down()
    const to = (await handle(0).boundingBox())!
    await page.mouse.move(to.x + 20, to.y + 20, { steps: 4 })
    await page.mouse.up()
    await (await done('Saved', 't1,t5,t9')).getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'More for Noon Song 5' }).click()
    await page.getByRole('button', { name: 'Remove from this playlist' }).click()
    const removed = await done('Noon Song 5', 't1,t9')
    await removed.getByRole('button', { name: 'Undo' }).click()
    await (await done('Saved', 't1,t5,t9')).getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.locator('.dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await sees('“Mine” restored')
    const own = (await served.adapter.getUserPlaylist()).find(({ name }) => name === 'Mine')!
    t.same((await served.adapter.getPlaylistDetail(own.id, -1)).tracks.map(track => track.id), ['t1', 't5', 't9'])
  }))

/** A playlist of one's own, whose first track has the focus. `save` saves an order that was made by a move. */
const moving = (
  t: Test, story: (visit: Visit & { save: () => Promise<void>, stored: () => Promise<string> }) => Promise<void>
) => visit(t, browser, {}, async visited => {
  const { page, served, open } = visited
  // What is done a while after the last move is done when the test says so.
  await page.addInitScript(`
    const { setTimeout } = globalThis
    globalThis.saves = []
    globalThis.setTimeout = (run, ms, ...more) => ms === 400 ? saves.push(run) : setTimeout(run, ms, ...more)
  `)
  await page.reload()
  const { id } = await served.adapter.createPlaylist('Mine')
  for (const track of ['t1', 't5', 't9']) await served.adapter.addTrackToPlaylist(id, track)
  await open(`/playlist/${id}`)
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  await page.getByRole('button', { name: 'Play Noon Song 1', exact: true }).focus()
  await story({
    ...visited,
    save: () => page.evaluate('saves.at(-1)()'),
    stored: async () => (await served.adapter.getPlaylistDetail(id, -1)).tracks.map(track => track.id).join()
  })
})

t.test('a track that is moved while the list with the move before is on its way stays where it was moved to', t => {
  const { promise: late, resolve: come } = deferred<void>()
  return moving(t, async ({ page, save, stored }) => {
    await page.route('**/v1/playlist/detail?*', async route => { await late; await route.continue() }, { times: 1 })
    const asked = page.waitForRequest('**/v1/playlist/detail?*')
    await page.keyboard.press('Alt+ArrowDown')
    await save()
    const request = await asked
    await page.keyboard.press('Alt+ArrowDown')
    come()
    await request.response()
    await nextFrames(page)
    t.strictSame(await page.locator('.row .title').allTextContents(), ['Noon Song 5', 'Noon Song 9', 'Noon Song 1'])
    const saved = page.waitForResponse('**/page/playlist')
    await save()
    await saved
    t.equal(await stored(), 't5,t9,t1')
  })
})

t.test('what was added to or taken from a playlist elsewhere stays so, whatever is moved, removed or undone here', t =>
  moving(t, async ({ page, served, save, stored }) => {
    const [{ id } = { id: '' }] = (await served.adapter.getUserPlaylist()).filter(({ name }) => name === 'Mine')
    const shows = (...numbers: number[]) => page.waitForFunction(wanted => {
      const titles = [...document.querySelectorAll('.row .title')]
      return titles.map(title => /\d+$/.exec(title.textContent)![0]).join() === wanted
    }, numbers.join())
    const undo = page.getByRole('button', { name: 'Undo' }).last()
    await served.adapter.addTrackToPlaylist(id, 't6')
    await page.keyboard.press('Alt+ArrowDown')
    await save()
    await shows(5, 1, 9, 6)
    await served.adapter.removeTrack(id, 't5')
    await served.adapter.addTrackToPlaylist(id, 't2')
    await undo.click()
    await shows(1, 9, 6, 2)
    await page.getByRole('button', { name: 'More for Noon Song 9' }).click()
    await page.getByRole('button', { name: 'Remove from this playlist' }).click()
    await shows(1, 6, 2)
    await served.adapter.addTrackToPlaylist(id, 't3')
    await undo.click()
    await shows(1, 9, 6, 2, 3)
    await served.adapter.removeTrack(id, 't1')
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await shows(9, 6, 2, 3)
    await served.adapter.addTrackToPlaylist(id, 't1')
    await page.getByRole('button', { name: 'Play Noon Song 9', exact: true }).focus()
    await page.keyboard.press('Alt+ArrowDown')
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await shows(6, 9, 2, 3, 1)
    await save()
    await until(async () => await stored() === 't6,t9,t2,t3,t1')
  }))

t.test('a new description of a playlist leaves the name that another app has given it meanwhile', t =>
  moving(t, async ({ page, served, sees }) => {
    const own = async () => (await served.adapter.getUserPlaylist()).find(({ description }) => description === 'Mild')
    const [{ id } = { id: '' }] = (await served.adapter.getUserPlaylist()).filter(({ name }) => name === 'Mine')
    await page.getByRole('button', { name: 'Edit' }).click()
    await served.adapter.updatePlaylist(id, 'Yours', '')
    await page.getByLabel('Description').fill('Mild')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await sees('Saved')
    t.equal((await own())!.name, 'Yours')
  }))

t.test('an order of a playlist is saved when the one before has been', t => {
  const { promise: late, resolve: come } = deferred<void>()
  return moving(t, async ({ page, save, stored }) => {
    let count = 0
    await page.route('**/page/playlist', async route => {
      if (count++ === 0) await late
      await route.continue()
    })
    const asked = page.waitForRequest('**/page/playlist')
    await page.keyboard.press('Alt+ArrowDown')
    await save()
    await asked
    await page.keyboard.press('Alt+ArrowDown')
    await save()
    await nextFrames(page)
    t.equal(count, 1)
    come()
    await until(async () => await stored() === 't5,t9,t1')
    t.equal(count, 2)
  })
})

t.test('one\'s playlists are in the bar, and tracks are dragged onto those that one made', t => visit(t, browser, {
}, async ({ page, go, sees, row, open }) => {
  await go('/library/playlists')
  await page.getByRole('button', { name: 'New playlist' }).click()
  await page.getByLabel('Name').fill('Mine')
  await page.keyboard.press('Enter')
  const target = page.locator('.sidebar').getByRole('link', { name: 'Mine' })
  await target.waitFor()
  await open('/daily')
  await row('Noon Song 5').locator('.row-time').click({ modifiers: ['Control'] })
  await row('Night Song 7').locator('.row-time').click({ modifiers: ['Control'] })
  await row('Night Song 7').locator('.row-time').dragTo(target)
  await sees('Added to Mine')
  await target.click()
  await page.getByRole('heading', { level: 1, name: 'Mine' }).waitFor()
  await row('Night Song 7').waitFor()
  t.strictSame(await page.locator('.row .title').allTextContents(), ['Noon Song 5', 'Night Song 7'])
  await row('Noon Song 5').locator('.row-cover').dragTo(row('Night Song 7').locator('.row-cover'))
  await row('Night Song 7').first().waitFor()
  t.strictSame(await page.locator('.row .title').allTextContents(), ['Night Song 7', 'Noon Song 5'], 'by its handle')
}))

t.test('the menu of the account is named after it, opens below its button, and signs out', t =>
  visit(t, browser, {}, async ({ page, sees }) => {
    const account = page.getByRole('button', { name: 'Account: ' })
    await account.focus()
    await page.keyboard.press('Enter')
    const menu = page.getByRole('dialog')
    await menu.waitFor()
    const [button, box] = await Promise.all([account.boundingBox(), menu.boundingBox()])
    t.ok(box!.y < button!.y + 60 && box!.x + box!.width <= 1280, 'where the button is')
    await menu.getByLabel('Language').selectOption('中文')
    await menu.getByRole('button', { name: '退出' }).click()
    await sees('请输入这个音源的令牌。')
  }))
