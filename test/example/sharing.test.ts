import t, { type Test } from 'tap'
import { startPostgres } from '../postgres.ts'
import { skipWithout } from '../services.ts'
import { as, command, folder, pathOf, start, tokenIn, write, type Source } from './helper.ts'

skipWithout('PostgreSQL', t, /^PostgreSQL/)

const engines: Record<string, (t: Test) => Promise<Record<string, string>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async t => ({ DATABASE_URL: (await startPostgres(t)).url })
}

interface Member extends Source { token: string }

/** Ann with a playlist of two tracks, and others. */
async function family (t: Test, env: Record<string, string>) {
  const DATA_DIR = folder(t)
  const source = await start(t, { ...env, DATA_DIR, PAGE: 'true' })
  const run = (...args: string[]) => command(DATA_DIR, args)
  const add = async (name: string): Promise<Member> => {
    const token = tokenIn(await run('add', name))
    return { ...as(source, token), token }
  }
  const [ann, bob, cat] = [await add('ann'), await add('bob'), await add('cat')]
  const { id } = await write(ann, 'playlist/create', { name: 'Ours' })
  const tracks: string[] = (await source.data('/v1/track/new')).map(({ id }: any) => id)
  for (const trackId of tracks.slice(0, 2)) await write(ann, 'playlist/addTrack', { playlistId: id, trackId })
  const rest = async ({ token }: Member, method: string, more: object = {}) =>
    (await source.call(`/rest/${method}?${new URLSearchParams({ u: 'me', p: token, c: 'app', f: 'json', ...more })}`))
      .json()['subsonic-response']
  const share = async ({ call }: Source, { people = {}, ...more }: { people?: object, everyone?: string }) => {
    const each = Object.entries(people).map(([name, may]) => ({ name, may }))
    return (await call('/page/sharing', { method: 'POST', payload: { id, people: each, ...more } })).json()
  }
  return { source, run, add, rest, share, ann, bob, cat, id, tracks }
}
type Family = Awaited<ReturnType<typeof family>>

/** What an account may do with the playlist of Ann, by each protocol: nothing, hear it, change it. */
async function mayOf ({ rest, id, tracks }: Family, who: Member, [spare]: readonly string[]): Promise<string> {
  const list = (await who.data('/v1/user/playlist/list')).find((list: any) => list.id === id)
  const detail = (await who.call(`/v1/playlist/detail?id=${id}`)).statusCode === 200
  const found = (await who.data('/v1/search/playlists?keyword=ours')).items.length === 1
  const ofPage = (await who.call(`/page/playlist?id=${id}`)).statusCode === 200
  const shown = (await rest(who, 'getPlaylists')).playlists.playlist.find((list: any) => list.id === `pl-${id}`)
  const whole = (await rest(who, 'getPlaylist', { id: `pl-${id}` })).status === 'ok'
  const download = (await who.call(`/page/download?kind=playlist&id=${id}`)).statusCode === 200
  const hears = [list !== undefined, detail, found, ofPage, shown !== undefined, whole, download]
  t.equal(new Set(hears).size, 1, `all protocols say the same: ${hears}`)
  const edit = async (path: string, payload: object) =>
    (await who.call(path, { method: 'POST', payload })).statusCode === 200
  const changes = [
    await edit('/v1/playlist/addTrack', { playlistId: id, trackId: tracks[0] }),
    await edit('/v1/playlist/update', { id, name: 'Ours', description: '' }),
    await edit('/page/playlist', { id, add: [tracks[1] === spare ? tracks[0] : tracks[1]] }),
    await edit('/v1/playlist/removeTrack', { playlistId: id, trackId: 'f'.repeat(20) }),
    (await rest(who, 'updatePlaylist', { playlistId: `pl-${id}`, name: 'Ours' })).status === 'ok'
  ]
  t.equal(new Set(changes).size, 1, `and the same of changes: ${changes}`)
  if (shown !== undefined) t.match(shown, { owner: list.creator.id === 'ann' && who.token !== '' ? /ann|me/ : 'ann' })
  const editable = (await who.call('/page/sharing')).json().data.editable.includes(id)
  t.equal(editable, changes[0])
  return changes[0] ? 'edit' : hears[0] ? 'hear' : 'no'
}

for (const [engine, open] of Object.entries(engines)) {
  t.test(engine, async t => {
    const here = await family(t, await open(t))
    const { ann, bob, cat, share, rest, id, run, source, tracks } = here
    const rows: [what: string, change: () => Promise<unknown>, bobs: string, cats: string][] = [
      ['not shared', async () => {}, 'no', 'no'],
      ['to hear by Bob', () => share(ann, { people: { bob: 'hear' } }), 'hear', 'no'],
      ['to edit by Bob', () => share(ann, { people: { bob: 'edit' } }), 'edit', 'no'],
      ['to hear by all', () => share(ann, { everyone: 'hear', people: { bob: 'no' } }), 'hear', 'hear'],
      ['to edit by all', () => share(ann, { everyone: 'edit' }), 'edit', 'edit'],
      ['to hear by all, to edit by Cat', () =>
        share(ann, { everyone: 'hear', people: { cat: 'edit' } }), 'hear', 'edit'],
      ['no more by all', () => share(ann, { everyone: 'no' }), 'no', 'edit'],
      ['public by an app', () => rest(ann, 'updatePlaylist', { playlistId: `pl-${id}`, public: 'true' }), 'hear', 'edit'],
      ['an app that may edit sends what it was told',
        () => rest(cat, 'updatePlaylist', { playlistId: `pl-${id}`, name: 'Ours', public: 'false' }), 'hear', 'edit'],
      ['private by an app with a name', () =>
        rest(ann, 'updatePlaylist', { playlistId: `pl-${id}`, name: 'Ours', public: 'false' }), 'no', 'edit'],
      ['a name that nobody has, with one that is', () =>
        share(ann, { people: { bob: 'edit', nobody: 'hear' } }), 'no', 'edit'],
      ['with oneself', () => share(ann, { people: { ann: 'hear' } }), 'no', 'edit'],
      ['by somebody else', () => share(cat, { everyone: 'edit' }), 'no', 'edit'],
      ['Cat signs in anew', () => run('add', 'cat'), 'no', 'edit'],
      ['Ann may not share', () => run('allow', 'ann', 'share', 'off'), 'no', 'no'],
      ['nor does it', () => share(ann, { everyone: 'hear' }), 'no', 'no'],
      ['and may again', () => run('allow', 'ann', 'share', 'on'), 'no', 'no'],
      ['both at once', () => Promise.all([
        share(ann, { people: { bob: 'hear' } }), share(ann, { people: { cat: 'edit' } })
      ]), 'hear', 'edit']
    ]
    for (const [what, change, bobs, cats] of rows) {
      await t.test(what, async t => {
        await change()
        t.equal(await mayOf(here, ann, tracks), 'edit')
        t.equal(await mayOf(here, bob, tracks), bobs, 'Bob')
        t.equal(await mayOf(here, cat, tracks), cats, 'Cat')
      })
    }

    t.test('who it is shared with is told to who shares it only', async t => {
      const of = async ({ call }: Source, more = `?id=${id}`) => (await call(`/page/sharing${more}`)).json()
      t.same((await of(ann)).data, { everyone: 'no', people: { bob: 'hear', cat: 'edit', owner: 'no' } })
      t.match(await of(bob), { code: 403, message: 'This playlist is one of ann, who alone may do that' })
      t.match(await of(source), { code: 404 })
      t.match(await of(ann, `?id=${'0'.repeat(20)}`), { code: 404 })
      t.match(await share(ann, { everyone: 'all' }), { code: 400 })
      t.match(await share(ann, { people: { bob: 'own' } }), { code: 400 })
      t.match(await share(ann, {}), { code: 200 })
    })

    t.test('a change of one who may is seen by all, and only the owner deletes', async t => {
      const before = await bob.data(`/v1/playlist/detail?id=${id}`)
      t.equal(before.creator.name, 'ann')
      await write(cat, 'playlist/addTrack', { playlistId: id, trackId: tracks[3] })
      for (const who of [ann, bob, cat]) {
        const { tracks } = await who.data(`/v1/playlist/detail?id=${id}`)
        t.equal(tracks.length, before.tracks.length + 1)
      }
      t.match((await cat.call('/v1/playlist/delete', { method: 'POST', payload: { id } })).json(), { code: 403 })
      t.equal((await rest(cat, 'deletePlaylist', { id: `pl-${id}` })).status, 'failed')
    })

    t.test('a URL to save it is of no use to whom it is not shared with any more', async t => {
      const { url } = await bob.data(`/page/download?kind=playlist&id=${id}`)
      t.equal((await source.app.inject(pathOf(url))).statusCode, 200)
      await share(ann, { people: { bob: 'no' } })
      t.equal((await source.app.inject(pathOf(url))).statusCode, 404)
    })

    t.test('what is deleted, and what a removed account has shared, is gone for all', async t => {
      await share(ann, { everyone: 'hear' })
      t.equal((await bob.data('/v1/user/playlist/list')).length, 1)
      const { id: second } = await write(ann, 'playlist/create', { name: 'Second' })
      await ann.call('/page/sharing', { method: 'POST', payload: { id: second, everyone: 'edit' } })
      t.equal((await bob.data('/v1/user/playlist/list')).length, 2)
      await write(ann, 'playlist/delete', { id: second })
      t.equal((await bob.data('/v1/user/playlist/list')).length, 1)
      await run('remove', 'ann', 'ann')
      t.same(await bob.data('/v1/user/playlist/list'), [])
      t.equal((await bob.call(`/v1/playlist/detail?id=${id}`)).statusCode, 404)
    })
  })
}
