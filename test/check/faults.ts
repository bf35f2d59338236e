import type { Given, InjectFault } from './faulty-origin.ts'
import { httpFaults } from './http-faults.ts'
import { itemFaults } from './item-faults.ts'
import {
  success, failure, pathOf, spoil, spoilData, instead, right, anyPath, everywhere, breaks, has, all, shuffle, failAgain,
  json,
  type Fault, type FaultRow
} from './inject-faults.ts'

const lyrics = (lyrics: string) =>
  spoilData('getTrackLyrics', data => { data.lyrics = lyrics })

/** Spoils what a range has that does not begin at the start. */
const innerAudio = (change: (given: Given) => Given): InjectFault => async (asked, sound) => {
  const given = await sound()
  return asked.path.startsWith('/audio/') && asked.headers.range?.startsWith('bytes=1-') ? change(given) : given
}

/** Faults in answers and in what the status declares. */
const inAnswers: FaultRow[] = [
  ['no-answer', 'getNewTracks', 'the connection breaks', breaks('getNewTracks')],
  ['timeout', 'getNewTracks', 'nothing comes',
    async (asked, sound) => right(asked) && asked.path === pathOf('getNewTracks') ? 'silence' : sound(),
    { options: { timeout: 1000 } }],
  ['answer-too-long', 'getNewTracks', 'a body of nine million bytes',
    spoil('getNewTracks', given => ({ ...given, body: ' '.repeat(9_000_000) }))],
  ['rate-limited', 'getNewTracks', '429', spoil('getNewTracks', () => failure(429))],
  ['rate-limited', 'serviceStatus', '429 of /status', anyPath('/status', failure(429))],

  ['service-status', 'serviceStatus', 'another status',
    anyPath('/status', { status: 200, headers: json, body: { status: 'up', version: '1' } })],
  ['service-status', 'serviceStatus', 'a page',
    anyPath('/status', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' })],
  ['service-status', 'serviceStatus', 'a member too many',
    anyPath('/status', { status: 200, headers: json, body: { status: 'online', version: '1', up: true } })],
  ['adapter-mistake', 'status', 'a line in the log of development', anyPath('/v1/development',
    { status: 200, headers: json, body: { code: 200, data: { mistakes: ['Adapter method x is never called'] } } })],
  ['content-type', 'getNewTracks', 'text/plain',
    spoil('getNewTracks', given => ({ ...given, headers: { 'content-type': 'text/plain' } }))],
  ['content-type-charset', 'getNewTracks', 'no charset',
    spoil('getNewTracks', given => ({ ...given, headers: { 'content-type': 'application/json' } }))],
  ['not-json', 'getNewTracks', 'a page',
    spoil('getNewTracks', () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }))],
  ['not-json', 'getNewTracks', 'half of the JSON',
    spoil('getNewTracks', given => ({ ...given, body: JSON.stringify(given.body).slice(0, -10) }))],
  ['not-json', 'getTrackDetail', 'a page for an unknown id',
    spoil('getTrackDetail', given => given.status === 404 ? { ...given, headers: {}, body: '<html>' } : given)],
  ['http-status', 'getNewTracks', '201', spoil('getNewTracks', given => ({ ...given, status: 201 }))],
  ['envelope', 'getNewTracks', 'data alone', spoil('getNewTracks', given => ({ ...given, body: given.body.data }))],
  ['envelope', 'getNewTracks', 'data under another name',
    spoil('getNewTracks', given => ({ ...given, body: { code: 200, result: given.body.data } }))],
  ['envelope', 'getNewTracks', 'the code 0',
    spoil('getNewTracks', given => ({ ...given, body: { code: 0, data: given.body.data } }))],
  ['envelope-member', 'getNewTracks', 'a message',
    spoil('getNewTracks', given => ({ ...given, body: { ...given.body, message: 'ok' } }))],
  ['envelope', 'getNewTracks', 'no code',
    spoil('getNewTracks', given => ({ ...given, body: { data: given.body.data } }))],
  ['not-json', 'getNewTracks', '204', spoil('getNewTracks', () => ({ status: 204, headers: {}, body: '' }))],
  ['not-json', 'status', 'a page',
    spoil('status', () => ({ status: 200, headers: { ...json, 'content-type': 'text/html' }, body: '<html>' }))],
  ['error-as-success', 'getNewTracks', '200 with an error',
    spoil('getNewTracks', () => ({ ...failure(404), status: 200 }))],
  ['error-envelope', 'getTrackDetail', 'no data in an error', spoil('getTrackDetail', given =>
    given.status === 404 ? { ...given, body: { code: 404, message: 'Gone' } } : given)],
  ['error-envelope', 'getTrackDetail', 'another member in an error',
    spoil('getTrackDetail', given => given.status === 404 ? { ...given, body: { ...given.body, stack: '' } } : given)],
  ['error-code', 'getTrackDetail', 'another code',
    spoil('getTrackDetail', given => given.status === 404 ? { ...given, body: { ...given.body, code: 1404 } } : given)],
  ['answer-error', 'getNewTracks', '500', spoil('getNewTracks', () => failure(500))],
  ['answer-error', 'getPlaylists', '500 for the second page',
    spoil('getPlaylists', (given, { query }) => query.get('offset') === '2' ? failure(500) : given)],
  ['answer-error', 'getArtistDetail', '500 with a trackLimit',
    spoil('getArtistDetail', (given, { query }) => query.get('trackLimit') === '1' ? failure(500) : given)],
  ['answer-error', 'status', '500', spoil('status', () => failure(500))],

  ['data-null', 'getNewTracks', 'null', spoil('getNewTracks', () => success(null))],
  ['data-null', 'getTrackDetail', 'null for an id',
    spoil('getTrackDetail', given => given.status === 200 ? success(null) : given)],
  ['member-missing', 'getNewTracks', 'no title', spoilData('getNewTracks', data => { delete data[1].title })],
  ['member-missing', 'getNewTracks', 'no title on many tracks',
    spoilData('getNewTracks', data => Array.from({ length: 25 }, (_, at) => ({ ...data[0], id: `${at}`, title: undefined }))),
    // Their ids are unknown to other operations.
    { options: { only: ['getNewTracks'] } }],
  ['member-missing', 'getPlaylists', 'a page without items', spoilData('getPlaylists', data => { delete data.items })],
  ['member-missing', 'getTrackUrl', 'no member that has a default',
    spoilData('getTrackUrl', data => { delete data.format })],
  ['member-unknown', 'getNewTracks', 'the raw item of an upstream',
    spoilData('getNewTracks', data => { data[1].raw = {} })],
  ['type-wrong', 'getNewTracks', 'a duration that is a text',
    spoilData('getNewTracks', data => { data[1].durationMs = '180' })],
  ['type-wrong', 'userFavoriteTracks', 'an object instead of the favourites',
    spoilData('userFavoriteTracks', () => ({}))],
  ['type-wrong', 'getNewTracks', 'an object instead of a list', spoilData('getNewTracks', () => ({}))],
  ['value-invalid', 'getNewTracks', 'a negative duration',
    spoilData('getNewTracks', data => { data[1].durationMs = -1 })],
  ['value-invalid', 'status', 'another protocol', spoilData('status', data => { data.type = 'vow' })],
  ['id-not-string', 'getNewTracks', 'a number', spoilData('getNewTracks', data => { data[1].id = 9 })],
  ['id-not-string', 'getNewTracks', 'a number for what may be null',
    spoilData('getNewTracks', data => { data[1].mvId = 9 })],
  ['id-white-space', 'getNewTracks', 'a space behind an id', spoilData('getNewTracks', data => { data[1].id += ' ' })],
  ['id-empty', 'getNewTracks', 'an empty id', spoilData('getNewTracks', data => { data[1].id = '' })],

  ['status-list-missing', 'status', 'no playlistSortOptions',
    spoilData('status', data => { delete data.playlistSortOptions })],
  ['status-list-missing', 'status', 'no qualityMap', spoilData('status', data => { delete data.qualityMap })],

  ['capability-unknown', 'status', 'karaoke', spoilData('status', data => { data.capabilities.push('karaoke') })],
  ['capability-old', 'status', 'trackRoam', spoilData('status', data => { data.capabilities.push('trackRoam') })],
  ['capability-old', 'status', 'personalFM', spoilData('status', data => { data.capabilities.push('personalFM') })],
  ['capability-aggregated', 'status', 'search', spoilData('status', data => { data.capabilities.push('search') })],
  ['capability-repeated', 'status', 'the last one twice',
    spoilData('status', data => { data.capabilities.push(data.capabilities.at(-1)) })],
  ['capability-order', 'status', 'the first two swapped',
    spoilData('status', data => { data.capabilities.unshift(...data.capabilities.splice(1, 1)) })],
  ['capability-stateful', 'status', 'an account without one',
    spoilData('status', data => { data.capabilities.splice(-2, 0, 'userProfile') }), { context: { stateless: true } }],
  ['declared-not-served', 'getNewTracks', '501', spoil('getNewTracks', () => failure(501))],
  ['declared-not-served', 'createPlaylist', '501 for what writes', spoil('createPlaylist', () => failure(501))],
  ['served-not-declared', 'getNewTracks', 'not declared', spoilData('status', data =>
    ({ ...data, capabilities: data.capabilities.filter((name: string) => name !== 'newTracks') }))],
  ['served-not-declared', 'getTrackUrl', 'one of two names', spoilData('status', data =>
    ({ ...data, capabilities: data.capabilities.filter((name: string) => name !== 'streaming') }))],
  ['stateful-served', 'getUserMe', 'an account without one', spoil('getUserMe', () => success({})),
    { context: { stateless: true } }],
  ['stateful-served', 'favoriteTrack', 'a favourite without an account',
    spoil('favoriteTrack', given => given.status === 501 ? success({ success: true, status: true }) : given),
    { context: { stateless: true } }],
  ['answer-error', 'favoriteTrack', '500 instead of 501',
    spoil('favoriteTrack', given => given.status === 501 ? failure(500) : given), { context: { stateless: true } }]
]

/** Faults in what is made of a request. */
const inRequests: FaultRow[] = [
  ['authorisation-missing', 'getNewTracks', 'open to all',
    instead('getNewTracks', ({ token }) => token === 'none', all)],
  ['authorisation-missing', 'status', 'an open status', instead('status', ({ token }) => token === 'none', all)],
  ['authorisation-wrong', 'getNewTracks', 'any token will do',
    instead('getNewTracks', ({ token }) => token === 'wrong', all)],
  ['authorisation-order', 'getTrackDetail', '400 before 401',
    anyPath(pathOf('getTrackDetail'), failure(400), ({ token }) => token === 'none')],
  ['authorisation-order', 'favoriteTrack', '415 before 401',
    anyPath(pathOf('favoriteTrack'), failure(415), ({ token }) => token === 'none')],
  ['unknown-path', 'status', '200 for everything', anyPath('/v1/no-such-path', success([]), right)],
  ['unknown-path-open', 'status', '404 before 401',
    anyPath('/v1/no-such-path', failure(404), ({ token }) => token === 'none')],
  ['redirect-status', 'getRoamTracks', '301',
    anyPath('/v1/track/fm', { status: 301, headers: { location: '/v1/track/roam' }, body: '' })],
  ['redirect-token', 'getRoamTracks', '401 without a token',
    anyPath('/v1/track/fm', failure(401), ({ token }) => token === 'none')],
  ['redirect-location', 'getTrackLyrics', 'the query is lost',
    anyPath('/v1/track/lyric', { status: 308, headers: { location: '/v1/track/lyrics' }, body: '' })],
  ['redirect-location', 'getTrackLyrics', 'no Location',
    anyPath('/v1/track/lyric', { status: 308, headers: {}, body: '' })],

  ['parameter-missing', 'getTrackDetail', 'any track without an id',
    instead('getTrackDetail', asked => right(asked) && !asked.query.has('id'), () => ({ id: 't0' }))],
  ['parameter-missing', 'updatePlaylist', 'no name', spoil('updatePlaylist', (_given, { body }) =>
    body.name === undefined ? success({ id: body.id, name: '' }) : undefined)],
  ['parameter-blank', 'getTrackDetail', 'any track for a blank id',
    instead('getTrackDetail', has('id', id => id.trim() === ''), () => ({ id: 't0' }))],
  ['parameter-not-trimmed', 'getTrackDetail', '404',
    anyPath(pathOf('getTrackDetail'), failure(404), has('id', id => id.trim() !== '' && id !== id.trim()))],
  ['parameter-repeated', 'getTrackDetail', 'the last one taken',
    instead('getTrackDetail', asked => right(asked) && asked.query.getAll('id').length > 1, all)],
  ['parameter-not-integer', 'searchTracks', 'the default taken',
    instead('searchTracks', has('limit', limit => !/^-?\d+$/.test(limit)), asked => ({ ...all(asked), limit: 20 }))],
  ['parameter-too-small', 'searchTracks', 'the minimum taken',
    instead('searchTracks', has('offset', offset => Number(offset) < 0), asked => ({ ...all(asked), offset: 0 }))],
  ['parameter-too-large', 'searchTracks', 'the maximum taken',
    instead('searchTracks', has('limit', limit => Number(limit) > 100), asked => ({ ...all(asked), limit: 100 }))],
  ['parameter-not-one-of', 'getPlaylistDetail',
    'any order taken', instead('getPlaylistDetail', has('order', order => order !== 'asc' && order !== 'desc'), asked =>
      ({ ...all(asked), order: 'asc' }))],
  ['parameter-unknown', 'getNewTracks', '400',
    anyPath(pathOf('getNewTracks'), failure(400), asked => right(asked) && asked.query.size > 0)],
  ['quality-unknown', 'getTrackUrl', 'another given', instead(
    'getTrackUrl', has('quality', key => !['lossless', 'high'].includes(key)), ({ query }) => ({ id: query.get('id')! })
  )],
  ['quality-refused', 'getTrackUrl', '400',
    anyPath(pathOf('getTrackUrl'), failure(400), has('quality', key => key === 'high'))],
  ['sort-unknown', 'getPlaylistDetail', 'another taken',
    instead('getPlaylistDetail', has('sort', key => !['title', 'duration'].includes(key)), ({ query }) =>
      ({ id: query.get('id')! }))],
  ['sort-refused', 'getPlaylistDetail', '400',
    anyPath(pathOf('getPlaylistDetail'), failure(400), asked => asked.query.get('sort') === 'duration')],
  ['unknown-id', 'getAlbumDetail', '500',
    spoil('getAlbumDetail', given => given.status === 404 ? failure(500) : given)],
  ['unknown-id', 'getSimilarTracks', 'an empty list',
    spoil('getSimilarTracks', given => given.status === 404 ? success([]) : given)],

  ['page-echo', 'getPlaylists', 'always the default', spoilData('getPlaylists', data => { data.limit = 20 })],
  ['page-too-long', 'getPlaylists', 'one more than limit',
    spoilData('getPlaylists', data => { if (data.limit === 2) data.items.push({ ...data.items[0], id: 'more' }) })],
  ['page-offset', 'getPlaylists', 'offset is ignored', instead('getPlaylists', has(
    'offset', offset => Number.isInteger(Number(offset)) && Number(offset) > 0
  ), asked => ({ ...all(asked), offset: 0 }), (given, { query }) => {
    given.body.data.offset = Number(query.get('offset'))
    return given
  })],
  ['page-offset', 'getToplistTracks', 'offset is ignored without hasMore', instead(
    'getToplistTracks', has('offset', offset => Number.isInteger(Number(offset)) && Number(offset) > 0),
    asked => ({ ...all(asked), offset: 0 })
  )],
  ['page-offset', 'getPlaylists', 'an offset is rounded to pages',
    instead('getPlaylists', has('offset', offset => offset === '1'), asked => ({ ...all(asked), offset: 0 }), given => {
      given.body.data.offset = 1
      return given
    })],
  ['page-offset', 'getToplistTracks', 'nothing for an offset within a page',
    spoilData('getToplistTracks', (data, { query }) => { if (query.get('offset') === '1') data.tracks = [] })],
  ['page-repeats', 'getPlaylists', 'an item of the first page on the second',
    spoilData('getPlaylists', data => { if (data.offset === 2) data.items[0].id = 'p0' })],
  ['page-has-more', 'getRecommendedPlaylist', 'always more',
    spoilData('getRecommendedPlaylist', data => { data.hasMore = true })],
  ['page-has-more', 'getPlaylists', 'more after a page of the maximum limit',
    spoilData('getPlaylists', data => { if (data.limit === 50) data.hasMore = true })],
  ['page-has-more', 'getPlaylists', 'more after a page that is full',
    spoilData('getPlaylists', data => { data.hasMore = data.items.length === data.limit })],
  ['page-has-more', 'getPlaylists', 'more after a page that ends at the total',
    spoilData('getPlaylists', data => { data.hasMore = data.offset + data.limit <= 5 })],
  ['page-has-more', 'getPlaylists', 'more behind the end',
    spoilData('getPlaylists', data => { if (data.offset > 1000) data.hasMore = true })],
  ['page-ends-early', 'getPlaylists', 'never more', spoilData('getPlaylists', data => { data.hasMore = false })],
  ['page-ends-early', 'getPlaylists', 'not more on the second page',
    spoilData('getPlaylists', data => { if (data.offset === 2) data.hasMore = false })],
  ['page-behind-end', 'getPlaylists', '400',
    spoil('getPlaylists', (given, { query }) => Number(query.get('offset')) > 1000 ? failure(400) : given)],
  ['page-behind-end', 'getPlaylists', 'the last items again', spoilData('getPlaylists', data => {
    if (data.offset > 1000) data.items = [{ id: 'p4', name: '', description: '', coverUrl: '', trackCount: 0 }]
  })],
  ['page-unstable', 'getPlaylists', 'a new order for each request', shuffle('getPlaylists')],
  ['answer-error', 'getPlaylists', '500 for the first page at its second request', failAgain('getPlaylists', '0')],
  ['answer-error', 'getPlaylists', '500 for an offset within a page', failAgain('getPlaylists', '1')],
  ['track-limit', 'getArtistDetail', 'all tracks',
    instead('getArtistDetail', has('trackLimit', limit => limit === '1'), ({ query }) => ({ id: query.get('id')! }))],
  ['track-limit-default', 'getAlbumDetail', 'all but the last track',
    spoilData('getAlbumDetail', (data, { query }) => {
      if (query.get('trackLimit') === '-1') data.tracks = data.tracks.slice(0, -1)
    })],
  ['track-count', 'getPlaylistDetail', 'one more than there are',
    spoilData('getPlaylistDetail', data => { data.trackCount++ })],

  ['nothing-found', 'getToplistTracks', 'no toplist to ask for', spoilData('getToplist', () => [])],
  ['nothing-found', 'getTrackUrl', 'nothing can be played',
    spoil('getTrackUrl', given => given.status === 200 ? failure(422) : given)],
  ['search-misses', 'searchAlbums', 'nothing',
    spoilData('searchAlbums', data => { data.items = []; data.hasMore = false })],
  ['id-unresolved', 'getAlbumDetail', '404 for the album of a track',
    anyPath(pathOf('getAlbumDetail'), failure(404), has('id', id => id === 'b1'))],
  ['id-unresolved', 'getArtistDetail', '404 for the artist of a track',
    anyPath(pathOf('getArtistDetail'), failure(404), has('id', id => id === 'a1'))],
  ['detail-other-id', 'getAlbumDetail', 'another id', spoilData('getAlbumDetail', data => { data.id = 'other' })],
  ['quality-outside-map', 'getNewTracks', 'a key of another set',
    spoilData('getNewTracks', data => { data[0].qualities[0].key = 'ultra' })],
  ['quality-outside-map', 'getTrackUrl', 'a quality of another set',
    spoilData('getTrackUrl', data => { data.quality = 'ultra' })],
  ['qualities-copied', 'getNewTracks', 'the map on every track', everywhere(text => text.replace(
    /"qualities":\[[^\]]*\]/g,
    '"qualities":[{"key":"lossless","label":"L","size":0},{"key":"high","label":"H","size":0}]'
  ))],
  ['audio-url', 'getTrackUrl', 'a path', spoilData('getTrackUrl', data => { data.url = '/audio/t8.wav' })],
  ['audio-url', 'getTrackUrl', 'none', spoilData('getTrackUrl', data => { data.url = '' })],
  ['audio-url', 'getTrackUrl', 'another protocol',
    spoilData('getTrackUrl', data => { data.url = 'file:///music/t8.wav' })],
  ['audio-status', 'getTrackUrl', '403',
    async (asked, sound) => asked.path.startsWith('/audio/') ? failure(403) : sound()],
  ['audio-status', 'getTrackUrl', 'a body without a byte', async (asked, sound) =>
    asked.path.startsWith('/audio/') ? { status: 200, headers: { 'content-type': 'audio/wav' }, body: '' } : sound()],
  ['audio-status', 'getTrackUrl', 'no answer',
    async (asked, sound) => asked.path.startsWith('/audio/') ? 'break' : sound()],
  ['audio-type', 'getTrackUrl', 'a page', async (asked, sound) => asked.path.startsWith('/audio/')
    ? { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }
    : sound()],
  ['audio-type', 'getTrackUrl', 'no type',
    async (asked, sound) => asked.path.startsWith('/audio/') ? { status: 200, headers: {}, body: 'RIFF' } : sound()],
  ['audio-type', 'getTrackUrl', 'a page that is called audio', async (asked, sound) => asked.path.startsWith('/audio/')
    ? { status: 200, headers: { 'content-type': 'audio/wav' }, body: '\n<!DOCTYPE html><title>Log in' }
    : sound()],
  ['audio-range-bytes', 'getTrackUrl', 'the start of the file for each range', innerAudio(given =>
    ({ ...given, body: Buffer.concat([Buffer.from('R'), given.body.subarray(0, -1)]) }))],
  ['audio-range-bytes', 'getTrackUrl', 'a Content-Range of the start', innerAudio(given =>
    ({ ...given, headers: { ...given.headers, 'content-range': 'bytes 0-842/844' } }))],
  ['audio-range-bytes', 'getTrackUrl', 'no Content-Range', innerAudio(given =>
    ({ ...given, headers: { 'content-type': 'audio/wav' } }))],
  ['format-name', 'getTrackUrl', 'a content type', spoilData('getTrackUrl', data => { data.format = 'audio/wav' })],
  ['format-name', 'getTrackUrl', 'the end of a name', spoilData('getTrackUrl', data => { data.format = '.wav' })],
  ['lyrics-format', 'getTrackLyrics', 'SRT', lyrics('1\n00:00:01,000 --> 00:00:02,500\nLa la')],
  ['lyrics-format', 'getTrackLyrics', 'JSON', lyrics('[{"time":1,"text":"La la"}]')],
  ['lyrics-format', 'getTrackLyrics', 'XML', lyrics('<?xml version="1.0"?><tt><p begin="1s">La la</p></tt>')],
  ['name-empty', 'getToplist', 'none', spoilData('getToplist', data => { data[0].list[0].name = ' ' })],
  ['name-html', 'getToplist', 'a tag', spoilData('getToplist', data => { data[0].list[0].name = '<b>Charts</b>' })],
  ['name-html', 'getToplist', 'an entity',
    spoilData('getToplist', data => { data[0].list[0].name = 'Rock &amp; Pop' })],
  ['size-in-kilobytes', 'getNewTracks', 'kB', everywhere(text => text.replace(/("size":\d+)\d{3}/g, '$1'))],
  ['detail-differs', 'getTrackDetail', 'another title',
    spoilData('getTrackDetail', data => { data.title += ' (Live)' })],
  ['detail-differs', 'getTrackDetail', 'another duration',
    spoilData('getTrackDetail', data => { data.durationMs += 1001 })],
  ['track-foreign', 'getArtistTracks', 'one of a compilation that others are on too',
    spoilData('getArtistTracks', data => {
      const album = { id: 'various', name: 'Various', coverUrl: '', artistName: 'Various' }
      for (const item of data.items) Object.assign(item, { artists: [], album })
    })],
  ['track-foreign', 'getAlbumDetail', 'one of another album',
    spoilData('getAlbumDetail', data => { data.tracks[0].album = { id: 'b9', name: 'Ninth', coverUrl: '' } })],
  ['keyword-ignored', 'searchAlbums', 'all for each word',
    instead('searchAlbums', asked => right(asked) && asked.query.getAll('keyword').join().trim().match(/^[^,]+$/) !== null,
      asked => ({ ...all(asked), keyword: 'Music' }))],
  ['category-ignored', 'getPlaylists', 'all in each one',
    instead('getPlaylists', has('category', () => true), ({ query }) => ({ limit: query.get('limit') ?? '20' }))],
  ['sort-ignored', 'getPlaylistDetail', 'one order', instead('getPlaylistDetail', ({ query }) =>
    ['title', 'duration'].includes(query.get('sort')!) && query.get('order') !== 'no-such-value-4f1c', ({ query }) =>
    ({ id: query.get('id')! }))],
  ['tracks-unstable', 'getAlbumDetail', 'another order when they are asked for again',
    spoilData('getAlbumDetail', (data, { query }) => { if (query.get('trackLimit') === '-1') data.tracks.reverse() })],
  ['cover-type', 'getUserMe', 'JSON that is called a picture', anyPath('/covers/u1.png',
    { status: 200, headers: { 'content-type': 'image/png' }, body: '{"error":"expired"}' })],
  ['cover-url', 'getUserMe', 'a path', spoilData('getUserMe', data => { data.avatar = '/covers/u1.png' })],
  ['cover-url', 'getArtistDetail', 'a path for the picture of an artist',
    spoilData('getArtistDetail', data => { if (data.id === 'a1') data.avatarUrl = '/covers/a1.png' })],
  ['cover-status', 'getUserMe', '404', anyPath('/covers/u1.png', failure(404))],
  ['cover-type', 'getUserMe', 'a page',
    anyPath('/covers/u1.png', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' })],
  ['cover-type', 'getUserMe', 'no type', anyPath('/covers/u1.png', { status: 200, headers: {}, body: 'PNG' })],
  ['duration-in-seconds', 'getNewTracks', 'seconds', everywhere(text => text.replace(/("durationMs":\d+)000/g, '$1'))],
  ['time-in-seconds', 'getPlaylists', 'seconds',
    spoilData('getPlaylists', data => { for (const item of data.items) item.createdAt = 1_600_000_000 })],
  ['bitrate-in-kbit', 'getTrackUrl', 'kbit/s', spoilData('getTrackUrl', data => { data.bitrate = 320 })],

  ['body-coerced', 'favoriteTrack', 'a text taken for a boolean', spoil('favoriteTrack', (_given, { body }) =>
    typeof body.status === 'string' ? success({ success: true, status: true }) : undefined)],
  ['body-unknown-member', 'favoriteTrack', 'an unknown member taken', spoil('favoriteTrack', (_given, { body }) =>
    body.unknownMember === 1 ? success({ success: true, status: true }) : undefined)],
  ['write-refused',
    'favoriteTrack', 'success: false', async (asked, sound) => right(asked) && asked.path === pathOf('favoriteTrack') &&
      asked.body.status !== undefined
      ? success({ success: false, status: false })
      : sound()],
  ['write-status', 'favoriteTrack', 'the state before the call',
    spoilData('favoriteTrack', data => { data.status = !data.status })],
  ['write-no-effect', 'favoriteAlbum', 'nothing is done', async (asked, sound) =>
    right(asked) && asked.path === pathOf('favoriteAlbum') && typeof asked.body.status === 'boolean' && !(
      'unknownMember' in asked.body
    )
      ? success({ success: true, status: asked.body.status })
      : sound()],
  ['write-no-effect', 'favoriteTrack', 'favorite stays false',
    spoilData('getTrackDetail', data => { data.favorite = false })],
  ['write-no-effect', 'updatePlaylist', 'the old name',
    spoilData('updatePlaylist', data => { data.name = 'As before' })],
  ['write-no-effect', 'addTrackToPlaylist', 'nothing is added',
    anyPath(pathOf('addTrackToPlaylist'), success({ success: true }), right)],
  ['write-no-effect', 'addTrackToPlaylist', 'the playlist is not found',
    spoil('getPlaylistDetail', (given, { query }) => query.get('id')?.startsWith('own') ? failure(404) : given)],
  ['write-no-effect', 'removeTrack', 'nothing is removed',
    anyPath(pathOf('removeTrack'), success({ success: true }), right)],
  ['write-no-effect', 'createPlaylist', 'it is not in the list',
    spoilData('getUserPlaylist', data => data.filter(({ id }: { id: string }) => !id.startsWith('own')))],
  ['write-not-undone', 'favoriteArtist',
    'a favourite for ever', anyPath(pathOf('favoriteArtist'), success({ success: true, status: false }), asked =>
      right(asked) && asked.body.status === false)],
  ['write-not-undone', 'deletePlaylist', 'nothing is deleted',
    anyPath(pathOf('deletePlaylist'), success({ success: true }), right)]
]

const faultsOf = (rows: readonly FaultRow[]): Fault[] =>
  rows.map(([rule, operation, title, inject, more]) => ({ rule, operation, title, inject, ...more }))

/** Faults of which each shows itself in exactly one finding. */
export const faultsInAnswers = faultsOf(inAnswers)
export const faultsInRequests = faultsOf([...inRequests, ...itemFaults, ...httpFaults])
export const faults: readonly Fault[] = [...faultsInAnswers, ...faultsInRequests]
