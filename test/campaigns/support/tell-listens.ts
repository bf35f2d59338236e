import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fakeLastFm, fakeListenBrainz, lastFmKey } from '../../example/fake-services.ts'
import { command } from '../../example/helper.ts'
import { mp3 } from '../../example/make-audio.ts'
import { token } from '../../helper.ts'
import { BuiltExample } from './built-example.ts'
import type { Campaign } from './campaign.ts'
import { Random } from './random.ts'

const titles = ['One', 'Two', 'Three']

interface Place {
  /** More settings. */
  readonly env?: Record<string, string>
  /** Milliseconds in which the services have to know all. */
  readonly toldWithin: number
  /** How often that is looked at, besides the end: 1 = after each kill. */
  readonly looked: number
  /** Happens before a kill. */
  readonly disturb?: (random: Random) => Promise<void>
}

/**
 * The example, ended by `kill -9` while an app tells plays and services are told of them, which fail in between: each
 * play that was acknowledged has to be there once, and nothing else. A round is a kill.
 */
export async function tellListens (
  { rounds, find }: Campaign, { env: more = {}, toldWithin, looked, disturb }: Place
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'campaign-listens-'))
  const services = [await fakeListenBrainz(), await fakeLastFm()]
  const [brainz, lastfm] = services as [typeof services[0], typeof services[0]]
  const env = {
    MUSIC_DIR: join(root, 'music'),
    DATA_DIR: join(root, 'data'),
    LISTENBRAINZ_URL: brainz.url,
    LASTFM_URL: lastfm.url,
    ...lastFmKey,
    ...more
  }
  mkdirSync(env.MUSIC_DIR)
  for (const title of titles) {
    writeFileSync(join(env.MUSIC_DIR, `${title}.mp3`), mp3({ title, artist: 'Ann', album: 'All' }, { seconds: 40 }))
  }
  const told = new Map<string, number>()
  const acknowledged = new Set<string>()
  let example: BuiltExample | undefined
  let time = 1_735_689_600
  try {
    example = await BuiltExample.start(env)
    for (const name of ['listenbrainz', 'lastfm']) {
      await command(env.DATA_DIR, ['connect', 'owner', name], 'secret-of-ann')
    }
    const ids = await idsOf(example)
    for (const seed of rounds) {
      const random = new Random(seed)
      for (const { faults } of services) {
        faults.splice(0)
        for (let fault = random.below(4); fault > 0; fault--) {
          faults.push(random.pick([{ status: 503 }, { takes: true, breaks: true }, { breaks: true }]))
        }
      }
      const isOver = sleep(20 + random.below(400)).then(() => disturb?.(random)).then(() => example!.kill())
      for (let isUp = true; isUp;) {
        const title = random.pick(titles)
        time += 100
        told.set(`ann_there ${time} Ann ${title}`, seed)
        const query = new URLSearchParams({ u: 'x', p: token, c: 'app', id: ids.get(title)!, time: `${time}000` })
        isUp = await example.fetch(`/rest/scrobble?${query}`).then(async response => {
          if ((await response.text()).includes('status="ok"')) acknowledged.add(`ann_there ${time} Ann ${title}`)
          return true
        }, () => false)
        if (isUp && random.chance(0.3)) await sleep(random.below(20))
      }
      await isOver
      example = await BuiltExample.start(env)
      if (random.chance(looked)) await allArrived(seed)
    }
    await allArrived(0)
  } finally {
    await example?.kill()
    for (const service of services) service.close()
    rmSync(root, { recursive: true, force: true })
  }

  async function allArrived (seed: number): Promise<void> {
    const missing = () => services.flatMap(({ listens }, index) =>
      [...acknowledged].filter(listen => !listens.has(listen)).map(listen => `${index} ${listen}`))
    for (const { faults } of services) faults.splice(0)
    // What has failed is tried again at once by one that starts.
    await example!.kill()
    example = await BuiltExample.start(env)
    const from = performance.now()
    while (missing().length > 0 && performance.now() - from < toldWithin) await sleep(50)
    for (const listen of missing()) find(`a service was not told ${listen}, of round ${told.get(listen.slice(2))}`)
    const others = services.flatMap(({ listens }) => [...listens].filter(listen => !told.has(listen)))
    if (others.length > 0) find(`services were told what nobody has played, by round ${seed}: ${others.join(', ')}`)
    const { albumList2: { album: [album = { playCount: 0 }] = [] } } = await rest('getAlbumList2', { type: 'frequent' })
    const listened = services.map(({ listens }) => listens.size)
    if (listened.some(size => size > album.playCount)) find(`${album.playCount} plays, told: ${listened.join(' ')}`)
  }

  async function rest (method: string, more: Record<string, string>): Promise<any> {
    const query = new URLSearchParams({ f: 'json', u: 'x', p: token, c: 'app', ...more })
    const answer = await (await example!.fetch(`/rest/${method}?${query}`)).json() as Record<string, any>
    return answer['subsonic-response']
  }
}

async function idsOf (example: BuiltExample): Promise<Map<string, string>> {
  const found = async (): Promise<any[]> => (await example.data('/v1/search/tracks?keyword=Ann&limit=100')).items
  while ((await found()).length < titles.length) await sleep(50)
  return new Map((await found()).map(({ id, title }) => [title, `tr-${id}`]))
}
