import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { pace } from '../../lib/library/paced.ts'
import { pauses } from '../../lib/library/suspicion.ts'
import { replace } from '../replace.ts'
import { as, command, folder, mp3, startWith, token, tokenIn, until, write, type Source } from './helper.ts'

// The stored library of a friend's source, in the example.

pace.between = 0

const ofFriend = 'a-token-of-the-friend'

/** A server at an address that is known before its source runs. It is down while `to` is undefined. */
async function front (t: Test) {
  const lead: { to: RequestListener | undefined } = { to: undefined }
  const server = createServer((request, response) => lead.to ? lead.to(request, response) : request.destroy())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise(resolve => { server.close(resolve); server.closeAllConnections() }))
  return { lead, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const filesOf = (name: string) => ({ '1.mp3': mp3({ title: `Song of ${name}`, artist: name, album: `Album of ${name}` }) })

const albumsOf = async ({ call }: Pick<Source, 'call'>) => {
  const { data } = (await call('/page/browse?kind=albums&limit=200')).json()
  return data.items.map(({ name }: { name: string }) => name).sort()
}

/** A folder with a friend's source, whose settings, token and address are returned too. */
async function open (t: Test) {
  const there = folder(t)
  const friend = await startWith(t, filesOf('Bo'), { DATA_DIR: there, PAGE: 'true', SOURCE_API_TOKEN: ofFriend })
  const { lead, url } = await front(t)
  const run = () => { lead.to = (request, response) => friend.app.routing(request, response) }
  const [DATA_DIR, MUSIC_DIR] = [folder(t), folder(t, filesOf('Ada'))]
  const env = { DATA_DIR, MUSIC_DIR, PAGE: 'true', SOURCE_URL: url, SOURCE_TOKEN: ofFriend }
  run()
  return { friend: as(friend, ofFriend), there, env, lead, run, start: () => startWith(t, filesOf('Ada'), env) }
}

const both = ['Album of Ada', 'Album of Bo']
const hasBoth = (source: Source) => until(async () => (await albumsOf(source)).length === 2)

t.test('the albums of a friend are listed, also while the friend is down and after a restart', async t => {
  const { env, lead, start } = await open(t)
  const home = await start()
  await hasBoth(home)
  lead.to = undefined
  t.strictSame(await albumsOf(home), both)
  await home.app.close()
  const again = await start()
  await hasBoth(again)
  const { headers, statusCode } = await again.call('/page/browse?kind=artists')
  t.strictSame([statusCode, headers['source-partial']], [200, undefined])
  const { items } = await again.data('/page/browse?kind=albums')
  const { id } = items.find(({ id }: { id: string }) => id.startsWith('source:'))
  const { tracks: [track] } = await again.data(`/v1/album/detail?id=${encodeURIComponent(id)}`)
  t.equal(track.title, 'Song of Bo')
  const answer = await again.call(`/v1/track/url?id=${encodeURIComponent(track.id)}`)
  t.match([answer.statusCode, answer.json().message], [502, /127\.0\.0\.1/])
  t.notMatch(readFileSync(join(env.DATA_DIR, 'mirrors.sqlite'), 'latin1'), new RegExp(ofFriend))
})

t.test('a friend that is down from the start is named, and is there when it comes up', async t => {
  replace(t, pauses, 'look', 0)
  const { lead, run, start } = await open(t)
  lead.to = undefined
  const home = await start()
  const { headers } = await home.call('/page/browse?kind=albums')
  t.equal(headers['source-partial'], 'source')
  t.strictSame(await albumsOf(home), ['Album of Ada'])
  run()
  await hasBoth(home)
})

t.test('an account with a login of its own has a library of its own there, with its favourites', async t => {
  replace(t, pauses, 'look', 0)
  const { env, there, friend, start } = await open(t)
  const home = await start()
  await hasBoth(home)
  const atFriend = tokenIn(await command(there, ['add', 'ann-there']))
  await command(there, ['allow', 'ann-there', 'explicit', 'off'])
  const ann = as(home, tokenIn(await command(env.DATA_DIR, ['add', 'ann'])))
  await command(env.DATA_DIR, ['connect', 'ann', 'source'], atFriend)
  const [{ id }] = (await friend.data('/v1/search/tracks?keyword=song')).items
  await write(as(friend, atFriend), 'track/favorite', { id, status: true })
  await hasBoth(ann)
  const starred = async ({ app }: Source, password: string) => (await app.inject(`/rest/getStarred2?${
    new URLSearchParams({ u: 'x', p: password, c: 'an app', f: 'json' })}`)).json()['subsonic-response'].starred2.song
  t.equal((await starred(home, token))?.length ?? 0, 0)
  const titles = (await ann.data('/v1/user/favorite/tracks')).map(({ title }: { title: string }) => title)
  t.strictSame(titles, ['Song of Bo'])
})

t.test('two friends that have each other list what both have, each once', async t => {
  replace(t, pauses, 'look', 0)
  const [ada, bo] = [await front(t), await front(t)]
  const opened: Source[] = []
  for (const [name, own, other] of [['Ada', ada, bo], ['Bo', bo, ada]] as const) {
    const source = as(await startWith(t, filesOf(name), {
      PAGE: 'true', SOURCE_URL: other.url, SOURCE_TOKEN: ofFriend, SOURCE_API_TOKEN: ofFriend
    }), ofFriend)
    own.lead.to = (request, response) => source.app.routing(request, response)
    opened.push(source)
  }
  for (const source of opened) await hasBoth(source)
  for (let time = 0; time < 5; time++) for (const source of opened) t.strictSame(await albumsOf(source), both)
})
