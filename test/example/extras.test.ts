import { readFileSync } from 'node:fs'
import t from 'tap'
import { checkEnvelope } from '../subsonic-server/answer-schema.ts'
import { folder, put, scan, start, token } from './helper.ts'
import { apeFile, flacFile, id3File, mp4File, opusFile, type Tags } from './make-tags.ts'

const musicBrainzId = 'a3cb23fc-acd3-4ce0-8f36-1e5aa6a18432'

/** What a tag says, and the member that apps get for it. */
const values: Record<string, [tag: string, member: unknown]> = {
  'song musicBrainzId': ['recording-1', 'recording-1'],
  'song sortName': ['Song, A', 'Song, A'],
  'song isrc': ['DE1234567890', ['DE1234567890']],
  'song bpm': ['120', 120],
  'song comment': ['Well played', 'Well played'],
  'song moods': ['calm; happy', ['calm', 'happy']],
  'song groupings': ['Summer', ['Summer']],
  'song explicitStatus': ['1', 'explicit'],
  'song replayGain.trackGain': ['-7.52 dB', -7.52],
  'song replayGain.trackPeak': ['0.98', 0.98],
  'song replayGain.albumGain': ['+1,5dB', 1.5],
  'song replayGain.albumPeak': ['1.02', 1.02],
  'song displayComposer': ['Cy', 'Cy'],
  'song contributors.performer': ['Ada (flute)', { role: 'performer', subRole: 'flute', artist: { name: 'Ada' } }],
  'song works': ['Suite', [{ name: 'Suite' }]],
  'song movements': ['Air', [{ name: 'Air' }]],
  'album musicBrainzId': ['release-1', 'release-1'],
  'album sortName': ['Album, An', 'Album, An'],
  'album version': ['Remastered', 'Remastered'],
  'album recordLabels': ['Blue', [{ name: 'Blue' }]],
  'album releaseTypes': ['EP; Live', ['EP', 'Live']],
  'album isCompilation': ['1', true],
  'album originalReleaseDate': ['1999', { year: 1999 }],
  'album releaseDate': ['2001-02-03', { year: 2001, month: 2, day: 3 }],
  'album discTitles': ['Live', [{ disc: 1, title: 'Live' }]],
  'artist musicBrainzId': [musicBrainzId, musicBrainzId],
  'artist sortName': ['Artist, An', 'Artist, An']
}
const valueOf = (member: string) => {
  const [, role] = /contributors\.(.*)/.exec(member) ?? []
  return values[member] ?? ['Ada', { role, artist: { name: 'Ada' } }]
}

/** Rows of the table in the docs: what tags of each kind are called. */
const rows = [...readFileSync('docs/operations/folder-files.md', 'utf8').matchAll(/^\| (song|album|artist) `([^`]*)` \| (.*)\|$/gm)]
  .map(([, kind, name, cells]) => {
    const [free, id3, old, mp4] = cells!.split('|').map(cell => cell.replaceAll('`', '').trim())
    return { kind: kind!, name: name!, member: `${kind} ${name}`, free: free!, id3: id3!, old: old!, mp4: mp4! }
  })
type Row = typeof rows[number]

const names = ['Title', 'Artist', 'Album']
const partsOf = ({ name, id3 }: Row) => {
  const role = name.split('.').at(-1)!
  return id3 === 'TMCL' ? 'TMCL:flute' : `TIPL:${{ mixer: 'mix', djmixer: 'DJ-mix' }[role] ?? role}`
}
const frameOf = (row: Row) => /TIPL|TMCL/.test(row.id3) ? partsOf(row) : row.id3
const older: Record<string, string> = { TDOR: 'TORY' }

/** A way to write tags: what the tag of a row is called, and the file. */
const kinds: Record<string, { frames: string[], nameOf: (row: Row) => string, file: (tags: Tags) => Buffer }> = {
  'Vorbis.flac': { frames: names, nameOf: row => row.free, file: flacFile },
  'APE.mp3': { frames: names, nameOf: row => row.free.toLowerCase(), file: apeFile },
  'TXXX.mp3': {
    frames: ['TIT2', 'TPE1', 'TALB'],
    nameOf: row => `TXXX:${row.free.replaceAll('_', ' ')}`,
    file: tags => id3File(4, tags)
  },
  'TXX.mp3': { frames: ['TT2', 'TP1', 'TAL'], nameOf: row => `TXX:${row.free}`, file: tags => id3File(2, tags) },
  'Named.m4a': { frames: ['©nam', '©ART', '©alb'], nameOf: row => `----:${row.free}`, file: mp4File },
  'v4.mp3': { frames: ['TIT2', 'TPE1', 'TALB'], nameOf: frameOf, file: tags => id3File(4, tags) },
  'v3.mp3': {
    frames: ['TIT2', 'TPE1', 'TALB'],
    nameOf: row => (older[row.id3] ?? frameOf(row)).replace('TIPL', 'IPLS').replace(/^TMCL.*/, ''),
    file: tags => id3File(3, tags)
  },
  'v2.mp3': { frames: ['TT2', 'TP1', 'TAL'], nameOf: row => row.old, file: tags => id3File(2, tags) },
  'atoms.m4a': { frames: ['©nam', '©ART', '©alb'], nameOf: row => row.mp4, file: mp4File }
}

type Found = Record<'song' | 'album' | 'artist', any[]>

const searchIn = async ({ app }: Awaited<ReturnType<typeof start>>): Promise<Found> => {
  const counts = { songCount: '99', albumCount: '99', artistCount: '99' }
  const query = new URLSearchParams({ f: 'json', u: 'a', p: token, query: '', ...counts })
  const answer = (await app.inject(`/rest/search3?${query}`)).json()['subsonic-response']
  checkEnvelope(answer)
  return answer.searchResult3
}

t.test('what the docs list is read from tags of every kind, and apps get it', async t => {
  t.equal(rows.length, 36)
  const tagsOf = (kind: string): [Row, string][] =>
    rows.map((row): [Row, string] => [row, kinds[kind]!.nameOf(row)]).filter(([, name]) => name !== '')
  const files = Object.fromEntries(Object.entries(kinds).map(([path, { frames, file }]) => {
    const texts = tagsOf(path).map(([row, name]): [string, string] => {
      const [text] = valueOf(row.member)
      return [name, name === 'TMCL:flute' ? 'Ada' : text]
    })
    return [path, file([[frames[0]!, path], [frames[1]!, path], [frames[2]!, path], ...texts])]
  }))
  files['opus.opus'] = opusFile([
    ['TITLE', 'opus.opus'], ['ARTIST', 'Ada'], ['ALBUM', 'Opus'], ['R128_TRACK_GAIN', '-512'],
    ['R128_ALBUM_GAIN', '256'], ['REPLAYGAIN_TRACK_GAIN', '99 dB']
  ], -384)
  const { song, album, artist } = await searchIn(await start(t, { MUSIC_DIR: folder(t, files) }))
  for (const path of Object.keys(kinds)) {
    const found: Record<string, any> = {
      song: song.find(({ title }: any) => title === path),
      album: album.find(({ name }: any) => name === path),
      artist: artist.find(({ name }: any) => name === path)
    }
    for (const [{ kind, name, member }, tag] of tagsOf(path)) {
      const [, expected] = valueOf(member)
      const [outer, inner = ''] = name.split('.')
      const value = name === 'discTitles'
        ? found[kind].discTitles.map(({ coverArt, ...disc }: any) => {
          t.equal(coverArt, found[kind].coverArt)
          return disc
        })
        : found[kind][outer!]
      if (outer === 'contributors') {
        t.match(value.find(({ role }: any) => role === inner), expected as object, `${path} ${tag}`)
      } else t.strictSame(inner === '' ? value : value[inner], expected, `${path} ${tag} ${member}`)
    }
  }
  const of = (path: string) => song.find(({ title }: any) => title === path)
  t.strictSame(of('opus.opus').replayGain, { trackGain: 3, albumGain: 6, baseGain: -1.5 })
  t.match(of('Vorbis.flac'), { samplingRate: 44100, bitDepth: 16, channelCount: 2 })
  t.match(of('v4.mp3'), { samplingRate: 44100, bitDepth: undefined, channelCount: 2 })
})

t.test('an artist has what the first file tells of it, each of several its own, and the parts in all', async t => {
  const other = '5441c29d-3602-4898-b1a1-b77fa23b8e50'
  const MUSIC_DIR = folder(t, {
    '1.flac': flacFile([
      ['TITLE', 'One'], ['ARTIST', 'Ada feat. Cy'], ['ALBUMARTIST', 'Bo'], ['ALBUM', 'All'], ['COMPOSER', 'Cy'],
      ['MUSICBRAINZ_ARTISTID', `${musicBrainzId}/${other}`], ['ARTISTSORT', 'Ada feat. Cy'],
      ['MUSICBRAINZ_ALBUMARTISTID', 'none'], ['ALBUMARTISTSORT', 'Bo, B']
    ]),
    '2.flac': flacFile([
      ['TITLE', 'Two'], ['ARTIST', 'Bo'], ['ALBUM', 'All'], ['ARTISTSORT', 'Later'], ['ARRANGER', 'Cy'],
      ['WRITER', 'Di']
    ])
  })
  const source = await start(t, { MUSIC_DIR })
  const told = async () => Object.fromEntries((await searchIn(source)).artist.map(
    ({ name, musicBrainzId, sortName, roles }) => [name, [musicBrainzId, sortName, roles]]))
  t.strictSame(await told(), {
    Ada: [musicBrainzId, undefined, ['artist']],
    Bo: [undefined, 'Bo, B', ['albumartist', 'artist']],
    Cy: [other, undefined, ['artist', 'arranger', 'composer']]
  })
  put(MUSIC_DIR, '2.flac', flacFile([['TITLE', 'Two'], ['ARTIST', 'Bo'], ['ALBUM', 'All']]), Date.now() / 1000)
  await scan(source)
  t.strictSame((await told()).Cy, [other, undefined, ['artist', 'composer']])
})

t.test('search finds composers, genres, years and titles of discs, and the page lists composers', async t => {
  const one: Tags = [
    ['TITLE', 'One'], ['ARTIST', 'Ada'], ['ALBUM', 'Both'], ['TRACKNUMBER', '1'], ['COMPOSER', 'Nadia Boulanger'],
    ['GENRE', 'Lied'], ['DATE', '1911'], ['DISCSUBTITLE', 'Evenings']
  ]
  const MUSIC_DIR = folder(t, {
    '1.flac': flacFile(one),
    '2.flac': flacFile([['TITLE', 'Two'], ['ARTIST', 'Ada'], ['ALBUM', 'Both'], ['TRACKNUMBER', '2']]),
    '3.flac': flacFile([
      ['TITLE', 'Three'], ['ARTIST', 'Bo'], ['ALBUM', 'Own'],
      ...['Zelter', 'NADIA BOULANGER', 'Ärne', 'Mel', 'Cage'].map(name => ['COMPOSER', name] as const)
    ])
  })
  const { call, data } = await start(t, { MUSIC_DIR, PAGE: 'true' })
  const found = async (kind: string, keyword: string) =>
    (await data(`/v1/search/${kind}?keyword=${keyword}`)).items.map(({ title, name }: any) => title ?? name).sort()
  t.strictSame(await found('tracks', 'boulanger'), ['One', 'Three'])
  t.strictSame(await found('tracks', 'lied'), ['One'])
  t.strictSame(await found('tracks', '1911'), ['One'])
  t.strictSame(await found('albums', 'evenings'), ['Both'])
  t.strictSame(await found('albums', 'lied 1911'), ['Both'])
  const shown = async (path: string) => (await call(path)).json().data
  t.strictSame(await shown('/page/composers'), {
    items: [
      { name: 'Ärne', tracks: 1 }, { name: 'Cage', tracks: 1 }, { name: 'Mel', tracks: 1 },
      { name: 'Nadia Boulanger', tracks: 2 }, { name: 'Zelter', tracks: 1 }
    ]
  })
  t.equal((await shown('/page/browse?kind=artists')).composers, 5)
  t.equal((await shown('/page/browse')).composers, undefined)
})

t.test('an album has what its first track and the first of each disc tell, and what is told anew', async t => {
  const track = (number: number, disc: number, ...more: Tags) => flacFile([
    ['TITLE', `${disc} ${number}`], ['ARTIST', 'Ada'], ['ALBUM', 'Both'], ['TRACKNUMBER', `${number}`],
    ['DISCNUMBER', `${disc}`], ['GENRE', 'Pop'], ['GENRE', 'Folk'], ...more
  ])
  const MUSIC_DIR = folder(t, {
    '1.flac': track(1, 1, ['LABEL', 'Blue'], ['PERFORMER', 'Ada'], ['R128_TRACK_GAIN', 'loud']),
    '2.flac': track(1, 3, ['LABEL', 'Green'], ['DISCSUBTITLE', 'Live'], ['ITUNESADVISORY', '2']),
    '3.flac': track(2, 3, ['DISCSUBTITLE', 'Dead'], ['ITUNESADVISORY', '1'])
  })
  const source = await start(t, { MUSIC_DIR })
  const { song, album: [album] } = await searchIn(source)
  t.match(album, {
    recordLabels: [{ name: 'Blue' }],
    discTitles: [{ disc: 3, title: 'Live' }],
    explicitStatus: 'explicit',
    genres: [{ name: 'Pop' }, { name: 'Folk' }],
    isCompilation: false
  })
  t.strictSame(song.find(({ title }) => title === '1 1').contributors, [
    { role: 'performer', artist: { id: album.artistId, name: 'Ada' } }
  ])
  put(MUSIC_DIR, '1.flac', track(1, 1, ['LABEL', 'Red']), Date.now() / 1000)
  await scan(source)
  t.equal((await searchIn(source)).album[0].recordLabels[0].name, 'Red')
})

t.test('a reissue is of the year in which its music came out, whatever tag says it', async t => {
  const song = (title: string): Tags => [['TITLE', title], ['ARTIST', 'Ada'], ['ALBUM', title]]
  const frames = (title: string): Tags => [['TIT2', title], ['TPE1', 'Ada'], ['TALB', title]]
  const atoms = (title: string): Tags => [['©nam', title], ['©ART', 'Ada'], ['©alb', title]]
  const { data, ...source } = await start(t, {
    MUSIC_DIR: folder(t, {
      'date.flac': flacFile([...song('date'), ['DATE', '2009-09-09'], ['ORIGINALDATE', '1969-09-26']]),
      'year.flac': flacFile([...song('year'), ['DATE', '2009'], ['ORIGINALYEAR', '1969']]),
      'odd.flac': flacFile([...song('odd'), ['DATE', '2009'], ['ORIGINALDATE', '0000'], ['ORIGINALYEAR', '1969']]),
      'alone.flac': flacFile([...song('alone'), ['ORIGINALDATE', '1969']]),
      'v4.mp3': id3File(4, [...frames('v4'), ['TDRC', '2009'], ['TDOR', '1969']]),
      'v3.mp3': id3File(3, [...frames('v3'), ['TYER', '2009'], ['TORY', '1969']]),
      'named.mp3': id3File(4, [...frames('named'), ['TDRC', '2009'], ['TXXX:originalyear', '1969']]),
      'named.m4a': mp4File([...atoms('mp4'), ['©day', '2009'], ['----:ORIGINALDATE', '1969-09-26']]),
      'plain.flac': flacFile([...song('plain'), ['DATE', '2009']])
    })
  })
  const { album } = await searchIn({ ...source, data })
  const told = Object.fromEntries(album.map(({ name, year, originalReleaseDate, releaseDate }) =>
    [name, [year, originalReleaseDate?.year, releaseDate?.year]]))
  const { plain, alone, ...reissues } = told
  t.strictSame(plain, [2009, undefined, 2009])
  t.strictSame([alone![0], alone![1]], [1969, 1969])
  t.strictSame(Object.keys(reissues).sort(), ['date', 'mp4', 'named', 'odd', 'v3', 'v4', 'year'])
  for (const [name, years] of Object.entries(reissues)) t.strictSame(years, [1969, 1969, 2009], name)

  const query = { f: 'json', u: 'a', p: token, type: 'byYear', fromYear: '1969', toYear: '1969', size: '20' }
  const found = (await source.app.inject(`/rest/getAlbumList2?${new URLSearchParams(query)}`)).json()
  t.equal(found['subsonic-response'].albumList2.album.length, 8)
})

t.test('a reissue in another folder is another edition, though its music is of the same year', async t => {
  const song = (date: string) => flacFile([
    ['TITLE', 'One'], ['ARTIST', 'Ada'], ['ALBUM', 'Both'], ['DATE', date], ['ORIGINALDATE', '1969']
  ])
  const { album } = await searchIn(await start(t, {
    MUSIC_DIR: folder(t, { 'a/1.flac': song('1969'), 'b/1.flac': song('2009') })
  }))
  t.strictSame(album.map(({ year }) => year), [1969, 1969])
})

t.test('of two titles of a disc that of the first track counts, and a song without a genre has none', async t => {
  const song = (number: number, title: string, genre: Tags = []) => flacFile([
    ['TITLE', `${number}`], ['ARTIST', 'Ada'], ['ALBUM', 'Both'], ['TRACKNUMBER', `${number}`],
    ['DISCSUBTITLE', title], ...genre
  ])
  const MUSIC_DIR = folder(t, {
    'z.flac': song(1, 'Evening', [['GENRE', 'Rock\\\\Pop']]), 'a.flac': song(2, 'Morning')
  })
  const { song: songs, album: [album] } = await searchIn(await start(t, { MUSIC_DIR }))
  t.strictSame(album.discTitles, [{ disc: 1, title: 'Evening', coverArt: album.coverArt }])
  const genresOf = (title: string) => {
    const { genre, genres } = songs.find(song => song.title === title)
    return [genre, genres]
  }
  t.strictSame(genresOf('1'), ['Rock', [{ name: 'Rock' }, { name: 'Pop' }]])
  t.strictSame(genresOf('2'), [undefined, []])
})
