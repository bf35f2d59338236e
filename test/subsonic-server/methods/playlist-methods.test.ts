import { UpstreamError, type Playlist, type SourceAdapter, type Track } from 'fastify-source-origin'
import t from 'tap'
import { createReferenceAdapter } from '../../reference-source.ts'
import { adapter, ask, ids, serve, type Query } from '../helper.ts'
import { trackOf } from '../library.ts'

const stateless = { context: { stateless: true } }

/** An adapter with one own playlist, whose tracks may stand there twice, and that removes them by their ids. */
function ownPlaylist (changes: string[]) {
  const tracks: string[] = []
  const own: SourceAdapter = {
    getUserPlaylist: () => [{ id: 'p', name: 'P' }],
    getPlaylistDetail: id => ({ id, name: 'P', tracks: tracks.map(id => adapter.getTrackDetail(id) as Track) }),
    addTrackToPlaylist: (_id, track) => { changes.push(`+${track}`); tracks.push(track); return { success: true } },
    removeTrack: (_id, track) => {
      changes.push(`-${track}`)
      tracks.splice(0, Infinity, ...tracks.filter(id => id !== track))
      return { success: true }
    }
  }
  return { adapter: own, tracks }
}

/** A source with one list of charts of so many tracks, that gives so many at once at most. */
function charts (count: number, trackCount: number | undefined, atOnce = 200) {
  const asked: number[][] = []
  const all = Array.from({ length: count }, (_empty, index) => trackOf(index, 0))
  const source: SourceAdapter = {
    getToplist: () =>
      [{ name: 'Charts', list: [{ id: 'c', name: 'C', coverUrl: '', updateFrequency: '', tracks: [] }] }],
    getToplistTracks: (id, offset, limit) => {
      asked.push([offset, limit])
      return {
        id,
        name: 'C',
        ...(trackCount !== undefined && { trackCount }),
        tracks: all.slice(offset, offset + Math.min(limit, atOnce))
      }
    }
  }
  return { asked, source }
}

t.test('playlists: a favourite that somebody else made is read-only in every answer', async t => {
  const creator = (id: string, name = '') => ({ id, name, avatarUrl: '' })
  const lists: Playlist[] = [
    { id: 'mine', name: 'Mine', creator: creator('ADA') }, { id: 'named', name: 'Named', creator: creator('7', 'Ada') },
    { id: 'plain', name: 'Plain' }, { id: 'theirs', name: 'Theirs', creator: creator('bo') }
  ]
  const own: SourceAdapter = {
    getUserPlaylist: () => lists,
    getUserMe: () => ({ userId: 'ada', nickname: 'Ada', avatar: '', platform: '' }),
    getPlaylistDetail: id => ({ ...lists.find(list => list.id === id)!, tracks: [] }),
    updatePlaylist: id => lists.find(list => list.id === id)!
  }
  const app = await serve(t, { adapter: own })
  for (const { id } of lists) {
    const isTheirs = id === 'theirs'
    const playlistId = `pl-${id}`
    const listed = (await ask(app, 'getPlaylists')).playlists.playlist.find((list: any) => list.id === playlistId)
    for (const shown of [listed, (await ask(app, 'getPlaylist', { id: playlistId })).playlist]) {
      t.match(shown, { readonly: isTheirs, public: isTheirs, owner: isTheirs ? 'fastify-source-origin' : 'ada' }, id)
    }
    const edited = await ask(app, 'updatePlaylist', { playlistId, name: 'x' })
    t.match(edited, isTheirs ? { error: { code: 50 } } : { status: 'ok' })
  }
  const unknown = await serve(t, { adapter: { ...own, getUserMe: () => { throw new UpstreamError('down') } } })
  const { playlist } = (await ask(unknown, 'getPlaylists')).playlists
  t.match(playlist.map((list: any) => list.readonly), Array(4).fill(false))
})

t.test('playlists: own ones can be changed, others are read-only, and those for the account not public', async t => {
  const app = await serve(t, {
    adapter: {
      ...adapter, getUserPlaylist: () => [{ id: 'mine', name: 'Mine', description: 'words' }]
    } satisfies SourceAdapter
  })
  const { playlist } = (await ask(app, 'getPlaylists')).playlists
  t.strictSame(playlist.slice(
    0, 4
  ).map(({ id, owner, readonly, public: isPublic }: any) => [id, owner, readonly, isPublic]), [
    ['pl-mine', 'ada', false, false], ['sp-daily', 'fastify-source-origin', true, false],
    ['tl-c0', 'fastify-source-origin', true, false], ['pl-p0', 'fastify-source-origin', true, true]
  ])
  t.equal(playlist[0].comment, 'words')
  t.ok(playlist[3].duration > 0, 'the length of a list that was not opened')
  for (const playlistId of ['pl-p0', 'tl-c0', 'sp-daily']) {
    t.match(await ask(app, 'updatePlaylist', { playlistId, name: 'x' }), { error: { code: 50 } })
  }
  for (const id of ['al-b0', 'pl-gone']) t.match(await ask(app, 'deletePlaylist', { id }), { error: { code: 70 } })
  const blind = await serve(t, { adapter: { getUserPlaylist: () => [] } })
  t.match(await ask(blind, 'deletePlaylist', { id: 'pl-gone' }), { error: { code: 50 } })
  const none = await serve(t, { adapter, lists: { daily: false, toplists: false, recommended: false }, ...stateless })
  t.strictSame(ids((await ask(none, 'getPlaylists')).playlists.playlist), ['pl-p0', 'pl-p1', 'pl-p2', 'pl-p3', 'pl-p4'])
  t.match(await ask(none, 'createPlaylist', { name: 'x' }), {
    error: { code: 50, message: 'This source has no accounts' }
  })
  t.match(await ask(await serve(t), 'createPlaylist', { name: 'x' }), {
    error: { code: 50, message: 'This source does not offer that' }
  })
  t.match(await ask(app, 'createPlaylist', {}), { error: { code: 10 } })
})

t.test('a playlist becomes what an app sends: the common beginning stays', async t => {
  const changes: string[] = []
  let tracks = ['t0', 't1', 't2']
  const own: SourceAdapter = {
    getUserPlaylist: () => [{ id: 'p', name: 'P' }],
    getPlaylistDetail: id =>
      ({
        id,
        name: 'P',
        description: 'D',
        updatedAt: Date.UTC(2021, 0, 1),
        tracks: tracks.map(id => adapter.getTrackDetail(id) as Track)
      }),
    createPlaylist: name => ({ id: 'p', name }),
    deletePlaylist: () => ({ success: false }),
    updatePlaylist: (id, name, description) => { changes.push(`update ${name} ${description}`); return { id, name } },
    addTrackToPlaylist: (_id, track) => {
      changes.push(`+${track}`)
      tracks = [...tracks, track]
      return { success: true }
    },
    removeTrack: (_id, track) => {
      changes.push(`-${track}`)
      tracks = tracks.filter(id => id !== track)
      return { success: true }
    }
  }
  const app = await serve(t, { adapter: own })
  t.match(await ask(app, 'updatePlaylist', { playlistId: 'pl-p', public: 'true' }), { error: { code: 50 } })
  t.strictSame(changes, [], 'what is refused changes nothing')
  await ask(app, 'updatePlaylist', { playlistId: 'pl-p', public: 'true', name: 'Shown' })
  t.strictSame(changes.splice(0), ['update Shown D'], 'what is sent beside it is done')
  const answer = await ask(app, 'createPlaylist', { playlistId: 'pl-p', songId: ['tr-t0', 'tr-t3', 'tr-t1'] })
  t.strictSame(ids(answer.playlist.entry), ['tr-t0', 'tr-t3', 'tr-t1'])
  t.equal(answer.playlist.created, '2021-01-01T00:00:00.000Z', 'not 1970, where only the change is known')
  t.strictSame(changes.splice(0), ['-t1', '-t2', '+t3', '+t1'])
  await ask(app, 'createPlaylist', { playlistId: 'pl-p', name: 'New', songId: ['tr-t0', 'tr-t3', 'tr-t1'] })
  t.strictSame(changes.splice(0), ['update New D'])
  await ask(app, 'updatePlaylist', {
    playlistId: 'pl-p', comment: 'C', songIndexToRemove: [0, 2], songIdToAdd: ['tr-t5', 'tr-t6']
  })
  t.strictSame(changes.splice(0), ['+t5', '+t6', '-t0', '-t1', 'update P C'])
  t.strictSame(tracks, ['t3', 't5', 't6'])
  await ask(app, 'updatePlaylist', { playlistId: 'pl-p', comment: '' })
  t.strictSame(changes.splice(0), ['update P '], 'a blank comment clears it')
  t.match(await ask(app, 'deletePlaylist', { id: 'pl-p' }), { error: { code: 50, message: 'The source refused that' } })
  t.match(await ask(app, 'getUser'), { user: { playlistRole: true } })
})

t.test('a playlist has a track as often as an app sends it', async t => {
  const changes: string[] = []
  const { adapter: own, tracks } = ownPlaylist(changes)
  const app = await serve(t, { adapter: own })
  for (const [before, wanted, changed, after] of [
    ['t0 t1 t0', 't0 t1', '-t0 -t1 +t0 +t1', 't0 t1'],
    ['t3 t0 t1 t0 t2', 't3 t0 t1 t2', '-t0 -t1 -t2 +t0 +t1 +t2', 't3 t0 t1 t2'],
    ['t0 t1 t0 t1', 't0 t1 t0', '-t0 -t1 +t0 +t1 +t0', 't0 t1 t0'],
    ['t0 t1 t0', 't0 t1 t0 t2', '+t2', 't0 t1 t0 t2'],
    ['t0 t1', 't0 t1 t0 t0', '+t0 +t0', 't0 t1 t0 t0']
  ] as const) {
    tracks.splice(0, Infinity, ...before.split(' '))
    await ask(app, 'createPlaylist', { playlistId: 'pl-p', songId: wanted.split(' ').map(id => `tr-${id}`) })
    t.strictSame([changes.splice(0).join(' '), tracks.join(' ')], [changed, after], `${before} to ${wanted}`)
  }
})

t.test('of a track that stands in a playlist twice only the one that an app names goes, and more may come', async t => {
  const changes: string[] = []
  const { adapter: own, tracks } = ownPlaylist(changes)
  const app = await serve(t, { adapter: own })
  for (const [before, songIndexToRemove, songIdToAdd, changed, after] of [
    ['t0 t1 t0', [2], [], '-t0 -t1 +t0 +t1', 't0 t1'],
    ['t0 t1 t0 t0', [0], ['tr-t2'], '-t0 +t0 +t0 +t2', 't1 t0 t0 t2'],
    ['t0 t1', [], ['tr-t0', 'tr-t4', 'tr-t4'], '+t0 +t4 +t4', 't0 t1 t0 t4 t4'],
    ['t0 t1', [0, 1, 2, 3], ['tr-t1', 'tr-t1'], '+t1 -t0', 't1 t1'],
    ['t0 t1 t0', [0, 2], [], '-t0', 't1'],
    ['t0 t1 t0', [1], [], '-t1', 't0 t0']
  ] as const) {
    tracks.splice(0, Infinity, ...before.split(' '))
    await ask(app, 'updatePlaylist', {
      playlistId: 'pl-p', songIndexToRemove: [...songIndexToRemove], songIdToAdd: [...songIdToAdd]
    })
    t.strictSame(
      [changes.splice(0).join(' '), tracks.join(' ')], [changed, after], `${before} without ${songIndexToRemove}`
    )
  }
})

for (const [title, list, count, pages] of [
  ['that tells its length is read up to it', charts(400, 400), 400, [[0, 200], [200, 200]]],
  ['that is one longer than a page has another page', charts(201, 201), 201, [[0, 200], [200, 200]]],
  ['of small pages is read up to its length', charts(300, 300, 150), 300, [[0, 200], [150, 200]]],
  ['that has less than it tells ends with an empty page', charts(150, 300), 150, [[0, 200], [150, 200]]],
  ['that tells no length ends with a page that is not full', charts(399, undefined), 399, [[0, 200], [200, 200]]],
  ['that tells no length and ends with a full page is asked once more', charts(400, undefined), 400,
    [[0, 200], [200, 200], [400, 200]]],
  ['whose length is 0 is read as if it told none', charts(150, 0), 150, [[0, 200]]],
  ['of more than 1000 songs is whole', charts(1200, 1200, 150), 1200,
    [[0, 200], [150, 200], [300, 200], [450, 200], [600, 200], [750, 200], [900, 200], [1050, 200]]]
] as const) {
  t.test(`a toplist ${title}`, async t => {
    const app = await serve(t, { adapter: list.source })
    const { entry, songCount } = (await ask(app, 'getPlaylist', { id: 'tl-c' })).playlist
    t.strictSame(list.asked, pages)
    t.equal(songCount, count)
    t.equal(new Set(ids(entry)).size, count)
  })
}

t.test('a playlist is listed once: own ones, then the tracks of the day, toplists, recommended ones', async t => {
  const page = (...names: string[]) => () =>
    ({ items: names.map(id => ({ id, name: `recommended ${id}` })), offset: 0, limit: 20, hasMore: false })
  const lists: SourceAdapter = {
    getUserPlaylist: () =>
      ['mine', 'both'].map(id => ({ id, name: `own ${id}`, creator: { id: 'e', name: 'Eve', avatarUrl: '' } })),
    getDailyTracks: () => [trackOf(1, 0), trackOf(1, 1)],
    getToplist: () => [
      { name: 'A', list: [{ id: 'x', name: 'X', coverUrl: 'https://x.example/x', updateFrequency: '', tracks: [] }] },
      { name: 'B', list: [{ id: 'y', name: 'Y', coverUrl: '', updateFrequency: '', tracks: [] }] }
    ],
    getRecommendedPlaylist: page('both', 'other'),
    getPlaylists: page('other', 'public')
  }
  const shown = async (options: Parameters<typeof serve>[1]) =>
    (await ask(await serve(t, options), 'getPlaylists')).playlists.playlist
  const all = await shown({ adapter: lists, title: 'Mine' })
  t.strictSame(all.map(({ id, name, owner, coverArt, songCount }: any) => [id, name, owner, coverArt, songCount]), [
    ['pl-mine', 'own mine', 'ada', undefined, 0], ['pl-both', 'own both', 'ada', undefined, 0],
    ['sp-daily', 'Tracks of the day', 'Mine', undefined, 2],
    ['tl-x', 'X', 'Mine', 'tl-x', 0], ['tl-y', 'Y', 'Mine', undefined, 0],
    ['pl-other', 'recommended other', 'Mine', undefined, 0]
  ])
  t.strictSame(
    ids(await shown({ adapter: lists, ...stateless })),
    ['sp-daily', 'tl-x', 'tl-y', 'pl-both', 'pl-other', 'pl-public'],
    'without accounts those of the source are there, too'
  )
  for (const [list, rest] of [
    ['daily', ['pl-mine', 'pl-both', 'tl-x', 'tl-y', 'pl-other']],
    ['toplists', ['pl-mine', 'pl-both', 'sp-daily', 'pl-other']],
    ['recommended', ['pl-mine', 'pl-both', 'sp-daily', 'tl-x', 'tl-y']]
  ] as const) t.strictSame(ids(await shown({ adapter: lists, lists: { [list]: false } })), rest)
  const only = { lists: { recommended: ({ id }: { id: string }) => id === 'other' }, title: 'The house' }
  t.strictSame(ids(await shown({ adapter: lists, ...stateless, ...only })).filter((id: string) => /^pl/.test(id)),
    ['pl-other'], 'those for which the option gives true')
  t.equal((await shown({ adapter: lists, ...only })).at(-1).owner, 'The house')
  t.strictSame(await shown({ adapter: {} }), [], 'a source without playlists has none')
  t.strictSame(
    ids(await shown({ adapter: { ...lists, getDailyTracks: () => [] } })).includes('sp-daily'), false,
    'a day without tracks is not listed'
  )
})

t.test('a toplist is what its first page says, and nobody\'s own', async t => {
  const app = await serve(t, {
    adapter: {
      getUserPlaylist: () => [{ id: 'c', name: 'Mine' }],
      getToplistTracks: (id: string, offset: number) =>
        ({ id, name: `from ${offset}`, trackCount: 2, coverUrl: 'https://x.example/c', tracks: [trackOf(offset, 0)] })
    } satisfies SourceAdapter
  })
  t.match((await ask(app, 'getPlaylist', { id: 'tl-c' })).playlist, {
    name: 'from 0',
    readonly: true,
    owner: 'fastify-source-origin',
    coverArt: 'tl-c',
    entry: [{ id: 'tr-t0-0' }, { id: 'tr-t1-0' }]
  })
})

t.test('a playlist with its tracks counts them, and adds up how long they are', async t => {
  const detail = {
    name: 'P',
    trackCount: 99,
    coverUrl: 'https://x.example/p',
    description: 'Words',
    createdAt: Date.UTC(2020, 0, 1),
    updatedAt: Date.UTC(2021, 0, 1)
  }
  const app = await serve(t, {
    adapter: {
      getUserPlaylist: () => [{ id: 'mine', name: 'P' }],
      getDailyTracks: () => [trackOf(1, 0)],
      getPlaylistDetail: (id: string) =>
        ({ id, ...detail, tracks: [{ ...trackOf(1, 0), durationMs: 1400 }, { ...trackOf(2, 0), durationMs: 1400 }] })
    } satisfies SourceAdapter
  })
  const playlist = async (id: string) => {
    const { entry, ...rest } = (await ask(app, 'getPlaylist', { id })).playlist
    return [rest, ids(entry)]
  }
  const common = {
    name: 'P',
    songCount: 2,
    duration: 3,
    created: '2020-01-01T00:00:00.000Z',
    changed: '2021-01-01T00:00:00.000Z',
    comment: 'Words'
  }
  t.strictSame(await playlist('pl-mine'), [
    { id: 'pl-mine', owner: 'ada', public: false, readonly: false, coverArt: 'pl-mine', ...common },
    ['tr-t1-0', 'tr-t2-0']
  ])
  t.strictSame(await playlist('pl-p'), [
    { id: 'pl-p', owner: 'fastify-source-origin', public: true, readonly: true, coverArt: 'pl-p', ...common },
    ['tr-t1-0', 'tr-t2-0']
  ])
  const epoch = '1970-01-01T00:00:00.000Z'
  t.strictSame(await playlist('sp-daily'), [
    {
      id: 'sp-daily',
      name: 'Tracks of the day',
      owner: 'fastify-source-origin',
      public: false,
      songCount: 1,
      duration: 60,
      created: epoch,
      changed: epoch,
      readonly: true
    }, ['tr-t1-0']
  ])
  t.match(await ask(app, 'getMusicDirectory', { id: 'sp-daily' }), {
    directory: { id: 'sp-daily', name: 'Tracks of the day', child: [{ id: 'tr-t1-0' }] }
  })
})

t.test('what of a playlist is not told stays as it is', async t => {
  const changes: unknown[] = []
  const app = await serve(t, {
    adapter: {
      getUserPlaylist: () => [{ id: 'p', name: 'P' }],
      getPlaylistDetail: (id: string) => ({ id, name: 'P', description: 'D', tracks: [trackOf(1, 0), trackOf(2, 0)] }),
      updatePlaylist: (...args: unknown[]) => { changes.push(args); return { id: 'p', name: 'P' } },
      removeTrack: (...args: unknown[]) => { changes.push(args); return { success: true } },
      addTrackToPlaylist: (...args: unknown[]) => { changes.push(args); return { success: true } }
    } satisfies SourceAdapter
  })
  const made = async (method: string, query: Query) => {
    t.equal((await ask(app, method, { playlistId: 'pl-p', ...query })).status, 'ok')
    return changes.splice(0)
  }
  t.strictSame(await made('updatePlaylist', {}), [])
  t.strictSame(await made('updatePlaylist', { name: 'Q' }), [['p', 'Q', 'D']])
  t.strictSame(await made('updatePlaylist', { comment: 'E' }), [['p', 'P', 'E']])
  for (const place of ['0x1', '-1', '2', '1.5']) {
    const failed = await ask(app, 'updatePlaylist', { playlistId: 'pl-p', name: 'Q', songIndexToRemove: [0, place] })
    t.match([failed, changes], [{ error: { code: 10 } }, []], `${place} is no place in it`)
  }
  t.strictSame(await made('updatePlaylist', { songIndexToRemove: [1, 1] }), [['p', 't2-0']])
  t.strictSame(
    await made('createPlaylist', { name: 'P', songId: ['tr-t1-0', 'tr-t2-0'] }), [], 'the same name and songs'
  )
  t.strictSame(await made('createPlaylist', { songId: ['tr-t2-0', 'tr-t1-0'] }), [
    ['p', 't1-0'], ['p', 't1-0']
  ])
})

t.test('charts and own lists have their numbers and lengths, and new ones after a change', async t => {
  const adapter = createReferenceAdapter(() => 'http://localhost')
  const app = await serve(t, { adapter })
  await ask(app, 'createPlaylist', { name: 'Mine', songId: ['tr-t0', 'tr-t1'] })
  const lists = async () => Object.fromEntries((await ask(app, 'getPlaylists')).playlists.playlist.map(
    ({ id, songCount, duration }: any) => [id, [songCount, duration > 0]]
  ))
  const before = await lists()
  t.strictSame(before['pl-own0'], [2, true])
  t.ok(Object.entries(before).filter(([id]) => id.startsWith('tl-')).every(([, totals]) => (totals as any)[0] > 0))
  await ask(app, 'updatePlaylist', { playlistId: 'pl-own0', songIndexToRemove: 0 })
  t.strictSame((await lists())['pl-own0'], [1, true])
})
