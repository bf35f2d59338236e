import t from 'tap'
import { checkSource, createSourceClient, type OperationName } from 'fastify-source-origin/check'
import { createReferenceAdapter, token } from '../../reference-source.ts'
import { thrownBy } from '../../client/helper.ts'
import { build } from '../../helper.ts'
import { clientOfFaulty, listenFaulty, type InjectFault } from '../faulty-origin.ts'
import { breaks, failure, pathOf, right, spoil, success } from '../inject-faults.ts'

const client = (baseUrl: string) => createSourceClient({ baseUrl, authorization: token })

t.test('with write, what was changed is as it was before', async t => {
  const adapter = createReferenceAdapter(() => 'https://elsewhere.example')
  const state = () => JSON.stringify([
    adapter.userFavoriteTracks(), adapter.userArtists(), adapter.userAlbums(), adapter.getUserPlaylist()
  ])
  const before = state()
  await checkSource({ app: await build(t, { adapter }), authorization: token, write: true })
  t.equal(state(), before)
})

t.test('with write and nothing but favourites: they are made none, and favourites again', async t => {
  const { getTopArtists, favoriteArtist } = createReferenceAdapter(() => 'http://elsewhere.example')
  const favored = {
    getTopArtists: async () => (await getTopArtists()).filter(({ favorite }) => favorite), favoriteArtist
  }
  const report = await checkSource({
    app: await build(t, { adapter: favored }), authorization: token, write: true, only: ['artist']
  })
  t.strictSame(report.findings, [])
  t.match(await getTopArtists(), [{ favorite: false }, { favorite: true }])
})

t.test('with write, what is no favourite is tried rather than what is one', async t => {
  const { getTrackDetail, favoriteTrack, userFavoriteTracks } = createReferenceAdapter(() =>
    'https://elsewhere.example')
  const calls: unknown[] = []
  const recorded = (id: string, status: boolean) => { calls.push([id, status]); return favoriteTrack(id, status) }
  const getNewTracks = async () => [await getTrackDetail('t1'), await getTrackDetail('t2')]
  const app = await build(t, { adapter: { getNewTracks, userFavoriteTracks, favoriteTrack: recorded } })
  await checkSource({ app, authorization: token, write: true, only: ['favoriteTrack'] })
  t.strictSame(calls, [['t2', true], ['t2', true], ['t2', false]])
})

t.test('with write and no way to know the state before, a favourite is left alone', async t => {
  const { getPlaylists } = createReferenceAdapter(() => 'http://elsewhere.example')
  const favoritePlaylist = () => { throw new Error('Written') }
  const app = await build(t, { adapter: { getPlaylists, favoritePlaylist } })
  const report = await checkSource({ app, authorization: token, write: true, only: ['favoritePlaylist'] })
  t.strictSame(report.findings.map(({ rule, operation }) => [rule, operation]), [['nothing-found', 'favoritePlaylist']])
})

t.test('with write, a source without favourites has no finding about them', async t => {
  const { getNewTracks, getTrackDetail, userFavoriteTracks } = createReferenceAdapter(() => 'http://elsewhere.example')
  const app = await build(t, { adapter: { getNewTracks, getTrackDetail, userFavoriteTracks } })
  const { findings, operations } = await checkSource({ app, authorization: token, write: true })
  t.strictSame(findings, [])
  const favorites = operations.filter(({ operation }) => operation.startsWith('favorite'))
  t.strictSame(favorites.map(({ outcome }) => outcome), Array(4).fill('not offered'))
})

t.test('a change that cannot be undone is told', async t => {
  const { userFavoriteTracks, getNewTracks, favoriteTrack } = createReferenceAdapter(() => 'https://elsewhere.example')
  const sticky = (id: string, status: boolean) => status ? favoriteTrack(id, status) : { success: false, status: true }
  const app = await build(t, { adapter: { userFavoriteTracks, getNewTracks, favoriteTrack: sticky } })
  const report = await checkSource({ app, authorization: token, write: true, only: ['favoriteTrack'] })
  t.match(report.findings, [
    { rule: 'write-refused' }, { rule: 'write-not-undone', message: 'the track t8 is not as it was' }
  ])
})

for (const [title, answer, rules] of [
  ['without an id', { status: 200, body: { code: 200, data: { id: 7, name: 'Made by a check' } } },
    ['member-missing', 'id-not-string', 'write-not-undone']],
  ['with 500', { status: 500, body: { code: 500, message: 'Injected', data: null } },
    ['answer-error', 'write-not-undone']],
  ['not at all', 'break', ['no-answer', 'write-not-undone']]
] as const) {
  t.test(`a new playlist that is answered ${title} may be there for ever, and that is told`, async t => {
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    const injected = answer === 'break' ? answer : { headers, ...answer }
    const baseUrl = await listenFaulty(t, async ({ path, token, body }, sound) =>
      path === '/v1/playlist/create' && token === 'right' && body.name !== undefined ? injected : sound())
    const { findings } =
      await checkSource({ client: client(baseUrl), write: true, only: ['deletePlaylist', 'createPlaylist'] })
    t.strictSame([...new Set(findings.map(({ rule }) => rule))].sort(), [...rules].sort())
    t.ok(findings.every(({ operation }) => operation === 'createPlaylist'))
  })
}

t.test('a playlist that cannot be added to is deleted all the same', async t => {
  const adapter = createReferenceAdapter(() => 'https://elsewhere.example')
  const full = { ...adapter, addTrackToPlaylist: () => ({ success: false }) }
  const report =
    await checkSource({ app: await build(t, { adapter: full }), authorization: token, write: true })
  t.match(report.findings.map(({ rule, operation }) => [rule, operation]), [['write-refused', 'addTrackToPlaylist']])
  t.strictSame(await adapter.getUserPlaylist(), [])
})

t.test('a source that closes the connection to a huge body refuses it well enough', async t => {
  const baseUrl = await listenFaulty(t, async ({ body }, sound) =>
    body?.unknownMember?.length > 1000 ? 'break' : sound())
  t.strictSame((await checkSource({ client: client(baseUrl), write: true, only: ['favoriteTrack'] })).findings, [])
})

for (const at of [
  'updatePlaylist', 'addTrackToPlaylist', 'getPlaylistDetail', 'favoriteTrack', 'userFavoriteTracks'
] as const) {
  t.test(`a signal at ${at} while the check writes: what it did is undone`, async t => {
    const adapter = createReferenceAdapter(() => 'https://elsewhere.example')
    const state = () => JSON.stringify([adapter.userFavoriteTracks(), adapter.getUserPlaylist()])
    const before = state()
    const controller = new AbortController()
    const written: string[] = []
    const onProgress = (operation: OperationName) => {
      if (['createPlaylist', 'favoriteTrack'].includes(operation)) written.push(operation)
      if (operation === at && written.length > 3) controller.abort(new Error('No longer wanted'))
    }
    const app = await build(t, { adapter })
    const only = ['createPlaylist', 'favoriteTrack', 'getPlaylistDetail', 'userFavoriteTracks']
    const check = checkSource({ app, authorization: token, write: true, only, signal: controller.signal, onProgress })
    t.match(await thrownBy(check), { message: 'No longer wanted' })
    t.equal(state(), before)
  })
}

t.test('a signal while the check writes, and a change that cannot be undone: the error names what is left', async t => {
  const reference = createReferenceAdapter(() => 'https://elsewhere.example')
  let isMade = false
  const createPlaylist = (name: string) => { isMade = true; return reference.createPlaylist(name) }
  const adapter = { ...reference, createPlaylist, deletePlaylist: () => ({ success: false }) }
  const controller = new AbortController()
  const onProgress = (operation: OperationName) => { if (operation === 'removeTrack' && isMade) controller.abort() }
  const app = await build(t, { adapter })
  const check = checkSource({
    app,
    authorization: token,
    write: true,
    only: ['addTrackToPlaylist', 'removeTrack'],
    signal: controller.signal,
    onProgress
  })
  t.match(await thrownBy(check), {
    message: 'The check ended early and could not undo its changes: the playlist own0 is still there',
    cause: { name: 'AbortError' }
  })
})

t.test('a list that fails after a change says nothing of the change', async t => {
  const { userFavoriteTracks, getNewTracks, favoriteTrack } = createReferenceAdapter(() => 'https://elsewhere.example')
  let isChanged = false
  const adapter = {
    getNewTracks,
    favoriteTrack (id: string, status: boolean) { isChanged = true; return favoriteTrack(id, status) },
    userFavoriteTracks () { return isChanged ? null as never : userFavoriteTracks() }
  }
  const app = await build(t, { adapter })
  const { findings } =
    await checkSource({ app, authorization: token, write: true, only: ['favoriteTrack', 'userFavoriteTracks'] })
  t.strictSame(findings.map(({ rule, operation }) => [rule, operation]), [['answer-error', 'userFavoriteTracks']])
})

t.test('without any track, a playlist is made, renamed and deleted all the same', async t => {
  const { getUserPlaylist, getPlaylistDetail, createPlaylist, updatePlaylist, deletePlaylist, ...rest } =
    createReferenceAdapter(() => 'https://elsewhere.example')
  const calls: string[] = []
  const recorded = (name: 'addTrackToPlaylist' | 'removeTrack') => (playlistId: string, trackId: string) => {
    calls.push(`${name} ${trackId}`)
    return rest[name](playlistId, trackId)
  }
  const adapter = {
    getUserPlaylist,
    getPlaylistDetail,
    createPlaylist,
    updatePlaylist,
    deletePlaylist,
    addTrackToPlaylist: recorded('addTrackToPlaylist'),
    removeTrack: recorded('removeTrack')
  }
  const { findings } =
    await checkSource({ app: await build(t, { adapter }), authorization: token, write: true })
  t.notOk(findings.some(({ rule }) => rule.startsWith('write-')), JSON.stringify(findings))
  t.strictSame(calls, [])
  t.strictSame(await getUserPlaylist(), [])
})

for (const [title, given] of [['500', failure(500)], ['no id', success({ name: 'Made by a check' })]] as const) {
  t.test(`a new playlist that is answered with ${title} is told, also when only other operations are wanted`, async t => {
    const inject = spoil('createPlaylist', (sound, { body }) => body.name === undefined ? sound : given)
    const report = await checkSource({ client: await clientOfFaulty(t, inject), write: true, only: ['updatePlaylist'] })
    t.strictSame(rulesOf(report), [['write-not-undone', 'updatePlaylist']])
  })
}

t.test('where playlists cannot be deleted, none is made', async t => {
  const { createPlaylist, getUserPlaylist } = createReferenceAdapter(() => 'https://elsewhere.example')
  const app = await build(t, { adapter: { createPlaylist, getUserPlaylist } })
  t.strictSame(
    rulesOf(await checkSource({ app, authorization: token, write: true, only: ['createPlaylist', 'deletePlaylist'] })),
    []
  )
  t.strictSame(await getUserPlaylist(), [])
})

for (const [answer, made] of [['break', false], [failure(400), true]] as const) {
  t.test(`without the capability and with ${answer === 'break' ? 'no answer' : 'an answer'} for an unknown playlist, ${made ? 'one' : 'none'} is made`, async t => {
    let isMade = false
    const inject: InjectFault = async (asked, sound) => {
      const { path, body } = asked
      if (path === pathOf('createPlaylist') && body.name !== undefined) isMade = true
      if (path === pathOf('deletePlaylist') && body.id?.startsWith('no-such')) return answer
      const given = await sound()
      if (path === pathOf('status') && right(asked)) {
        given.body.data.capabilities =
        given.body.data.capabilities.filter((name: string) => name !== 'playlistMutation')
      }
      return given
    }
    await checkSource({ client: await clientOfFaulty(t, inject), write: true, only: ['createPlaylist'] })
    t.equal(isMade, made)
  })
}

const rulesOf = ({ findings }: Awaited<ReturnType<typeof checkSource>>) =>
  findings.map(({ rule, operation }) => [rule, operation])

t.test('a change that is answered with 429 was not made', async t => {
  const inject = spoil('createPlaylist', (given, { body }) => body.name === undefined ? given : failure(429))
  const report = await checkSource({ client: await clientOfFaulty(t, inject), write: true, only: ['createPlaylist'] })
  t.strictSame(rulesOf(report), [['rate-limited', 'createPlaylist']])
})

t.test('a change that is not sent, because the operation had no answer before, was not made', async t => {
  const inject: InjectFault = async (asked, sound) =>
    asked.path === pathOf('createPlaylist') && !right(asked) ? 'break' : sound()
  const report = await checkSource({ client: await clientOfFaulty(t, inject), write: true, only: ['createPlaylist'] })
  t.strictSame(rulesOf(report), [['no-answer', 'createPlaylist']])
})

t.test('a source that stopped answering before is asked to change nothing', async t => {
  const client = await clientOfFaulty(t, breaks('getPlaylists', 'getToplist', 'getNewTracks'))
  const report = await checkSource({ client, write: true, concurrency: 1 })
  t.strictSame(rulesOf(report).map(([rule]) => rule).sort(), ['gave-up', 'no-answer', 'no-answer', 'no-answer'])
})

t.test('a change is undone although operations have no answer any more', async t => {
  const changes: string[] = []
  const inject: InjectFault = async (asked, sound) => {
    const { path, method, body } = asked
    if (path === pathOf('deletePlaylist') && !right(asked)) return 'break'
    if (path === pathOf('getToplist') && right(asked)) return 'break'
    if (path === pathOf('updatePlaylist') && body?.name !== undefined) return 'break'
    if (method === 'POST' && right(asked) && (body.id ?? body.name) !== undefined) changes.push(path)
    return sound()
  }
  const report = await checkSource({ client: await clientOfFaulty(t, inject), write: true })
  t.strictSame(changes, [pathOf('createPlaylist'), pathOf('deletePlaylist')])
  t.notOk(report.findings.some(({ message }) => message.includes('still there')), JSON.stringify(report.findings))
})
