import t from 'tap'
import { bytesOf, decodeText, findRepair, repairUtf8 } from '../../../example/scan/repair-encodings.ts'
import { albums, garble } from './encoded-albums.ts'

/** How often texts were repaired rightly, wrongly or not at all. */
interface Count { right: number, wrong: string[], none: number }

/** Looks at every run of texts of that length in the albums of an encoding. */
function count (encoding: keyof typeof albums, length: number): Count {
  const found: Count = { right: 0, wrong: [], none: 0 }
  for (const album of albums[encoding]) {
    for (let from = 0; from === 0 || from + length <= album.length; from++) {
      const texts = album.slice(from, from + length)
      const garbled = texts.map(text => garble(text, encoding))
      const repair = findRepair(garbled)
      const repaired = repair === undefined ? undefined : garbled.map(repair).join('|')
      if (repaired === undefined) found.none++
      else if (repaired === texts.join('|')) found.right++
      else found.wrong.push(repaired)
    }
  }
  return found
}

for (const encoding of ['gbk', 'big5', 'shift_jis', 'euc-kr', 'windows-1251'] as const) {
  t.test(`every whole album in ${encoding} is repaired`, async t => {
    t.match(count(encoding, 99), { wrong: [], none: 0 })
  })
  t.test(`of four texts in ${encoding} nine in ten are repaired, and none wrongly`, async t => {
    const { right, wrong, none } = count(encoding, 4)
    t.same(wrong, [])
    t.ok(right >= 9 * none, `${right} repaired, ${none} left`)
  })
  for (const length of [1, 2, 3]) {
    t.test(`${length === 1 ? 'a single text' : `${length} texts`} in ${encoding} are repaired rightly or not at all`, async t => {
      t.same(count(encoding, length).wrong, [])
    })
  }
}

for (const encoding of [
  'windows-1252', 'windows-1250', 'windows-1253', 'windows-1254', 'windows-874', 'koi8-r'
] as const) {
  t.test(`texts in ${encoding} stay as they are`, async t => {
    for (const length of [1, 2, 3, 4, 6, 99]) t.match(count(encoding, length), { right: 0, wrong: [] })
  })
}

t.test('texts that are right already stay', async t => {
  for (const [encoding, list] of Object.entries(albums)) {
    if (encoding === 'windows-1252') continue
    for (const album of list) t.equal(findRepair(album), undefined)
  }
})

t.test('a text that is right already stays in an album that is not', async t => {
  const [album] = albums.gbk
  const repair = findRepair([...album!.map(text => garble(text, 'gbk')), '茉莉花', 'Song'])!
  t.same([repair('茉莉花'), repair('Song')], ['茉莉花', 'Song'])
})

t.test('an album with a text that is no such encoding stays', async t => {
  const [album] = albums.gbk
  t.equal(findRepair([...album!.map(text => garble(text, 'gbk')), 'Beyoncé']), undefined)
})

t.test('a text that an old tag cut in the middle of a character is repaired as far as it goes', async t => {
  const [album] = albums.gbk
  const long = garble('a' + '以父之名懦夫晴天三年二班东风破', 'gbk').slice(0, 30)
  t.equal(findRepair([...album!.map(text => garble(text, 'gbk')), long])!(long), 'a以父之名懦夫晴天三年二班东风')
})

t.test('UTF-8 that was read as Latin-1 or Windows-1252 is read as what it is', async t => {
  const asLatin1 = (text: string) => Buffer.from(text).toString('latin1')
  const as1252 = (text: string) => new TextDecoder('windows-1252').decode(Buffer.from(text))
  t.equal(repairUtf8(as1252('Beyoncé 茉莉花 “so”')), 'Beyoncé 茉莉花 “so”')
  t.equal(repairUtf8(asLatin1('Frère 茉莉花')), 'Frère 茉莉花')
})

t.test('real words in Latin-1 and other scripts are no such UTF-8', async t => {
  for (const text of ['Frère', 'Øhlin', '“Ünï”', '茉莉花', 'Ärzte 茉', 'plain']) t.equal(repairUtf8(text), text)
})

for (const encoding of ['gbk', 'big5', 'shift_jis', 'euc-kr', 'windows-1251'] as const) {
  t.test(`lyrics and playlists in ${encoding} are read as they are meant`, async t => {
    for (const album of albums[encoding]) {
      const text = `${'#EXTM3U\n'.repeat(1000)}${album.join('\n')}`
      t.equal(decodeText(bytesOf(garble(text, encoding))!), text)
    }
  })
}

t.test('lyrics and playlists in Windows-1252 are read as they are meant', async t => {
  // What Latin-1 does not have.
  const more: Readonly<Record<string, number>> =
    { '…': 0x85, Œ: 0x8c, '’': 0x92, '“': 0x93, '”': 0x94, '–': 0x96, œ: 0x9c }
  for (const album of albums['windows-1252']) {
    const text = album.join('\n')
    const bytes = Uint8Array.from([...text].map(character => more[character] ?? character.charCodeAt(0)))
    t.equal(decodeText(bytes), text)
  }
  t.equal(decodeText(Buffer.from([0x6c, 0x92, 0xe9, 0x74, 0xe9, 0x20, 0x80])), 'l’été €')
})
