import type { SourceAdapter } from 'fastify-source-origin'
import t from 'tap'
import { adapter, ask, serve, type Query } from '../helper.ts'
import { artistOf, trackOf } from '../library.ts'

t.test('lyrics by line, by word and translated', async t => {
  const lyrics = {
    lyrics: '[ar:Ada]\n[offset:+500]\n[00:02.5][00:01]Grün & blau\n[00:04.120]\n',
    wordLyrics: '[offset:500]\n[00:01.00]<00:01.00>Grün <00:01.25>& <00:01.500>blau<00:02.00>\n[00:09.00]no words',
    translatedLyrics: '[la:zh-Hans]\nGreen\nand blue'
  }
  const app = await serve(t, { adapter: { ...adapter, getTrackLyrics: () => lyrics } satisfies SourceAdapter })
  const { structuredLyrics } = (await ask(app, 'getLyricsBySongId', { id: 'tr-t0' })).lyricsList
  const main = { displayArtist: 'Ada Quartet', displayTitle: 'Morning Song 0', lang: 'und', synced: true }
  const line = [{ start: 500, value: 'Grün & blau' }, { start: 2000, value: 'Grün & blau' }, { start: 3620, value: '' }]
  t.strictSame(structuredLyrics, [{ ...main, line }])
  t.strictSame((await ask(app, 'getLyricsBySongId', { id: 'tr-t0', enhanced: true })).lyricsList.structuredLyrics, [
    {
      ...main,
      kind: 'main',
      line,
      cueLine: [{
        index: 0,
        start: 500,
        value: 'Grün & blau',
        cue: [
          { start: 500, value: 'Grün', byteStart: 0, byteEnd: 4 }, { start: 750, value: '&', byteStart: 6, byteEnd: 6 },
          { start: 1000, value: 'blau', byteStart: 8, byteEnd: 11 }
        ]
      }]
    },
    { ...main, lang: 'zh-Hans', synced: false, kind: 'translation', line: [{ value: 'Green' }, { value: 'and blue' }] }
  ])
  t.equal(
    (await ask(app, 'getLyrics', { artist: 'Ada Quartet', title: 'morning song 0' })).lyrics.value,
    'Grün & blau\nGrün & blau\n'
  )
  t.equal((await ask(app, 'getLyrics', { title: 'Noon Song 1' })).lyrics.value, 'Grün & blau\nGrün & blau\n')
  t.equal((await ask(app, 'getLyrics', { title: 'No Song' })).lyrics.value, '')
  t.equal((await ask(app, 'getLyrics')).lyrics.value, '')
})

t.test('lyrics of a song of two artists are found by the names that it is shown with, and by each', async t => {
  const duet = { ...trackOf(1, 0), title: 'Duet', artists: [artistOf(1), artistOf(2)] }
  const searched: string[] = []
  const searchTracks = (keyword: string) => {
    searched.push(keyword)
    return { items: [duet], offset: 0, limit: 20, hasMore: false }
  }
  const app = await serve(t, {
    adapter: {
      getTrackDetail: () => duet, getTrackLyrics: () => ({ lyrics: 'La' }), searchTracks
    } satisfies SourceAdapter
  })
  const words = async (artist: string) => (await ask(app, 'getLyrics', { artist, title: 'Duet' })).lyrics.value
  for (const artist of ['Artist 1, Artist 2', 'Artist 1', 'Artist 2']) t.equal(await words(artist), 'La', artist)
  t.equal(await words('Artist 3'), '')
  searched.length = 0
  const { artist } = (await ask(app, 'getSong', { id: 'tr-t1-0' })).song
  for (const known of [artist, 'Artist 1']) t.equal(await words(known), 'La', known)
  t.strictSame(searched, [], 'what was shown is known')
})

t.test('lyrics with times of words only, and none at all', async t => {
  const lyrics = async (given: object, query: Query = {}) =>
    (
      await ask(await serve(t, { adapter: { ...adapter, getTrackLyrics: () => given } }), 'getLyricsBySongId', {
        id: 'tr-t0', ...query
      })
    ).lyricsList.structuredLyrics
  t.match(await lyrics({ lyrics: '', wordLyrics: '[00:01.00]<00:01.00>One <00:02.00>' }), [
    { synced: true, line: [{ start: 1000, value: 'One' }] }
  ])
  t.strictSame(await lyrics({ lyrics: ' \n[ar:x]\n' }), [])
  t.strictSame(await lyrics({ lyrics: '', wordLyrics: '' }, { enhanced: true }), [])
  const [shown] = await lyrics({ lyrics: '[00:00.00]Title\n[00:01.00]One', wordLyrics: '[00:01.00]<00:01.00>One' }, {
    enhanced: true
  })
  t.match(shown.cueLine, [{ index: 1, value: 'One' }], 'words are told to which line they belong')
  const [apart] = await lyrics({ lyrics: '[00:09.00]Title', wordLyrics: '[00:01.00]<00:01.00>One' }, { enhanced: true })
  t.match(apart.cueLine, [{ index: 0, value: 'One' }])
  t.notOk('cueLine' in (await lyrics({ lyrics: 'a', wordLyrics: '[00:01.00]<00:01.00> ' }, { enhanced: true }))[0])
})

t.test('lyrics name all artists, and times of words may be longer than 99 minutes', async t => {
  const app = await serve(t, {
    adapter: {
      getTrackDetail: () => ({ ...trackOf(1, 0), artists: [artistOf(1), artistOf(2)] }),
      getTrackLyrics: () => ({ lyrics: '', wordLyrics: '[100:01.00]<100:01.00>One <100:02.5>two' }),
      searchTracks: () => { throw new Error('asked') }
    } satisfies SourceAdapter
  })
  t.strictSame((await ask(app, 'getLyricsBySongId', { id: 'tr-t1-0' })).lyricsList.structuredLyrics, [
    {
      displayArtist: 'Artist 1, Artist 2',
      displayTitle: 'Song 0 of 1',
      lang: 'und',
      synced: true,
      line: [
        { start: 6_001_000, value: 'One two' }
      ]
    }
  ])
  t.strictSame(
    (await ask(app, 'getLyrics', { artist: 'Artist 1' })).lyrics, { artist: 'Artist 1', title: '', value: '' },
    'without a title nothing is searched for'
  )
})
