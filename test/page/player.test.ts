import type { FastifyInstance } from 'fastify'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { extras, NotFoundError, RateLimitedError, UnplayableError, type PlayEvent } from 'fastify-source-origin'
import { dictionary } from '../../lib/page/browser/texts/dictionary.ts'
import { launch } from '../browser.ts'
import {
  addSource, cutAudio, elsewhere, holdFrames, keepElements, playedTo, playerOf, position, qualityMap, sendRange,
  type Served,
  silencePart, silenceSeconds, silenceUrl, switchSource, token, type Visit, visit, wide, widths
} from './helper.ts'
import { deferred } from '../helper.ts'
import type { WholeAdapter } from '../reference-source.ts'

const browser = await launch(t)
const play = (title: string) => ({ name: `Play ${title}`, exact: true })

/** A source whose tracks last ten minutes: nobody gets to their middle but by seeking. */
const long = {
  adapter: (base: WholeAdapter, served: () => Served) => ({
    getTrackUrl: async (id: string, quality?: string) =>
      ({ ...await base.getTrackUrl(id, quality), url: silenceUrl(served(), 1) })
  })
}

t.test('a track plays, and the position moves', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/daily')
  await page.getByRole('button', play('Morning Song 4')).click()
  await playedTo(page, 0.3)
  await page.waitForFunction(() => document.title ===
    'Morning Song 4 – Ada Quartet – Today – Test source')
  t.match(await page.evaluate('navigator.mediaSession.metadata.title'), 'Morning Song 4')
  await playerOf(page).pause.click()
  t.equal(await page.evaluate('navigator.mediaSession.playbackState'), 'paused')
}))

t.test('seeking goes to where it was asked to', t => visit(t, browser, long, async ({ page, go }) => {
  await go('/daily')
  await page.getByRole('button', play('Morning Song 4')).click()
  await playedTo(page, 0.1)
  await playerOf(page).position.fill('300')
  await playedTo(page, 300.1, 330)
}))

t.test('audio that is made while it plays can be sought, though Chromium seeks in no stream of known duration', t => {
  const flac = readFileSync('example/music/Ada Plume/Plucked at Dawn/01 Prelude in C.flac')
  const asked: unknown[] = []
  return visit(t, browser, {
    adapter: (base, served) => ({
      getTrackUrl: async id => ({ ...await base.getTrackUrl(id), url: `${served().origin}/made?key=1` })
    }),
    beside: async app => {
      app.get<{ Querystring: { whole?: string } }>('/made', ({ query: { whole }, headers: { range } }, reply) => {
        asked.push(whole)
        reply.type('audio/flac')
        return whole === 'true' ? sendRange(range, reply, flac) : reply.send(Readable.from([flac]))
      })
    }
  }, async ({ page, go }) => {
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    await playerOf(page).position.fill('6')
    await playedTo(page, 6.1, 9)
    await page.reload()
    await playerOf(page).play.click()
    await playedTo(page, 6.1, 9.9)
    t.strictSame([...new Set(asked)], [undefined, 'true'])
  })
})

t.test('next and previous walk through the queue, and the end of a track goes on to the next one', t => {
  const asked: string[] = []
  return visit(t, browser, {
    adapter: base => ({ getTrackUrl: async (id, quality) => { asked.push(id); return base.getTrackUrl(id, quality) } })
  }, async ({ page, go }) => {
    const title = playerOf(page).title
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    await playerOf(page).pause.click()
    await playerOf(page).next.click()
    await title.filter({ hasText: 'Noon Song 5' }).waitFor()
    await playerOf(page).previous.click()
    await title.filter({ hasText: 'Morning Song 4' }).waitFor()
    t.equal(await position(page), 0)
    await playerOf(page).play.click()
    await playedTo(page, 0.1, 10)
    const seek = playerOf(page).position
    await seek.fill(String(Number(await seek.getAttribute('max')) - 0.5))
    await title.filter({ hasText: 'Noon Song 5' }).waitFor()
    await playedTo(page, 0.1, 9)
    t.ok(asked.filter(id => id === 't5').length >= 1)
  })
})

t.test('on mobile data the smallest quality is played, unless the listener says otherwise', t => {
  const asked: (string | undefined)[] = []
  return visit(t, browser, {
    adapter: base => ({
      getDailyTracks: async () => (await base.getDailyTracks()).map(track => ({
        ...track, qualities: track.qualities!.map((quality, at) => ({ ...quality, bitrate: 900_000 - at * 100_000 }))
      })),
      getTrackUrl: (id, quality) => {
        asked.push(quality)
        return base.getTrackUrl(id, quality)
      }
    })
  }, async ({ page, go }) => {
    await page.addInitScript('Object.defineProperty(navigator, \'connection\', { value: { type: \'cellular\' } })')
    await page.reload()
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    const smallest = qualityMap.at(-1)!.key
    t.equal(asked[0], smallest)
    await playerOf(page).button('Sound').click()
    await page.getByLabel('Automatic on mobile data').selectOption('Same as on Wi-Fi')
    await page.keyboard.press('Escape')
    await page.getByRole('button', play('Noon Song 5')).click()
    await playerOf(page).titled('Noon Song 5').waitFor()
    t.notOk(asked.slice(1).includes(smallest), asked.join())
  })
})

/** Goes from 300 seconds of a track to the next one, whose URL comes only when `answer` is called. */
function waitForUrl (t: Test, story: (visit: Visit, answer: () => void) => Promise<void>): Promise<void> {
  const { promise: late, resolve: answer } = deferred<void>()
  return visit(t, browser, {
    adapter: (base, served) => ({
      getTrackUrl: async (id, quality) => {
        if (id === 't5') await late
        return { ...await base.getTrackUrl(id, quality), url: silenceUrl(served(), 1) }
      }
    })
  }, async visited => {
    const { page, go } = visited
    await keepElements(page)
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    await playerOf(page).position.fill('300')
    await playedTo(page, 300.1, 330)
    await playerOf(page).next.click()
    await playerOf(page).titled('Noon Song 5').waitFor()
    await story(visited, answer)
    answer()
  })
}

t.test('a track whose URL is still asked for is at its beginning', t => waitForUrl(t, async ({ page }, answer) => {
  // The last events of the track before come a few frames later.
  await page.evaluate(
    '(async () => { for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame) })()'
  )
  t.equal(await position(page), 0)
  answer()
  await playedTo(page, 0.1, 20)
}))

t.test('a track whose URL is still asked for begins where the listener went meanwhile', t =>
  waitForUrl(t, async ({ page }, answer) => {
    await playerOf(page).position.fill('100')
    answer()
    await playedTo(page, 100.1, 130)
  }))

t.test('what the track before still tells while the URL is asked for changes nothing', t =>
  waitForUrl(t, async ({ page }, answer) => {
    await page.evaluate(`
    for (const name of ['canplay', 'pause', 'ended', 'error', 'durationchange', 'timeupdate']) {
      for (const element of elements) element.dispatchEvent(new Event(name))
    }
  `)
    t.equal(await position(page), 0)
    answer()
    await playedTo(page, 0.1, 30)
    t.equal(await playerOf(page).title.textContent(), 'Noon Song 5')
  }))

t.test('the track before is one press away while the URL is still asked for', t => waitForUrl(t, async ({ page }) => {
  await playerOf(page).previous.click()
  await playerOf(page).titled('Morning Song 4').waitFor()
  await playedTo(page, 0.1, 30)
}))

t.test('pausing and playing while the URL is still asked for does not play the track before', t =>
  waitForUrl(t, async ({ page }, answer) => {
    const button = (name: string) => playerOf(page).button(name)
    await page.evaluate(`
    globalThis.played = []
    const { play } = HTMLMediaElement.prototype
    HTMLMediaElement.prototype.play = function () { played.push(this.currentTime); return play.call(this) }
  `)
    await button('Pause').click()
    await button('Play').click()
    answer()
    await playedTo(page, 0.1, 30)
    t.strictSame(await page.evaluate('played'), [0])
  }))

t.test('the next track is loaded before the end of this one', t => {
  const asked: string[] = []
  return visit(t, browser, {
    adapter: base => ({ getTrackUrl: async (id, quality) => { asked.push(id); return base.getTrackUrl(id, quality) } })
  }, async ({ page, go }) => {
    await go('/daily')
    const loaded = page.waitForResponse(/sound\/t5/)
    await page.getByRole('button', play('Morning Song 4')).click()
    await loaded
    t.equal(await playerOf(page).title.textContent(), 'Morning Song 4')
    t.strictSame(asked, ['t4', 't5'])
  })
})

t.test('a track that was loaded before the end of the one before can be sought to its real end', t =>
  visit(t, browser, {
    adapter: (base, served) => ({
      getTrackUrl: async (id, quality) => {
        const answer = await base.getTrackUrl(id, quality)
        return id === 't5' ? { ...answer, url: silenceUrl(served(), 1) } : answer
      }
    })
  }, async ({ page, go }) => {
    await go('/daily')
    const loaded = page.waitForResponse(/silence/)
    await page.getByRole('button', play('Morning Song 4')).click()
    await loaded
    await playerOf(page).next.click()
    await playerOf(page).titled('Noon Song 5').waitFor()
    await playedTo(page, 0.1)
    const seek = playerOf(page).position
    t.equal(await seek.getAttribute('max'), String(silenceSeconds))
    await seek.fill(String(silenceSeconds - 10))
    await playedTo(page, silenceSeconds - 9.9)
  }))

t.test('another quality goes on where the track was, and the one really given is shown', t =>
  visit(t, browser, long, async ({ page, go }) => {
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    await playerOf(page).position.fill('300')
    await playedTo(page, 300.1, 330)
    const asked = page.waitForRequest(/track\/url\?id=t4&quality=high/)
    await page.locator('.player').getByLabel('Quality', { exact: true }).selectOption('High')
    await asked
    await page.locator('.player .given', { hasText: qualityMap[1]!.label }).waitFor()
    const left = await position(page)
    t.ok(left >= 300)
    await playedTo(page, left + 0.3, left + 30)
  }))

t.test('an expired URL is asked for again, and playback goes on where it was', t => {
  let key = 1
  return visit(t, browser, {
    adapter: (base, served) => ({
      getTrackUrl: async (id, quality) =>
        ({ ...await base.getTrackUrl(id, quality), url: silenceUrl(served(), key) })
    })
  }, async ({ page, go, served }) => {
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    served.expire()
    key++
    const asked = page.waitForRequest(/track\/url\?id=t4/)
    await playerOf(page).position.fill('500')
    await asked
    await playedTo(page, 500.1, 520)
    t.equal(await page.locator('.notice').count(), 0)
  })
})

/** Ids of the tracks whose details the page requests. */
function detailsAskedBy (page: Page): string[] {
  const asked: string[] = []
  page.on('request', request => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/v1/track') asked.push(searchParams.get('id')!)
  })
  return asked
}

/** A source whose lists name covers that are not there. */
function withoutCovers (detail: string | Error): Parameters<typeof visit>[2] {
  return {
    adapter: (base, served) => ({
      getDailyTracks: async () => (await base.getDailyTracks()).map(track => ({
        ...track, album: { ...track.album, coverUrl: `${served().origin}/expired/${track.id}` }
      })),
      getTrackDetail: async id => {
        if (detail instanceof Error) throw detail
        const track = await base.getTrackDetail(id)
        return { ...track, album: { ...track.album, coverUrl: `${served().origin}${detail}` } }
      }
    })
  }
}

for (const [deviceScaleFactor, size] of [[1, 64], [2, 128]] as const) {
  t.test(`covers are asked for in the size that is shown, and of other servers as they are, ${deviceScaleFactor}x`, t =>
    visit(t, browser, {
      browser: { deviceScaleFactor },
      adapter: base => ({
        getDailyTracks: async () => (await base.getDailyTracks()).map((track, index) => index === 0
          ? { ...track, album: { ...track.album, coverUrl: 'http://127.0.0.1:9/cover.png' } }
          : track)
      })
    }, async ({ page, go }) => {
      const [first] = await Promise.all([
        page.waitForRequest('http://127.0.0.1:9/cover.png'),
        page.waitForResponse(answer => answer.url().includes(`/page/cover?size=${size}&of=%2Fcovers`) && answer.ok()),
        go('/daily')
      ])
      t.equal(first.method(), 'GET')
    }))
}

t.test('covers whose URLs have expired are asked for again, each once, in lists, player and lock screen', t => {
  return visit(t, browser, withoutCovers('/covers/new.png'), async ({ page, go }) => {
    const asked = detailsAskedBy(page)
    await go('/daily')
    for (let row = 0; row < 5; row++) await page.locator(`[data-index="${row}"] img[src*="new.png"]`).waitFor()
    t.strictSame(asked.toSorted(), ['t4', 't5', 't6', 't7', 't8'])
    await page.getByRole('button', play('Morning Song 4')).click()
    await page.locator('.player-cover img[src*="new.png"]').waitFor()
    await page.waitForFunction(() =>
      /page\/cover\?size=512&of=%2Fcovers%2Fnew/.test(navigator.mediaSession.metadata?.artwork[0]?.src ?? ''))
    await go('/queue')
    await page.locator('.view-queue img[src*="new.png"]').nth(4).waitFor()
    t.equal(asked.length, 5)
  })
})

t.test('covers of cards whose URLs have expired are asked for again', t => visit(t, browser, {
  adapter: (base, served) => ({
    searchAlbums: async (...all) => {
      const page = await base.searchAlbums(...all)
      return { ...page, items: page.items.map(album => ({ ...album, coverUrl: `${served().origin}/expired` })) }
    },
    getAlbumDetail: async (id, limit) =>
      ({ ...await base.getAlbumDetail(id, limit), coverUrl: `${served().origin}/covers/new.png` })
  })
}, async ({ page, go }) => {
  await go('/search/noon?in=albums')
  await page.locator('.cards img[src*="new.png"]').first().waitFor()
  t.equal(await page.locator('.cards .initial').count(), 0)
}))

for (const [detail, name] of [
  ['/expired/still', 'does not load either'], [new RateLimitedError(), 'is refused']
] as const) {
  t.test(`a cover that ${name} is not asked for again and again`, t => {
    return visit(t, browser, withoutCovers(detail), async ({ page, go }) => {
      const asked = detailsAskedBy(page)
      await go('/daily')
      await page.getByRole('button', play('Morning Song 4')).click()
      await page.locator('.player-cover .initial').waitFor()
      await playedTo(page, 0.3)
      await go('/playing')
      await page.locator('.now .hero > .cover .initial').waitFor()
      t.ok(asked.length <= 6, `${asked}: once for each URL`)
      t.equal(await page.locator('.notice').count(), 0)
    })
  })
}

t.test('a source that gives no details of a track is not asked for its cover', t => visit(t, browser, {
  adapter: (base, served) => ({ ...withoutCovers('').adapter!(base, served), getTrackDetail: undefined! })
}, async ({ page, go }) => {
  const asked = detailsAskedBy(page)
  await go('/daily')
  await page.getByRole('button', play('Morning Song 4')).click()
  await page.locator('.player-cover .initial').waitFor()
  await playedTo(page, 0.3)
  t.strictSame(asked, [])
}))

t.test('a track that cannot be played is skipped with a sentence', t => visit(t, browser, {
  adapter: base => ({
    getTrackUrl: (id, quality) => {
      if (id === 't4') throw new UnplayableError('Not in your region')
      return base.getTrackUrl(id, quality)
    }
  })
}, async ({ page, go, sees }) => {
  await go('/daily')
  await page.getByRole('button', play('Morning Song 4')).click()
  await sees('“Morning Song 4” cannot be played: Not in your region')
  await playerOf(page).titled('Noon Song 5').waitFor()
  await playedTo(page, 0.1)
}))

t.test('playing again after the last track failed asks for it again', t => {
  let isThere = false
  return visit(t, browser, {
    adapter: (base, served) => ({
      getTrackUrl: async (id, quality) => {
        if (id === 't8' && !isThere) throw new UnplayableError('Not yet')
        return { ...await base.getTrackUrl(id, quality), url: silenceUrl(served(), 1) }
      }
    })
  }, async ({ page, go, sees }) => {
    await go('/daily')
    await page.getByRole('button', play('Night Song 7')).click()
    await playedTo(page, 0.1)
    await playerOf(page).position.fill('300')
    await playedTo(page, 300.1, 330)
    await playerOf(page).next.click()
    await sees('“Morning Song 8” cannot be played: Not yet')
    isThere = true
    await playerOf(page).play.click()
    await playedTo(page, 0.1, 30)
    t.equal(await playerOf(page).title.textContent(), 'Morning Song 8')
  })
})

t.test('what cannot be decoded is played in the next quality, and none is asked for that the browser refuses', t => {
  const asked: string[] = []
  const qualities = ['ape', 'flac', 'wav'].map((format, at) =>
    ({ key: `q${at}`, label: format, size: 1, bitrate: null, format }))
  return visit(t, browser, {
    adapter: (base, served) => ({
      getDailyTracks: async () => (await base.getDailyTracks()).map(track => ({ ...track, qualities })),
      getTrackUrl: async (id, quality = '') => {
        asked.push(quality)
        return { url: quality === 'q2' ? silenceUrl(served(), 1) : `${served().origin}/covers/x.png`, quality }
      }
    }),
    context: { qualityMap: qualities.map(({ key, label }) => ({ key, label })) }
  }, async ({ page, go }) => {
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1, 30)
    t.equal(await playerOf(page).title.textContent(), 'Morning Song 4')
    t.strictSame([...new Set(asked)], ['q1', 'q2'])
  })
})

t.test('tracks that are gone are left out with one sentence and grey in lists, however many they are', t => {
  return visit(t, browser, {
    before: async app => app.get('/gone', (_request, reply) => reply.code(404).send({ code: 404, message: 'Gone' })),
    adapter: (base, served) => ({
      getTrackUrl: async (id, quality) => {
        if (['t4', 't5', 't6'].includes(id)) throw new NotFoundError('Track not found')
        const url = id === 't7' ? `${served().origin}/gone` : silenceUrl(served(), 1)
        return { ...await base.getTrackUrl(id, quality), url }
      }
    })
  }, async ({ page, go, sees }) => {
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playerOf(page).titled('Morning Song 8').waitFor()
    await sees('Skipped 4 tracks: the files no longer exist.')
    await playedTo(page, 0.1)
    t.equal(await page.locator('.row.gone', { hasText: 'No longer available' }).count(), 4)
    t.equal(await page.locator('.notice').count(), 1)
  })
})

t.test('a queue of which nothing is there any more stops, when it is repeated too', t => visit(t, browser, {
  adapter: () => ({ getTrackUrl: () => { throw new NotFoundError('Track not found') } })
}, async ({ page, go, sees }) => {
  await go('/daily')
  await playerOf(page).button('Repeat: off').click()
  await page.getByRole('button', play('Morning Song 4')).click()
  await sees('Skipped 5 tracks: the files no longer exist.')
  await playerOf(page).play.waitFor()
}))

t.test('audio that is away for a while is waited for, and the listener is told why', t => {
  let isAway = true
  return visit(t, browser, {
    before: async app => app.addHook('onRequest', async ({ url }, reply) => {
      if (!isAway || !url.startsWith('/silence')) return
      return reply.code(503).send({ code: 503, message: 'The disk of the music is away' })
    }),
    adapter: (base, served) => ({
      getTrackUrl: async (id, quality) => ({ ...await base.getTrackUrl(id, quality), url: silenceUrl(served(), 1) })
    })
  }, async ({ page, go, sees }) => {
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await sees('The source reported an error: The disk of the music is away')
    isAway = false
    await playedTo(page, 0.1)
    t.equal(await playerOf(page).title.textContent(), 'Morning Song 4')
    t.equal(await page.locator('.row.gone').count(), 0)
  })
})

t.test('audio whose line goes quiet is asked for again where it was', t => {
  const from: string[] = []
  return visit(t, browser, {
    before: async app => app.addHook('onRequest', async ({ url, headers: { range = '' } }, reply) => {
      if (!url.startsWith('/silence')) return
      from.push(range)
      if (from.length > 1) return
      // The first seconds, and then nothing, on a connection that stays.
      const { body, headers } = silencePart(300_000)
      reply.hijack().raw.writeHead(206, headers).write(body)
    }),
    adapter: (base, served) => ({
      getTrackUrl: async (id, quality) => ({ ...await base.getTrackUrl(id, quality), url: silenceUrl(served(), 1) })
    })
  }, async ({ page, go, sees }) => {
    await page.clock.install()
    await page.reload()
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 1)
    await page.locator('.play-main.busy').first().waitFor()
    const before = await position(page)
    await page.clock.fastForward('00:11')
    await sees('No data received. Retrying…')
    await playedTo(page, before + 0.5, before + 20)
    t.ok(before > 1)
    t.equal(await playerOf(page).title.textContent(), 'Morning Song 4')
  })
})

t.test('audio that no browser can decode is skipped after one more try', t => visit(t, browser, {
  adapter: (base, served) => ({
    getTrackUrl: async (id, quality) => id === 't4'
      ? { ...await base.getTrackUrl(id, quality), url: `${served().origin}/covers/x.png` }
      : base.getTrackUrl(id, quality)
  })
}, async ({ page, go, sees }) => {
  await go('/daily')
  await page.getByRole('button', play('Morning Song 4')).click()
  await sees(/“Morning Song 4” cannot be played: the audio does not load/)
  await playerOf(page).titled('Noon Song 5').waitFor()
}))

t.test('a file that is cut is heard once, up to its end, and the queue goes on', t => {
  let asked = 0
  return visit(t, browser, {
    before: async app => app.get('/cut.flac', (_request, reply) => reply.type('audio/flac').send(cutAudio)),
    adapter: (base, served) => ({
      getTrackUrl: async (id, quality) => {
        const answer = await base.getTrackUrl(id, quality)
        if (id !== 't4') return answer
        asked++
        return { ...answer, url: `${served().origin}/cut.flac` }
      }
    })
  }, async ({ page, go, sees }) => {
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await sees(/“Morning Song 4” is incomplete: the file ends at 0:0\d of 3:04/)
    await playerOf(page).titled('Noon Song 5').waitFor()
    await playedTo(page, 0.1)
    t.equal(asked, 1)
  })
})

t.test('a file that is cut is repeated from its beginning, also where its end is an error of the browser', t => {
  let asked = 0
  const whole = readFileSync('example/music/Ada Plume/Plucked at Dawn/02 Greensleeves.m4a')
  // Its head is at its end: what cannot be decoded is from three seconds on.
  whole.fill(0xa5, 30_000, 134_000)
  return visit(t, browser, {
    before: async app => app.get('/cut.m4a', (_request, reply) => reply.type('audio/mp4').send(whole)),
    adapter: (base, served) => ({
      getTrackUrl: async (id, quality) => {
        asked++
        return { ...await base.getTrackUrl(id, quality), url: `${served().origin}/cut.m4a` }
      }
    })
  }, async ({ page, go, sees }) => {
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    await page.getByRole('button', { name: /^Repeat/ }).click()
    await page.getByRole('button', { name: /^Repeat/ }).click()
    await sees(/“Morning Song 4” is incomplete/)
    await playedTo(page, 0.3, 2)
    t.equal(await playerOf(page).title.textContent(), 'Morning Song 4')
    t.ok(asked >= 1)
  })
})

t.test('the queue can be changed, and survives a reload with the position', t =>
  visit(t, browser, long, async ({ page, row, go }) => {
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    await playerOf(page).position.fill('300')
    await playedTo(page, 300.1, 330)
    await page.getByRole('button', { name: 'More for Night Song 7' }).click()
    await page.getByRole('button', { name: 'Play next' }).click()
    await go('/queue')
    const titles = () => page.locator('.row .title').allTextContents()
    await row('Night Song 7').first().waitFor()
    t.strictSame(await titles(), [
      'Morning Song 4', 'Night Song 7', 'Noon Song 5', 'Evening Song 6', 'Night Song 7', 'Morning Song 8'
    ])
    await page.getByRole('button', { name: 'Remove Night Song 7 from queue' }).last().click()
    await page.getByRole('button', { name: 'Move Evening Song 6 up' }).click()
    t.strictSame(await titles(), ['Morning Song 4', 'Night Song 7', 'Evening Song 6', 'Noon Song 5', 'Morning Song 8'])
    await page.reload()
    await row('Evening Song 6').waitFor()
    t.strictSame(await titles(), ['Morning Song 4', 'Night Song 7', 'Evening Song 6', 'Noon Song 5', 'Morning Song 8'])
    const left = await position(page)
    t.ok(left >= 300)
    await playerOf(page).play.click()
    await playedTo(page, left + 0.1, left + 30)
    await page.getByRole('button', { name: 'Clear' }).click()
    t.strictSame(await titles(), ['Morning Song 4'])
  }))

t.test('shuffling mixes what comes, and puts it back', t => visit(t, browser, {}, async ({ page, row, go }) => {
  await go('/album/b0')
  await page.getByRole('button', play('Morning Song 0')).click()
  await go('/queue')
  await row('Morning Song 12').waitFor()
  const titles = () => page.locator('.row .title').allTextContents()
  const inOrder = await titles()
  await playerOf(page).shuffle.click()
  t.strictSame((await titles()).sort(), [...inOrder].sort())
  t.equal((await titles())[0], 'Morning Song 0')
  await playerOf(page).shuffle.click()
  t.strictSame(await titles(), inOrder)
}))

t.test('repeating all begins again after the last track', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/daily')
  await page.getByRole('button', play('Morning Song 8')).click()
  await page.getByRole('button', { name: 'Repeat: off' }).click()
  await page.getByRole('button', { name: 'Repeat: all' }).waitFor()
  await playerOf(page).next.click()
  await playerOf(page).titled('Morning Song 4').waitFor()
}))

t.test('a queue goes on after a reload with what it was made from', t => visit(t, browser, {
  adapter: (base, served) => ({
    getTrackUrl: () => long.adapter(base, served).getTrackUrl('t1'),
    searchTracks: async (_keyword, offset, limit) => {
      const one = await base.getTrackDetail('t1')
      // Pages have fewer tracks than their limit.
      const items = Array.from({ length: limit - 1 }, (_, index) =>
        ({ ...one, id: `n${offset + index}`, title: `Number ${offset + index}` }))
      return { items, offset, limit, hasMore: offset < 100 }
    }
  })
}, async ({ page, go }) => {
  const { next, pause, titled } = playerOf(page)
  await go('/search/number')
  await page.getByRole('button', play('Number 0')).click()
  await pause.waitFor()
  await go('/queue')
  await page.evaluate('main.scrollTop = main.scrollHeight')
  await page.getByRole('button', play('Number 48')).click()
  await titled('Number 48').waitFor()
  for (const number of [50, 51]) {
    await page.reload()
    await next.click()
    await titled(`Number ${number}`).waitFor()
  }
  await go('/queue')
  await page.waitForFunction(() => document.querySelector('.row')!.getAttribute('aria-setsize') === '98')
}))

t.test('each of two tabs has its own queue after a reload, and one that was idle takes nothing from the other', t =>
  visit(t, browser, long, async ({ page, go }) => {
    const other = await page.context().newPage()
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playerOf(page).pause.waitFor()
    await other.goto(page.url())
    await playerOf(other).titled('Morning Song 4').waitFor()
    await go('/new')
    await page.getByRole('button', play('Morning Song 8')).click()
    await playerOf(page).titled('Morning Song 8').waitFor()
    await other.close({ runBeforeUnload: true })
    const last = await page.context().newPage()
    await last.goto(page.url())
    await playerOf(last).titled('Morning Song 8').waitFor()
    await last.getByRole('button', play('Noon Song 9')).click()
    await playerOf(last).titled('Noon Song 9').waitFor()
    await page.reload()
    await playerOf(page).titled('Morning Song 8').waitFor()
  }))

t.test('roaming goes on after a reload', t => visit(t, browser, {
  adapter: (base, served) => ({
    ...long.adapter(base, served), getRoamTracks: async () => (await base.getDailyTracks()).slice(0, 1)
  })
}, async ({ page }) => {
  await page.getByRole('button', { name: /^Radio/ }).click()
  await playerOf(page).pause.waitFor()
  await page.reload()
  await playerOf(page).next.click()
  await page.locator('.player-progress').waitFor({ state: 'attached' })
  await page.getByRole('link', { name: 'Queue', exact: true }).first().click()
  await page.waitForFunction(() => document.querySelector('.row')?.getAttribute('aria-setsize') === '2')
}))

t.test('a queue goes on with similar tracks that it does not have, while that is wanted', t => visit(t, browser, {
  adapter: (base, served) => ({
    ...long.adapter(base, served),
    getSimilarTracks: async () => [await base.getTrackDetail('t8'), await base.getTrackDetail('t1')]
  })
}, async ({ page, go }) => {
  const { next, pause, titled } = playerOf(page)
  await go('/daily')
  await page.getByRole('button', play('Morning Song 8')).click()
  await pause.waitFor()
  t.ok(await next.isDisabled())
  await go('/queue')
  await page.getByRole('checkbox', { name: 'Keep playing similar tracks' }).check()
  await page.reload()
  await next.click()
  await titled('Noon Song 1').waitFor()
  await page.getByRole('checkbox', { name: 'Keep playing similar tracks' }).uncheck()
  await page.waitForFunction(() =>
    document.querySelector<HTMLButtonElement>('.player-center [aria-label=Next]')!.disabled)
}))

t.test('roaming asks for more before the queue ends', t => visit(t, browser, {}, async ({ page, row, go }) => {
  await page.getByRole('button', { name: /^Radio/ }).click()
  await go('/queue')
  await row('Evening Song 2').nth(1).waitFor()
  t.ok(await page.locator('.row').count() >= 8)
}))

t.test('a source that fails to give more is asked for it once near the end of a track', t => {
  let asked = 0
  return visit(t, browser, {
    adapter: base =>
      ({ getRoamTracks: () => { if (asked++ > 0) throw new Error('no more'); return base.getRoamTracks() } })
  }, async ({ page }) => {
    await page.getByRole('button', { name: /^Radio/ }).click()
    await playedTo(page, 3)
    t.equal(asked, 2)
  })
})

t.test('the menu of a track says all that the source tells of it', t => visit(t, browser, {
  adapter: base => ({
    getTrackDetail: async id => ({
      ...await base.getTrackDetail(id),
      [extras]: {
        track: 3,
        discNumber: 2,
        year: 1999,
        genres: ['Lied'],
        bpm: 120,
        replayGain: { trackGain: -6.5 },
        contributors: [{ role: 'composer', artist: { name: 'Nadia' } }, { role: 'conductor', artist: { name: 'Cy' } }]
      }
    })
  })
}, async ({ page, go }) => {
  await go('/new')
  await page.getByRole('button', { name: 'More for Morning Song 8' }).click()
  await page.getByRole('button', { name: 'About this track' }).click()
  const about = page.getByRole('dialog', { name: 'Morning Song 8' })
  await about.locator('dl').waitFor()
  const facts = Object.fromEntries(await about.locator('dl > div').evaluateAll(all =>
    all.map(({ children: [name, value] }) => [name!.textContent, value!.textContent] as const)))
  t.match(facts, {
    Artist: 'Ada Quartet',
    Album: 'Morning Music',
    Number: '2-3',
    Year: '1999',
    Genre: 'Lied',
    Composers: 'Nadia',
    Credits: 'Cy (conductor)',
    ReplayGain: 'By track: -6.50 dB',
    BPM: '120',
    ID: 't8'
  })
  t.match(facts.Quality, /kbit\/s/)
}))

t.test('similar tracks can be played', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/new')
  await page.getByRole('button', { name: 'More for Morning Song 8' }).click()
  await page.getByRole('button', { name: 'Play similar tracks' }).click()
  await playerOf(page).titled('Morning Song 4').waitFor()
}))

t.test('repeating one plays it again', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/daily')
  await page.getByRole('button', play('Morning Song 4')).click()
  await page.getByRole('button', { name: 'Repeat: off' }).click()
  await page.getByRole('button', { name: 'Repeat: all' }).click()
  await page.getByRole('button', { name: 'Repeat: this track' }).waitFor()
  await playedTo(page, 0.1)
  const seek = playerOf(page).position
  await seek.fill(String(Number(await seek.getAttribute('max')) - 0.5))
  await playedTo(page, 0.1, 5)
  t.equal(await playerOf(page).title.textContent(), 'Morning Song 4')
}))

/** Opens the page anew; what it gives presses a key of the keyboard, headphones or the lock screen. */
async function pressKeysOf (page: Page) {
  await page.addInitScript(`
    globalThis.keys = {}
    const { setActionHandler } = MediaSession.prototype
    MediaSession.prototype.setActionHandler = function (name, handler) {
      keys[name] = handler
      setActionHandler.call(this, name, handler)
    }
  `)
  await page.reload()
  return (key: string, details = '{}') => page.evaluate(`keys.${key}(${details})`)
}

t.test('media keys and the lock screen control the player', t => visit(t, browser, long, async ({ page, go }) => {
  const press = await pressKeysOf(page)
  const button = (name: string) => playerOf(page).button(name)
  await go('/daily')
  await page.getByRole('button', play('Morning Song 4')).click()
  await playedTo(page, 0.1)
  await press('seekto', '{ seekTime: 300 }')
  await playedTo(page, 300.1, 330)
  await press('pause')
  await button('Play').waitFor()
  await press('seekbackward', '{ seekOffset: 100 }')
  t.ok(await position(page) < 250)
  await press('seekforward', '{ seekOffset: 100 }')
  t.ok(await position(page) > 290)
  await press('nexttrack')
  await playerOf(page).titled('Noon Song 5').waitFor()
  await press('previoustrack')
  await playerOf(page).titled('Morning Song 4').waitFor()
  t.equal(await position(page), 0)
  await press('play')
  await button('Pause').waitFor()
  await playedTo(page, 0.1)
}))

t.test('a pause by somebody else is seen, also while more audio is on its way', t =>
  visit(t, browser, long, async ({ page, go }) => {
    await keepElements(page)
    const button = (name: string) => playerOf(page).button(name)
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    for (const before of ['timeupdate', 'waiting']) {
      await page.evaluate(`{
      const heard = elements.find(audio => !audio.paused)
      heard.dispatchEvent(new Event('${before}'))
      heard.pause()
    }`)
      await button('Play').click()
      await button('Pause').waitFor()
    }
  }))

t.test('the page opens in a browser that does not know an action of the lock screen', t =>
  visit(t, browser, long, async ({ page, go }) => {
    await page.addInitScript(`
    globalThis.names = []
    MediaSession.prototype.setActionHandler = name => {
      if (name === 'seekto') throw new TypeError('unknown action')
      names.push(name)
    }
  `)
    await page.reload()
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    t.strictSame(await page.evaluate('names'), [
      'play', 'pause', 'previoustrack', 'nexttrack', 'seekbackward', 'seekforward'
    ])
  }))

t.test('volume and mute are for the audio that plays, and the volume survives a reload', t =>
  visit(t, browser, {}, async ({ page, go }) => {
    await keepElements(page)
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    const heard = () =>
      page.evaluate('elements.filter(audio => !audio.paused).map(({ volume, muted }) => ({ volume, muted }))')
    await page.getByRole('slider', { name: 'Volume' }).fill('0.5')
    t.strictSame(await heard(), [{ volume: 0.5, muted: false }])
    await page.getByRole('button', { name: 'Mute' }).click()
    t.strictSame(await heard(), [{ volume: 0.5, muted: true }])
    await page.reload()
    t.equal(await page.getByRole('slider', { name: 'Volume' }).inputValue(), '0.5')
  }))

t.test('pressing a button of a row twice is no double click on its track', t =>
  visit(t, browser, {}, async ({ page, go }) => {
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    await go('/queue')
    await page.getByRole('button', { name: 'Remove Evening Song 6 from queue' }).dblclick()
    await page.locator('.row', { hasText: 'Night Song 7' }).waitFor({ state: 'detached' })
    t.equal(await playerOf(page).title.textContent(), 'Morning Song 4')
    await page.locator('.row', { hasText: 'Morning Song 8' }).locator('.row-time').dblclick()
    await playerOf(page).titled('Morning Song 8').waitFor()
  }))

t.test('a cover that has no address to load plays like any other', t => visit(t, browser, {
  adapter: base => ({
    getDailyTracks: async () =>
      (await base.getDailyTracks()).map(track => ({ ...track, album: { ...track.album, coverUrl: 'https://[' } }))
  })
}, async ({ page, go }) => {
  await go('/daily')
  await page.getByRole('button', play('Morning Song 4')).click()
  await playedTo(page, 0.1)
  t.equal(await page.evaluate('navigator.mediaSession.metadata.title'), 'Morning Song 4')
}))

t.test('the title of the document names the view, and before it the track that plays', t =>
  visit(t, browser, {}, async ({ page, go }) => {
    const isTitle = (title: string) =>
      page.waitForFunction(title => document.title === title, title)
    const button = (name: string) => playerOf(page).button(name)
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await isTitle('Morning Song 4 – Ada Quartet – Today – Test source')
    await button('Pause').click()
    await isTitle('Today – Test source')
    await page.reload()
    await button('Play').click()
    await isTitle('Morning Song 4 – Ada Quartet – Today – Test source')
  }))

t.test('a track that is repeated may have a URL that expires each time', t => {
  const asked: string[] = []
  return visit(t, browser, {
    adapter: (base, served) => ({
      getTrackUrl: async (id, quality) => {
        asked.push(id)
        return { ...await base.getTrackUrl(id, quality), url: silenceUrl(served(), 1) }
      }
    })
  }, async ({ page, go }) => {
    await keepElements(page)
    const fail = () => page.evaluate("elements.find(audio => !audio.paused).dispatchEvent(new Event('error'))")
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await page.getByRole('button', { name: 'Repeat: off' }).click()
    await page.getByRole('button', { name: 'Repeat: all' }).click()
    await playedTo(page, 0.1)
    await playerOf(page).position.fill('300')
    await playedTo(page, 300.1, 330)
    await fail()
    await playedTo(page, 300.2, 330)
    // The place that is shown is that of before until it plays again.
    await page.waitForFunction('elements.some(audio => !audio.paused && audio.currentTime > 300)')
    await page.evaluate(`elements.find(audio => !audio.paused).currentTime = ${silenceSeconds - 0.2}`)
    await playedTo(page, 0.1, 30)
    await fail()
    await playedTo(page, 0.2, 30)
    t.equal(await page.locator('.notice').count(), 0)
    t.strictSame(asked, ['t4', 't4', 't4'])
  })
})

t.test('a source that refuses the next track or more tracks is not asked again and again', t => {
  const asked: string[] = []
  const ask = (what: string) => {
    asked.push(what)
    if (asked.indexOf(what) < asked.length - 1 || what === 't3') throw new RateLimitedError('slow')
  }
  return visit(t, browser, {
    adapter: base => ({
      getRoamTracks: () => { ask('more'); return base.getRoamTracks() },
      getTrackUrl: (id, quality) => { ask(id); return base.getTrackUrl(id, quality) }
    })
  }, async ({ page }) => {
    await page.getByRole('button', { name: /^Radio/ }).click()
    await playedTo(page, 3)
    t.strictSame(asked, ['more', 't2', 'more', 't3'])
  })
})

t.test('a quality that another source has is not asked for', t => {
  const asked: unknown[] = []
  return visit(t, browser, {
    adapter: base => ({
      getDailyTracks: async () => (await base.getDailyTracks()).map(({ qualities, ...track }) => track),
      getTrackUrl: (id, quality) => { asked.push(quality); return base.getTrackUrl(id, quality) }
    })
  }, async ({ page, go }) => {
    await page.evaluate("localStorage.setItem('source-page:quality', '\"elsewhere\"')")
    await page.reload()
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    t.equal(asked[0], undefined)
  })
})

t.test('without a connection the player stays where it is, and goes on when there is one', t => {
  let key = 1
  return visit(t, browser, {
    adapter: (base, served) => ({
      getTrackUrl: async (id, quality) =>
        ({ ...await base.getTrackUrl(id, quality), url: silenceUrl(served(), key) })
    })
  }, async ({ page, go, sees, served }) => {
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    await page.route(/track\/url/, route => route.abort())
    served.expire()
    key++
    await playerOf(page).position.fill('500')
    await sees('Cannot connect to the source.')
    t.equal(await playerOf(page).title.textContent(), 'Morning Song 4')
    await page.unroute(/track\/url/)
    await playedTo(page, 500.1, 530)
  })
})

t.test('who signs out hears nothing any more, and leaves no queue', t =>
  visit(t, browser, long, async ({ page, go, row }) => {
    await keepElements(page)
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    await playerOf(page).position.fill('300')
    await playedTo(page, 300.1, 330)
    await go('/sources')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Token').fill(token)
    t.ok(await page.evaluate('elements.every(audio => audio.paused)'))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    await page.locator('.player', { hasText: 'Nothing is playing' }).waitFor()
    t.notMatch(await page.evaluate('JSON.stringify({ ...localStorage })'), 'Morning Song')
  }))

/** A source that can refuse its token. */
function refusing () {
  const refusal = { isOn: false }
  const before = async (app: FastifyInstance) => app.addHook('onRequest', async (request, reply) => {
    if (refusal.isOn && /^\/(?:v1|page\/browse\?)/.test(request.url)) {
      return reply.code(401)
        .send({ code: 401, message: 'Unauthorized', data: null })
    }
  })
  return { refusal, before }
}

t.test('music pauses while the token is asked for again, and is where it was for who signs in', t => {
  const { refusal, before } = refusing()
  return visit(t, browser, { ...long, before }, async ({ page, go, row, sees }) => {
    await keepElements(page)
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    await playerOf(page).position.fill('300')
    await playedTo(page, 300.1, 590)
    refusal.isOn = true
    await go('/artists')
    await sees('The source no longer accepts this token.')
    const isSilent = () => page.evaluate('elements.every(audio => audio.paused)')
    t.ok(await isSilent())
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('Space')
    t.ok(await isSilent(), 'no key plays what nothing on the page can stop')
    refusal.isOn = false
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await playerOf(page).titled('Morning Song 4').waitFor()
    t.ok(await isSilent())
    await playerOf(page).play.click()
    await playedTo(page, 300.1, 590)
    await go('/queue')
    await row('Morning Song 8').waitFor()
    t.equal(await page.locator('.row').count(), 5)
  })
})

t.test('media keys move nothing while the token is asked for again', t => {
  const { refusal, before } = refusing()
  return visit(t, browser, { ...long, before }, async ({ page, go, sees }) => {
    const press = await pressKeysOf(page)
    const title = playerOf(page).title
    const seek = playerOf(page).position
    await go('/daily')
    await page.getByRole('button', play('Noon Song 5')).click()
    await playedTo(page, 0.1)
    await seek.fill('300')
    await playedTo(page, 300.1, 590)
    await press('pause')
    await playerOf(page).play.waitFor()
    const at = await seek.inputValue()
    for (const [key, details] of [
      ['nexttrack'], ['previoustrack'], ['seekforward'], ['seekbackward'], ['seekto', '{ seekTime: 1 }']
    ]) {
      refusal.isOn = true
      await go('/artists')
      await sees('The source no longer accepts this token.')
      await press(key!, details)
      refusal.isOn = false
      await page.getByLabel('Token').fill(token)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await title.waitFor()
      t.strictSame([await title.textContent(), await seek.inputValue()], ['Noon Song 5', at], key!)
      await go('/daily')
    }
  })
})

t.test('the first track of an empty queue can be played', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/daily')
  for (const [title, action] of [['Noon Song 5', 'Add to queue'], ['Night Song 7', 'Play next']] as const) {
    await page.getByRole('button', { name: `More for ${title}` }).click()
    await page.getByRole('button', { name: action }).click()
  }
  await playerOf(page).titled('Noon Song 5').waitFor()
  await playerOf(page).play.click()
  await playedTo(page, 0.1)
  await playerOf(page).next.click()
  await playerOf(page).titled('Night Song 7').waitFor()
}))

/**
 * Plays the first of 200 found tracks, and later the last of those that are in the queue then, which has more of them.
 */
for (const [name, meanwhile] of [
  ['its view is left', async () => {}],
  ['its view has shown more meanwhile', async ({ page }: Visit) => {
    const third = page.waitForResponse(/offset=100/)
    await page.keyboard.press('End')
    await page.locator('.row', { hasText: 'Track 49.' }).waitFor()
    await page.waitForFunction(() => document.querySelector('.row')!.ariaSetSize === '100')
    await page.keyboard.press('End')
    await third
  }]
] as const) {
  t.test(`a long list is played without a gap when ${name}`, t => visit(t, browser, {
    adapter: base => ({
      searchTracks: async (_keyword, offset, limit) => {
        const [track] = await base.getDailyTracks()
        return {
          items: Array.from({ length: limit }, (_empty, at) => ({ ...track!, title: `Track ${offset + at}.` })),
          offset,
          limit,
          hasMore: offset < 150
        }
      }
    })
  }, async visited => {
    const { page, go, row } = visited
    await go('/search/track')
    await page.getByRole('button', play('Track 0.')).click()
    await playedTo(page, 0.1)
    await meanwhile(visited)
    await go('/queue')
    await page.getByRole('button', play('Track 0.')).focus()
    await page.keyboard.press('End')
    await page.getByRole('button', play('Track 49.')).click()
    await row('Track 50.').waitFor()
    t.equal(await row('Track 50.').getAttribute('data-index'), '50')
  }))
}

t.test('what is played of the results before does not go on with those that come', t => {
  const { promise: late, resolve: answer } = deferred<void>()
  return visit(t, browser, {
    adapter: base => ({
      searchTracks: async (keyword, offset, limit) => {
        if (keyword === 'night') await late
        return base.searchTracks(keyword, offset, limit)
      }
    })
  }, async ({ page, go, row }) => {
    await go('/search/noon')
    await row('Noon Song 1').first().waitFor()
    await page.getByRole('searchbox').fill('night')
    await page.getByRole('heading', { level: 1, name: 'Results for “night”' }).waitFor()
    await page.getByRole('button', play('Noon Song 5')).click()
    await playedTo(page, 0.5)
    answer()
    await row('Night Song 3').waitFor()
    await playedTo(page, 1)
    await go('/queue')
    await row('Noon Song 5').waitFor()
    t.equal(await row('Night').count(), 0)
  })
})

/** Sixty new tracks of a minute each, as the source says. */
const sixty = (base: WholeAdapter, served: () => Served) => ({
  ...long.adapter(base, served),
  getNewTracks: async () => {
    const track = await base.getTrackDetail('t1')
    return Array.from({ length: 60 }, (_empty, index) =>
      ({ ...track, id: `t${index % 16}`, title: `Number ${index}`, durationMs: 60_000 }))
  }
})

t.test('shuffling keeps what was asked for next', t => visit(t, browser, { adapter: sixty }, async ({ page, go }) => {
  await go('/new')
  await page.getByRole('button', play('Number 1')).click()
  for (const title of ['Number 8', 'Number 9']) {
    await page.getByRole('button', { name: `More for ${title}`, exact: true }).click()
    await page.getByRole('button', { name: dictionary.playNext[0] }).click()
    await page.getByText(dictionary.queuedNext[0].replace('{title}', title)).waitFor()
  }
  await go('/queue')
  for (const isOn of [true, false, true]) {
    await playerOf(page).shuffle.click()
    await page.locator(`.player [aria-label="${dictionary.shuffle[0]}"][aria-pressed="${isOn}"]`).waitFor()
    const titles = await page.locator('.view-queue .row .title').allTextContents()
    t.strictSame(titles.slice(1, 4), ['Number 1', 'Number 9', 'Number 8'])
  }
}))

const titlesOf = (page: Page) => page.locator('.row .title').allTextContents()

t.test('what was taken out of a queue cannot be put back into that of another source', async t => {
  const other = await elsewhere(t)
  await visit(t, browser, long, async visited => {
    const { page, go, row } = visited
    await addSource(visited, other)
    await switchSource(visited, 'Test source')
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await go('/queue')
    await page.getByRole('button', { name: 'Remove Noon Song 5 from queue' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await switchSource(visited, 'The other one')
    await page.locator('.empty').waitFor()
    t.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)
    t.equal(await row('Song').count(), 0)
  })
})

t.test('of a track that is in the queue more than once, one is taken out', t =>
  visit(t, browser, long, async ({ page, go, row }) => {
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await page.getByRole('button', { name: 'More for Night Song 7' }).click()
    await page.getByRole('button', { name: 'Add to queue' }).click()
    await go('/queue')
    await row('Night Song 7').last().locator('.row-time').click({ button: 'right' })
    await page.getByRole('dialog').getByRole('button', { name: 'Remove from queue' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    t.strictSame(await titlesOf(page), [
      'Morning Song 4', 'Noon Song 5', 'Evening Song 6', 'Night Song 7', 'Morning Song 8'
    ])
  }))

t.test('many tracks that are taken out together cost one URL, that of the track which plays then', t =>
  visit(t, browser, { adapter: sixty }, async ({ page, go, row }) => {
    await go('/new')
    await page.getByRole('button', play('Number 0')).focus()
    await page.keyboard.press('End')
    await page.getByRole('button', play('Number 59')).click()
    await playedTo(page, 0.1)
    await go('/queue')
    await row('Number 59').locator('.row-time').click({ modifiers: ['Control'] })
    await page.evaluate('document.getElementById("main").scrollTop = 0')
    await page.locator('[data-index="1"] .row-time').click({ modifiers: ['Shift'] })
    await page.getByRole('button', { name: 'Actions' }).click()
    const urls: string[] = []
    page.on('request', request => { if (/track\/url/.test(request.url())) urls.push(request.url()) })
    await page.getByRole('dialog').getByRole('button', { name: 'Remove from queue' }).click()
    await playerOf(page).titled('Number 0').waitFor()
    await playedTo(page, 0.1)
    t.strictSame(await titlesOf(page), ['Number 0'])
    t.equal(urls.length, 1)
  }))

t.test('a row of the queue that is let go before a frame comes is where it was let go', t =>
  visit(t, browser, long, async ({ page, go, row }) => {
    await holdFrames(page)
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await go('/queue')
    const box = (await row('Night Song 7').locator('.row-cover').boundingBox())!
    await page.evaluate('held = true')
    await page.mouse.move(box.x + 20, box.y + 20)
    await page.mouse.down()
    const { height } = (await row('Night Song 7').boundingBox())!
    await page.mouse.move(box.x + 20, box.y + 20 - 2 * height, { steps: 4 })
    await page.mouse.up()
    t.strictSame(await titlesOf(page), [
      'Morning Song 4', 'Night Song 7', 'Noon Song 5', 'Evening Song 6', 'Morning Song 8'
    ])
  }))

/** Waits until a tab sees that this browser keeps a text under a name, or keeps it no more. */
const isStored = (tab: Page, name: string, text: string, is = true) => tab.waitForFunction(({ name, text, is }) => {
  const stored = Object.entries<string>(localStorage)
  return stored.some(([key, value]) => key.includes(name) && value.includes(text)) === is
}, { name, text, is })

/** Opens the page in another tab, and plays a track of today in it. */
async function playInOtherTab ({ page, served }: Visit, title: string): Promise<Page> {
  const other = await page.context().newPage()
  await other.goto(`${served.origin}/#/daily`)
  await other.getByRole('button', play(title)).click()
  await isStored(other, 'heard', title)
  return other
}

t.test('what was heard in two tabs is in the history', t => visit(t, browser, long, async visited => {
  const { page, go, row } = visited
  await go('/daily')
  await row('Noon Song 5').waitFor()
  await playInOtherTab(visited, 'Night Song 7')
  await isStored(page, 'heard', 'Night Song 7')
  await page.getByRole('button', play('Noon Song 5')).click()
  await isStored(page, 'heard', 'Noon Song 5')
  await page.reload()
  await go('/history')
  await row('Noon Song 5').waitFor()
  t.strictSame(await titlesOf(page), ['Noon Song 5', 'Night Song 7'])
}))

t.test('who signs out in one tab is signed out in the others, and leaves no queue and no history', t =>
  visit(t, browser, long, async visited => {
    const { page, go } = visited
    const other = await playInOtherTab(visited, 'Noon Song 5')
    await go('/sources')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.locator('.gate').getByLabel('Token').waitFor()
    await isStored(other, 'sources', token, false)
    await isStored(other, 'heard', 'Noon Song 5', false)
    await other.locator('.gate').getByLabel('Token').waitFor()
    t.equal(await other.locator('.player').count(), 0)
    await other.reload()
    await other.locator('.gate').getByLabel('Token').waitFor()
    t.notMatch(await other.evaluate('JSON.stringify({ ...localStorage })'), /Noon Song|Night Song/)
  }))

t.test('a token that is typed in one tab is that of the others, where they have none', t =>
  visit(t, browser, { fragment: '' }, async ({ page, served }) => {
    const other = await page.context().newPage()
    await other.goto(served.origin)
    for (const typed of ['wrong', token]) {
      await other.locator('.gate').getByLabel('Token').waitFor()
      await page.locator('.gate').getByLabel('Token').fill(typed)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.locator(typed === token ? '#main' : '.wrong').waitFor()
    }
    await other.locator('#main').waitFor()
  }))

for (const width of widths) {
  t.test(`without shuffling again comes what is left, in the order that it would have had, and a reload keeps shuffling, ${width} px`, t =>
    visit(t, browser, { ...long, browser: wide(width) }, async ({ page, go, row }) => {
      const controls = page.locator(width < 720 ? '.now-controls' : '.player-center')
      const shuffle = controls.getByRole('button', { name: 'Shuffle' })
      /** The controls of a phone are in the view of what plays. */
      const inControls = async (act: () => Promise<unknown>) => {
        if (width < 720) await go('/playing')
        await act()
        await go('/queue')
      }
      await go('/album/b0')
      await page.getByRole('button', play('Morning Song 4')).click()
      await playedTo(page, 0.1)
      await go('/queue')
      await row('Morning Song 12').waitFor()
      const before = await titlesOf(page)
      t.strictSame(before, ['Morning Song 0', 'Morning Song 4', 'Morning Song 8', 'Morning Song 12'])
      await inControls(() => shuffle.click())
      t.strictSame((await titlesOf(page)).slice(0, 2), before.slice(0, 2), 'what was heard stays')
      await go('/daily')
      for (const [title, action] of [['Noon Song 5', 'Play next'], ['Night Song 7', 'Add to queue']] as const) {
        await page.getByRole('button', { name: `More for ${title}` }).click()
        await page.getByRole('button', { name: action }).click()
      }
      await go('/queue')
      await page.reload()
      await row('Noon Song 5').waitFor()
      await inControls(async () => t.equal(await shuffle.getAttribute('aria-pressed'), 'true'))
      await inControls(() => shuffle.click())
      t.strictSame(await titlesOf(page), [
        'Morning Song 0', 'Morning Song 4', 'Noon Song 5', 'Morning Song 8', 'Morning Song 12', 'Night Song 7'
      ])
    }))

  t.test(`the queue opens at what plays, says what is left, is saved as a playlist and comes back when it was cleared, ${width} px`, t =>
    visit(t, browser, {
      browser: wide(width),
      adapter: sixty
    }, async ({ page, go, row, sees }) => {
      await go('/new')
      await row('Number 3').first().waitFor()
      await page.evaluate('document.getElementById("main").scrollTop = 40 * 44')
      await page.getByRole('button', play('Number 42')).click()
      await playedTo(page, 0.1)
      await go('/queue')
      await row('Number 42').waitFor()
      t.ok(await row('Number 42').evaluate(row => {
        const { top, bottom } = row.getBoundingClientRect()
        const main = row.ownerDocument.getElementById('main')!.getBoundingClientRect()
        return top >= main.top && bottom <= main.bottom
      }), 'it can be seen')
      await sees('Next up: 17 tracks, 17 min')
      await page.getByRole('button', { name: 'Remove Number 44 from queue' }).click()
      await page.locator('.notice').getByRole('button', { name: 'Undo' }).click()
      await row('Number 44').waitFor()
      t.strictSame(await page.locator('.row-heading').allTextContents(), ['Now playing', 'Next up: 17 tracks, 17 min'])
      await page.evaluate('document.getElementById("main").scrollTop = 0')
      await page.getByRole('heading', { name: 'Already played', exact: true }).waitFor()
      t.equal(await page.locator('.view-head .total').textContent(), '1 hr')
      await page.getByRole('button', { name: 'Clear' }).click()
      await row('Number 41').waitFor({ state: 'detached' })
      t.strictSame(await titlesOf(page), ['Number 42'])
      t.strictSame(await page.locator('.row-heading').allTextContents(), ['Now playing'])
      await page.locator('.notice').getByRole('button', { name: 'Undo' }).click()
      await row('Number 44').waitFor()
      t.equal(await page.locator('.row.current .title').textContent(), 'Number 42')
      await page.getByRole('button', { name: 'Save as playlist' }).click()
      await page.getByRole('textbox', { name: 'New playlist' }).waitFor()
      await page.keyboard.type('Of today')
      await page.keyboard.press('Enter')
      await sees('Added to Of today')
      await page.getByRole('button', { name: 'Save as playlist' }).click()
      await page.getByRole('button', { name: 'Of today' }).click()
      await sees('Already in Of today')
    }))

  t.test(`a track of the queue is dragged to another place and is not played by that, ${width} px`, t =>
    visit(t, browser, { ...long, browser: wide(width) }, async ({ page, go, row }) => {
      await go('/daily')
      await page.getByRole('button', play('Morning Song 4')).click()
      await playedTo(page, 0.1)
      await go('/queue')
      await row('Morning Song 8').waitFor()
      const box = (await row('Night Song 7').locator('.row-cover').boundingBox())!
      await page.mouse.move(box.x + 20, box.y + 20)
      await page.mouse.down()
      const { height } = (await row('Night Song 7').boundingBox())!
      await page.mouse.move(box.x + 20, box.y + 20 - 2 * height, { steps: 4 })
      await page.waitForFunction(() =>
        document.querySelectorAll('.row .title')[1]!.textContent === 'Night Song 7')
      const shadows = await page.locator('.row').evaluateAll(
        rows => rows.map(row => getComputedStyle(row).boxShadow !== 'none')
      )
      t.strictSame(shadows, [false, true, false, false, false], 'the row that is lifted is that of the track')
      await page.mouse.up()
      await page.waitForFunction(() =>
        [...document.querySelectorAll('.row')].every(row => getComputedStyle(row).boxShadow === 'none'))
      t.strictSame(await titlesOf(page), [
        'Morning Song 4', 'Night Song 7', 'Noon Song 5', 'Evening Song 6', 'Morning Song 8'
      ])
      t.equal(await playerOf(page).title.textContent(), 'Morning Song 4')
      await row('Noon Song 5').locator('.row-cover').click()
      await playerOf(page).titled('Noon Song 5').waitFor()
    }))
}

for (const width of widths) {
  t.test(`what was heard is a view of its own, the latest first, until it is cleared or one signs out, ${width} px`, t =>
    visit(t, browser, { browser: wide(width) }, async ({ page, go, row, sees }) => {
      await go('/daily')
      for (const title of ['Noon Song 5', 'Night Song 7', 'Noon Song 5']) {
        await page.getByRole('button', play(title)).click()
        await playerOf(page).titled(title).waitFor()
        await playedTo(page, 1.2)
      }
      await go('/queue')
      await page.getByRole('link', { name: 'Recently played' }).locator('visible=true').last().click()
      await page.getByRole('heading', { level: 1, name: 'Recently played' }).waitFor()
      await page.reload()
      await row('Night Song 7').waitFor()
      t.strictSame(await titlesOf(page), ['Noon Song 5', 'Night Song 7'])
      await page.getByRole('button', { name: 'Clear' }).click()
      await sees('Nothing here yet.')
      await go('/daily')
      await page.getByRole('button', play('Evening Song 6')).click()
      await playedTo(page, 1.2)
      await go('/sources')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('Token').waitFor()
      t.notMatch(await page.evaluate('JSON.stringify({ ...localStorage })'), 'Evening Song')
    }))

  t.test(`a notice covers no button, and what was done last is told alone, ${width} px`, t =>
    visit(t, browser, { browser: wide(width), adapter: sixty }, async ({ page, go }) => {
      await go('/new')
      await page.getByRole('button', play('Number 1')).click()
      await playedTo(page, 0.1)
      for (const title of ['Number 3', 'Number 2', 'Number 3']) {
        await page.getByRole('button', { name: `More for ${title}`, exact: true }).click()
        await page.getByRole('button', { name: 'Add to queue' }).click()
        await page.locator('.notice', { hasText: title }).waitFor()
      }
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      t.strictSame(await page.locator('.notice > span').allTextContents(), ['“Number 3” added to the queue'])
      t.strictSame(await page.evaluate(`[...document.querySelectorAll('button, a, input')]
        .filter(control => !control.closest('.notices') && control.checkVisibility())
        .filter(control => [...document.querySelectorAll('.notice')].some(notice => {
          const a = control.getBoundingClientRect()
          const b = notice.getBoundingClientRect()
          const main = control.closest('main')?.getBoundingClientRect()
          const bottom = Math.min(a.bottom, main?.bottom ?? a.bottom)
          return a.width > 0 && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < bottom
        })).map(control => control.getAttribute('aria-label') ?? control.textContent)`), [])
    }))
}

t.test('the history is what the account has heard with all its apps, where the source keeps that', t => {
  const plays = Array.from({ length: 60 }, (_empty, index) => ({ id: `gone ${index}`, plays: 1, last: 10 + index }))
  return visit(t, browser, {
    adapter: () => ({ getPlays: () => [{ id: 't5', plays: 9, last: 1 }, ...plays, { id: 't7', plays: 1, last: 99 }] })
  }, async ({ page, go, row }) => {
    await go('/daily')
    await page.getByRole('button', play('Evening Song 6')).click()
    await playedTo(page, 1.2)
    await go('/history')
    await row('Noon Song 5').waitFor()
    t.strictSame(await titlesOf(page), ['Night Song 7', 'Noon Song 5'])
    t.equal(await page.getByRole('button', { name: 'Clear' }).count(), 0)
  })
})

t.test('at home, where there is no https, a track plays and the source is told', t => {
  const events: PlayEvent[] = []
  return visit(t, browser, {
    adapter: () => ({ onPlay: event => { events.push(event) } }), context: { account: 'ann' }
  }, async ({ page, served, go }) => {
    await page.goto(`${served.origin.replace('127.0.0.1', 'home.example')}/#token=${encodeURIComponent(token)}`)
    t.equal(await page.evaluate('isSecureContext'), false)
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.3)
    await playerOf(page).pause.click()
    while (events.length === 0) await page.evaluate('new Promise(requestAnimationFrame)')
    t.match(events[0], { track: 't4', account: 'ann', client: 'page' })
  })
})

t.test('the source is told what is heard, and later what could not be told: nothing skipped or loaded ahead', t => {
  const events: PlayEvent[] = []
  const heard = () => events.filter(({ counted }) => counted).map(({ track }) => track)
  return visit(t, browser, {
    adapter: (base, served) => ({
      onPlay: event => { events.push(event) },
      async getTrackUrl (id, quality) {
        const answer = await base.getTrackUrl(id, quality)
        return id === 't4' ? { ...answer, url: silenceUrl(served(), 1) } : answer
      }
    }),
    context: { account: 'ann' }
  }, async ({ page, go }) => {
    await keepElements(page)
    const until = async (holds: () => boolean) => {
      while (!holds()) await page.evaluate('new Promise(requestAnimationFrame)')
    }
    const atRate = (rate: number) => page.evaluate(rate => {
      for (const element of globalThis.elements) element.defaultPlaybackRate = element.playbackRate = rate
    }, rate)
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await playedTo(page, 0.1)
    await atRate(8)
    await playedTo(page, 10)
    await playerOf(page).next.click()
    const skipped = () => events.find(({ track, state }) => track === 't4' && state === 'stopped')
    await until(() => skipped() !== undefined)
    t.ok(skipped()!.position >= 10_000)
    t.strictSame(heard(), [], 'ten seconds of ten minutes are none')
    await until(() => heard().length > 0)
    t.strictSame(heard(), ['t5'], 'the next track is there already')
    t.strictSame([...new Set(events.map(({ track }) => track))].slice(0, 2), ['t4', 't5'])
    t.match(events[0], { account: 'ann', client: 'page', state: 'playing' })

    await page.route('**/page/plays', route => route.abort())
    // Paused by the page, since half of a track takes less time at this rate than a busy machine needs for a call.
    const paused = page.evaluate(`new Promise(resolve => requestAnimationFrame(function watch () {
      if (document.querySelector('.player-title')?.textContent === 'Night Song 7') {
        elements.forEach(element => element.pause())
        resolve()
      } else requestAnimationFrame(watch)
    }))`)
    await playerOf(page).titled('Night Song 7').waitFor()
    await paused
    await atRate(1)
    t.strictSame(heard(), ['t5'])
    await page.unroute('**/page/plays')
    await page.evaluate('dispatchEvent(new Event("online"))')
    await until(() => heard().includes('t6'))
    const [first, last] = events.filter(({ counted }) => counted)
    t.ok(last!.startedAt > first!.startedAt && last!.startedAt <= Date.now())

    await playerOf(page).play.click()
    await page.reload()
    await until(() => events.some(({ track, state }) => track === 't7' && state === 'stopped'))
    t.strictSame(heard(), ['t5', 't6'], 'each once')
  })
})
