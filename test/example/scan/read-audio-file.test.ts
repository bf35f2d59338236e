import { readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readAudioFile } from '../../../example/scan/read-audio-file.ts'
import { fifthOf } from '../../fifth.ts'
import { demo, folder, mp3, wav } from '../helper.ts'
import { mp3Frames, oggPage, opus } from '../make-audio.ts'
import { flacFile, id3File, opusFile } from '../make-tags.ts'

const read = (root: string, path: string) => readAudioFile(root, path, new AbortController().signal)
const readOne = (t: Test, path: string, content: Buffer) => read(folder(t, { [path]: content }), path)

t.test('the demo files tell all that they have', async t => {
  t.match(await read(demo, 'Ada Plume/Plucked at Dawn/03 Morning Frost.mp3'), {
    title: 'Morning Frost',
    artists: ['Ada Plume', 'Nils Öhlin'],
    album: 'Plucked at Dawn',
    albumArtists: ['Ada Plume'],
    trackNumber: 3,
    discNumber: 1,
    year: 2021,
    publishTime: Date.UTC(2021, 0),
    genres: ['Ambient'],
    format: 'mp3',
    lossless: false,
    bitrate: 96000,
    durationMs: 13740
  })
  t.match(await read(demo, 'Ada Plume/Plucked at Dawn/01 Prelude in C.flac'), {
    format: 'flac', lossless: true, bitrate: 712330, durationMs: 10228
  })
  t.match(await read(demo, 'Nils Öhlin/Nachtorgel/2-01 Kanon in D.ogg'), {
    discNumber: 2, trackNumber: 1, format: 'ogg', bitrate: Number
  })
  t.match(await read(demo, 'Various Artists/Songs from Everywhere/02 茉莉花.m4a'), {
    artists: ['纸灯笼'], albumArtists: ['Various Artists']
  })
})

t.test('a reissue has the year of its first release, and its own date beside', async t => {
  const tags: [string, string][] = [['TITLE', 'One'], ['DATE', '2009-09-09'], ['ORIGINALDATE', '1969']]
  t.match(await readOne(t, 'x.flac', flacFile(tags)), {
    year: 1969,
    releaseYear: 2009,
    albumExtras: { originalReleaseDate: { year: 1969 }, releaseDate: { year: 2009, month: 9, day: 9 } }
  })
})

t.test('a FLAC that was written to a pipe is as long as its last frame says, behind an ID3 tag too', async t => {
  const flac = readFileSync(join(demo, 'Ada Plume/Plucked at Dawn/01 Prelude in C.flac'))
  flac[21]! &= 0xf0
  flac.fill(0, 22, 26)
  t.match(await readOne(t, 'x.flac', flac), { durationMs: 10228, bitrate: 723892 })
  t.match(await readOne(t, 'x.flac', Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x05.....'), flac])), {
    durationMs: 10228
  })
  t.match(await readOne(t, 'x.flac', flac.subarray(0, 4000)), { durationMs: 0 })
})

for (const magic of ['RF64', 'BW64']) {
  t.test(`a WAV file of more than 4 GB, ${magic}, is as long as its data, and has its tags`, async t => {
    const riff = wav({ title: 'Long', artist: 'One' })
    const data = riff.indexOf('data')
    riff.write(magic)
    riff.writeUInt32LE(0xffffffff, 4)
    riff.writeUInt32LE(0xffffffff, data + 4)
    const sizes = Buffer.alloc(36)
    sizes.write('ds64')
    sizes.writeUInt32LE(28, 4)
    sizes.writeBigUInt64LE(BigInt(riff.length + 28), 8)
    sizes.writeBigUInt64LE(1600n, 16)
    sizes.writeBigUInt64LE(800n, 24)
    const file = Buffer.concat([riff.subarray(0, 12), sizes, riff.subarray(12)])
    t.match(await readOne(t, 'x.wav', file), { title: 'Long', format: 'wav', lossless: true, durationMs: 100 })
  })
}

t.test('a format that tells its duration at the end is read to there', async t => {
  const opus = await read(demo, 'Nils Öhlin/Nachtorgel/1-02 Menuett in G.opus')
  t.ok(opus.durationMs > 10_000 && opus.durationMs < 60_000)
  t.ok(opus.bitrate! > 30_000 && opus.bitrate! < 100_000)
})

t.test('names of files and folders serve where there are no tags', async t => {
  t.match(await readOne(t, 'Some One/An Album/2-07 A Title.mp3', mp3({})), {
    title: 'A Title',
    artists: ['Some One'],
    album: 'An Album',
    albumArtists: ['Some One'],
    discNumber: 2,
    trackNumber: 7,
    genres: [],
    year: undefined
  })
  t.match(await readOne(t, 'x.wav', wav({})), { title: 'x', artists: ['Unknown Artist'], album: 'Unknown Album' })
})

t.test('a name of signs alone is the title', async t => {
  t.equal((await readOne(t, '___.mp3', mp3({}))).title, '___.mp3')
})

const artistTags: Readonly<Record<string, [artists: string[], displayed?: string]>> = {
  'One\0Two': [['One', 'Two']],
  'One; Two': [['One', 'Two']],
  'One feat. Two': [['One', 'Two'], 'One feat. Two'],
  'One (feat. Two & Three)': [['One', 'Two & Three'], 'One (feat. Two & Three)'],
  'One [ft Two] featuring Three': [['One', 'Two', 'Three'], 'One [ft Two] featuring Three'],
  'One (Live)': [['One (Live)']],
  'Little Feat': [['Little Feat']],
  'AC/DC': [['AC/DC']],
  'Simon & Garfunkel': [['Simon & Garfunkel']]
}

for (const [tag, [artists, displayed]] of Object.entries(artistTags)) {
  t.test(`artists of a song and of an album are told apart alike: ${JSON.stringify(tag)}`, async t => {
    const tags = { title: 'x', artist: tag, albumArtist: tag }
    t.match(await readOne(t, 'x.mp3', mp3(tags)), {
      artists, albumArtists: artists, displayArtist: displayed, displayAlbumArtist: displayed
    })
  })
}

t.test('a compilation without an album artist is by various ones', async t => {
  t.same(
    (await readOne(t, 'x.mp3', mp3({ title: 'x', artist: 'One', compilation: '1' }))).albumArtists, ['Various Artists']
  )
})

t.test('absurd tags are survived', async t => {
  const file = await readOne(t, 'x.mp3', mp3({
    title: '\0 ', artist: 'a'.repeat(50_000), track: '-7/99999999999', disc: 'x', date: '0000-99-99', genre: ';;'
  }))
  t.match(file, { title: 'x', trackNumber: undefined, discNumber: undefined, year: undefined, genres: [] })
  t.equal(file.artists[0]!.length, 300)
})

t.test('a duration and a bitrate that cannot be are unknown', async t => {
  const content = wav({ title: 'x' })
  content.writeUInt32LE(0, 24) // Hz
  content.writeUInt32LE(0, 28) // bytes a second
  t.match(await readOne(t, 'x.wav', content), { durationMs: 0, bitrate: null })
})

t.test('an Opus file that was copied in part has a duration that can be', async t => {
  t.match(await readOne(t, 'x.opus', opus({ title: 'x' }, { seconds: 0.001 })), {
    title: 'x', durationMs: 0, bitrate: null
  })
  t.equal((await readOne(t, 'x.opus', opus({ title: 'x' }, { seconds: 3, skipped: 0 }))).durationMs, 3000)
})

t.test('an MP3 file that does not tell its duration is measured', async t => {
  const bitrates = Array.from({ length: 1000 }, (_, at) => at % 2 ? 128 : 96)
  t.equal((await readOne(t, 'x.mp3', mp3Frames(bitrates))).durationMs, Math.round(1000 * 1152 / 44.1))
})

t.test('of a file of 1 GB a megabyte is in memory at a time; only the beginning and the end are read', async t => {
  const files: Record<string, Buffer> = {
    'x.wav': wav({ title: 'x' }),
    'x.mp3': Buffer.concat([mp3({ title: 'x' }), mp3Frames([128, 96])]),
    'x.opus': opus({ title: 'x' })
  }
  const { allocUnsafe } = Buffer
  for (const [path, content] of fifthOf(Object.entries(files))) {
    const root = folder(t, { [path]: content })
    truncateSync(join(root, path), 1024 ** 3)
    const sizes: number[] = []
    const counted =
      t.intercept(Buffer, 'allocUnsafe', { value: (size: number) => { sizes.push(size); return allocUnsafe(size) } })
    await read(root, path)
    counted.restore()
    t.ok(Math.max(...sizes) <= 1024 ** 2, `${path}: ${Math.max(...sizes)} bytes at a time`)
    t.ok(
      sizes.reduce((sum, size) => sum + size) <= 68 * 1024 ** 2,
      `${path}: ${sizes.reduce((sum, size) => sum + size)} bytes in all`
    )
  }
})

t.test('of a tag the beginning is looked at alone', async t => {
  const spaces = ' '.repeat(30_000)
  t.match(await readOne(t, 'x.mp3', mp3({
    title: 'x', artist: `a${spaces}b`, album: `a${spaces}feat. b`, genre: `a${spaces}b`
  })), {
    artists: ['a'], album: 'a', genres: ['a']
  })
  const many = Array.from({ length: 500 }, (_, at) => String(at)).join('\0')
  t.equal((await readOne(t, 'x.mp3', mp3({ title: 'x', artist: many }))).artists.length, 100)
})

t.test('a file whose tags have no end is refused', async t => {
  const many = Array.from({ length: 10_000 }, (_, at) => String(at)).join('\0')
  await t.rejects(readOne(t, 'x.mp3', mp3({ title: 'x', artist: many })), { message: 'Its tags have too much text' })
})

t.test('texts that may be garbled are kept as they are', async t => {
  const { texts, artists } =
    await readOne(t, 'x.mp3', mp3({ title: 'x', artist: 'Beyonc\xe9' }, { encoding: 'latin1' }))
  t.same([artists, texts!.artists], [['Beyoncé'], ['Beyoncé']])
  t.equal(
    (await readOne(t, 'x.mp3', mp3({ title: 'x', artist: 'Beyoncé' }, { encoding: 'utf8AsLatin1' }))).artists[0],
    'Beyoncé'
  )
  t.equal((await readOne(t, 'x.mp3', mp3({ title: 'x', artist: '茉莉花' }))).texts, undefined)
})

t.test('the same tags are the same track in any file, other tags are another', async t => {
  const tags = { title: 'Song', artist: 'Some One', album: 'Album', track: '1' }
  const idOf = async (path: string, content: Buffer) => (await readOne(t, path, content)).trackId
  const id = await idOf('a.mp3', mp3(tags))
  t.equal(await idOf('b/c/d.wav', wav(tags)), id)
  t.equal(await idOf('e.mp3', mp3({ ...tags, disc: '1', title: ' SONG ' })), id)
  for (const change of [{ title: 'Songs' }, { artist: 'Other' }, { album: 'Other' }, { track: '2' }, { disc: '2' }]) {
    t.not(await idOf('a.mp3', mp3({ ...tags, ...change })), id, JSON.stringify(change))
  }
})

t.test('without tags the audio decides, wherever the file is', async t => {
  const id = (await readOne(t, 'a/b.wav', wav({}))).trackId
  t.equal((await readOne(t, 'c d.wav', wav({}))).trackId, id)
  const other = wav({})
  other[other.length - 1] = 1
  t.not((await readOne(t, 'a/b.wav', other)).trackId, id)
})

const broken: Record<string, Buffer> = {
  'an empty file': Buffer.alloc(0),
  'a text': Buffer.from('This is no audio at all. '.repeat(100)),
  zeros: Buffer.alloc(5000)
}
for (const [what, content] of Object.entries(broken)) {
  for (const type of ['mp3', 'flac', 'm4a', 'ogg', 'wav']) {
    t.test(`${what} as ${type} is refused`, async t => {
      await t.rejects(readOne(t, `x.${type}`, content))
    })
  }
}

/** The frames of an ID3v2.3 tag with Latin-1 texts, before some silence. */
function oldTag (frames: readonly (readonly [name: string, text: string])[]): Buffer {
  const body = Buffer.concat(frames.map(([name, text]) => {
    const frame = Buffer.alloc(11 + text.length)
    frame.write(name)
    frame.writeUInt32BE(1 + text.length, 4)
    frame.write(text, 11, 'latin1')
    return frame
  }))
  return Buffer.concat([Buffer.from('ID3\x03\0\0'), Buffer.from([0, 0, body.length >> 7, body.length & 127]), body,
    mp3Frames(Array(8).fill(128))])
}

for (const [text, artists] of [
  ['AC/DC', ['AC/DC']],
  ['Nina/ac/dc/Anton', ['Nina', 'AC/DC', 'Anton']],
  ['Nina/Anton', ['Nina', 'Anton']]
] as const) {
  t.test(`the artists of ${text} in ID3v2.3 are ${artists.join(' and ')}`, async t => {
    const { artists: found } = await readOne(t, 'song.mp3', oldTag([['TIT2', 'Song'], ['TPE1', text]]))
    t.strictSame(found, artists)
  })
}

t.test('a file is what it begins as, whatever its name says', async t => {
  const names = ['01 Prelude in C.flac', '03 Morning Frost.mp3', '02 Greensleeves.m4a'].map(name =>
    readFileSync(join(demo, 'Ada Plume/Plucked at Dawn', name)))
  const root = folder(t, { 'a.mp3': names[0]!, 'b.m4a': names[1]!, 'c.flac': names[2]!, 'd.m4a': names[0]! })
  t.match(await read(root, 'a.mp3'), { title: 'Prelude in C', format: 'flac', lossless: true, durationMs: 10228 })
  t.match(await read(root, 'b.m4a'), { title: 'Morning Frost', format: 'mp3', bitrate: 96000 })
  t.match(await read(root, 'c.flac'), { title: 'Greensleeves', format: 'm4a' })
  t.match(await read(root, 'd.m4a'), { title: 'Prelude in C', format: 'flac' })
  const picture = mp3({ title: 'With a cover' })
  t.match(await readOne(t, 'e.ogg', picture), { title: 'With a cover', format: 'mp3' })
})

t.test('zeros before the first frame are no music, many of them neither', async t => {
  const frames = mp3Frames(Array<number>(300).fill(128))
  for (const zeros of [0, 6000, 20_000]) {
    const { durationMs } = await readOne(t, 'a.mp3', Buffer.concat([Buffer.alloc(zeros), frames]))
    t.ok(Math.abs(durationMs - 300 * 1152 / 44.1) < 1500, `${durationMs} ms with ${zeros} zeros`)
    if (zeros <= 6000) t.ok(Math.abs(durationMs - 300 * 1152 / 44.1) < 60, `${durationMs} ms with ${zeros} zeros`)
  }
})

t.test('of several ID3 tags the first counts', async t => {
  const tag = (title: string, album: string) => {
    const file = mp3({ title, album, artist: 'A' })
    return file.subarray(0, 10 + (file[8]! << 7 | file[9]!))
  }
  const file = Buffer.concat([tag('First', 'One'), mp3({ title: 'Second', album: 'Two', artist: 'B' })])
  t.match(await readOne(t, 'a.mp3', file), { title: 'First', album: 'One', artists: ['A'], format: 'mp3' })
})

const flacHead = readFileSync(join(demo, 'Ada Plume/Plucked at Dawn/01 Prelude in C.flac')).subarray(0, 42)
flacHead[4]! &= 0x7f
const lengthOf = (value: string) => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(Buffer.byteLength(value))
  return Buffer.concat([length, Buffer.from(value)])
}

t.test('comments of FLAC in Ogg are read; without any the names of files serve', async t => {
  const begin = Buffer.from('\x7fFLAC\x01\x00\x00\x01', 'latin1')
  const first = oggPage(1, 0n, Buffer.concat([begin, flacHead]), { first: true })
  const comments = Buffer.concat([
    lengthOf('test'), Buffer.from([2, 0, 0, 0]), lengthOf('TITLE=Song'), lengthOf('ALBUM=Disc')
  ])
  const block = Buffer.concat([Buffer.from([0x84, 0, 0, comments.length]), comments])
  const last = oggPage(1, 44_100n, Buffer.alloc(9))
  t.match(await readOne(t, 'a.oga', Buffer.concat([first, oggPage(1, 0n, block), last])), {
    title: 'Song', album: 'Disc', format: 'oga', durationMs: 1000
  })
  t.match(await readOne(t, 'b.oga', Buffer.concat([first, last])), { title: 'b' })
})

const element = (id: string, ...content: (Buffer | string)[]): Buffer => {
  const body = Buffer.concat(content.map(part => Buffer.from(part)))
  const size = Buffer.alloc(4)
  size.writeUInt32BE(0x10000000 + body.length)
  return Buffer.concat([Buffer.from(id, 'hex'), size, body])
}

t.test('a codec that browsers do not play is named', async t => {
  const file = readFileSync(join(demo, 'Various Artists/Songs from Everywhere/02 茉莉花.m4a'))
  t.equal((await readOne(t, 'x.m4a', file)).codec, undefined)
  file.write('alac', file.indexOf('mp4a'))
  t.match(await readOne(t, 'x.m4a', file), { format: 'm4a', codec: 'alac', lossless: true })
})

t.test('WAV with its length beside its samples is lossless, unless they are of another codec', async t => {
  const file = wav({ title: 'Any' })
  file.write('fact', file.indexOf('id3 '))
  t.equal((await readOne(t, 'x.wav', file)).lossless, true)
  file.writeUInt16LE(6, 20)
  t.equal((await readOne(t, 'x.wav', file)).lossless, false)
})

t.test('WavPack is read by its first block and by the tags behind its last one', async t => {
  const block = (index: number) => {
    const bytes = Buffer.alloc(32)
    bytes.write('wvpk')
    for (const [at, value] of [[4, 24], [12, 88_200], [16, index], [20, 1], [24, 9 << 23 | 1]]) {
      bytes.writeUInt32LE(value!, at)
    }
    return bytes
  }
  const id3v1 = Buffer.concat([Buffer.from('TAG\xff', 'latin1'), Buffer.alloc(124)])
  const withHeader = (footer: Buffer) => {
    const bytes = Buffer.from(footer)
    bytes[23] = 0x80
    return bytes
  }
  const item = Buffer.from('\x03\0\0\0\0\0\0\0Title\0Any', 'latin1')
  const footer = Buffer.alloc(32)
  footer.write('APETAGEX')
  for (const [at, value] of [[8, 2000], [12, item.length + 32], [16, 1]]) footer.writeUInt32LE(value!, at!)
  const blocks = Buffer.concat([0, 1, 2].map(block))
  for (const parts of [
    [blocks, item, footer], [blocks, footer, item, withHeader(footer)], [blocks, item, footer, id3v1]
  ]) {
    const file = Buffer.concat(parts)
    t.match(await readOne(t, 'x.wv', file), {
      title: 'Any', format: 'wv', codec: 'wv', durationMs: 2000, lossless: true, bitrate: file.length * 4
    })
  }
  t.match(await readOne(t, 'x.wv', Buffer.concat([blocks, id3v1])), { title: 'x', durationMs: 2000 })
})

t.test('LATM, and WavPack with a block of 2 GB, are left out', async t => {
  await t.rejects(readOne(t, 'x.wv', Buffer.from('wvpk\xff\xff\xff\x7f', 'latin1')), {
    message: 'Its first block or its tags are too large'
  })
  await t.rejects(readOne(t, 'x.aac', Buffer.concat([Buffer.from([0x56, 0xe0, 0x20]), Buffer.alloc(500)])), {
    message: 'This is LATM, which players do not open'
  })
})

t.test('the last block tells the duration of Matroska that was recorded, where the head does not', async t => {
  const head = [
    element('1a45dfa3', element('4282', 'matroska')), Buffer.from('18538067ffffffff', 'hex').subarray(0, 5)
  ]
  const time = (ms: number) => element('e7', Buffer.from([ms >> 8, ms & 255]))
  const block = (ms: number) => Buffer.concat([Buffer.from([0x81, ms >> 8, ms & 255, 0x80]), Buffer.alloc(20)])
  const cluster = (...content: Buffer[]) => element('1f43b675', ...content)
  const durationOf = async (...clusters: Buffer[]) =>
    (await readOne(t, 'x.mka', Buffer.concat([...head, ...clusters]))).durationMs
  const first = cluster(element('bf', 'crc!'), time(0), element('a3', block(0)), element('a3', block(20)))
  const group = element('a0', element('a1', block(40)))
  t.equal(await durationOf(first, cluster(time(5000), element('a3', block(0)), group)), 5040)
  t.equal(await durationOf(first, Buffer.from('1f43b675', 'hex')), 20, 'a cluster that is cut')
  t.equal(await durationOf(first, cluster(element('a3', block(0)))), 20, 'one without a time')
  t.equal(await durationOf(cluster(element('e7'), element('a3', block(60)), element('1c53bb6b', 'x'.repeat(40)))), 60)
  t.equal(await durationOf(), 0)
})

t.test('the album of Matroska is read where it stands with the track', async t => {
  const tag = (name: string, value: string) => element('67c8', element('45a3', name), element('4487', value))
  const file = Buffer.concat([
    element('1a45dfa3', element('4282', 'matroska')),
    element('18538067', element('1254c367', element('7373', element('63c0', element('68ca', Buffer.from([30]))),
      tag('ALBUM', 'Disc'), tag('ALBUM_ARTIST', 'Band'), tag('ARTIST', 'Singer'), tag('TITLE', 'Song'), tag('X', 'y'))))
  ])
  t.match(await readOne(t, 'a.mka', file), {
    title: 'Song', album: 'Disc', albumArtists: ['Band'], artists: ['Singer']
  })
})

t.test('performers and who has another part are told with what they do, gains that are none are left out', async t => {
  const frames = ['TIT2', 'TPE1'].map(name => [name, 'x'] as const)
  const tagged = await readOne(t, 'x.mp3', id3File(4, [
    ...frames, ['TIPL:producer', 'Ada'], ['TIPL:mix', 'Bo'], ['TMCL:violin', 'Cy'],
    ['TXXX:REPLAYGAIN_TRACK_GAIN', '400 dB'], ['TXXX:REPLAYGAIN_ALBUM_GAIN', '-1,5 dB']
  ]))
  t.match(tagged.extras, {
    contributors: [
      { role: 'producer', artist: { name: 'Ada' } }, { role: 'mixer', artist: { name: 'Bo' } },
      { role: 'performer', subRole: 'violin', artist: { name: 'Cy' } }
    ],
    replayGain: { albumGain: -1.5 }
  })
  t.equal(tagged.extras?.replayGain?.trackGain, undefined)
  const quiet = await readOne(t, 'x.opus', opusFile([['TITLE', 'x'], ['R128_TRACK_GAIN', '-512']], 512))
  t.match(quiet.extras?.replayGain, { trackGain: 3, baseGain: 2 })
  const old = await readOne(t, 'x.mp3', id3File(2, [['TT2', 'x'], ['TXX:ISRC', 'QZ1']]))
  t.same(old.extras?.isrc, ['QZ1'])
  const id = '0123abcd-0123-0123-0123-0123456789ab'
  const classical = await readOne(t, 'x.flac', flacFile([
    ['TITLE', 'x'], ['ARTIST', 'Ada'], ['ALBUM', 'x'], ['WORK', 'Suite'], ['MUSICBRAINZ_WORKID', id],
    ['MOVEMENTNAME', 'Gigue'], ['MOVEMENT', '2'], ['MOVEMENTTOTAL', '3'], ['COMMENT', 'nice'],
    ['MUSICBRAINZ_ARTISTID', id], ['ARTISTSORT', 'Ada, A.'], ['COMPOSER', 'Bo']
  ]))
  t.match(classical.extras, {
    works: [{ name: 'Suite', musicBrainzId: id }],
    movements: [{ name: 'Gigue', number: 2, count: 3 }],
    comment: 'nice',
    displayComposer: 'Bo'
  })
  t.same(classical.artistExtras, { ada: { musicBrainzId: id, sortName: 'Ada, A.' } })
  const two = await readOne(t, 'x.flac', flacFile([
    ['TITLE', 'x'], ['ARTIST', 'Ada'], ['ARTIST', 'Bo'], ['MUSICBRAINZ_ARTISTID', id],
    ['MUSICBRAINZ_ALBUMARTISTID', 'none']
  ]))
  t.equal(two.artistExtras?.ada?.musicBrainzId, undefined, 'nobody knows whose it is')
})
