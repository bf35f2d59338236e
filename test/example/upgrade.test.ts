import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { command, folder, start, token } from './helper.ts'

// Data folders that former versions have left, with the demo library: one file each, made once and never again.

// What makes a file may not rely on the umask.
process.umask(0)

const left = new URL('upgrade/', import.meta.url)

for (const name of readdirSync(left)) {
  t.test(`a data folder of a former version has what it had: ${name}`, async t => {
    const { kept, files } = JSON.parse(gunzipSync(readFileSync(new URL(name, left))).toString()) as
      { kept: Record<'favorite' | 'rated' | 'heard' | 'queued', string> & { list: string[] }, files: object }
    const DATA_DIR = folder(t, Object.fromEntries(Object.entries(files).map(([file, content]) =>
      [file, Buffer.from(content, 'base64')])))
    chmodSync(join(DATA_DIR, 'media.key'), 0o600)
    const { app, data, lines } = await start(t, { DATA_DIR })
    t.equal(lines.filter(({ msg, reason }) => msg === 'index rebuilt' && reason === 'older version').length, 1)
    const rest = async (method: string, query: object = {}) =>
      (await app.inject(`/rest/${method}?${new URLSearchParams({ f: 'json', u: 'x', p: token, c: 'test', ...query })}`))
        .json()['subsonic-response']
    const [list] = await data('/v1/user/playlist/list')
    t.equal(list.name, 'Kept')
    const { tracks } = await data(`/v1/playlist/detail?id=${list.id}`)
    t.strictSame(tracks.map(({ id }: { id: string }) => id), kept.list)
    t.equal((await data(`/v1/track?id=${kept.favorite}`)).favorite, true)
    t.equal((await rest('getSong', { id: `tr-${kept.rated}` })).song.userRating, 4)
    t.equal((await rest('getSong', { id: `tr-${kept.heard}` })).song.playCount, 1)
    const { playQueue } = await rest('getPlayQueue')
    t.match(playQueue, { current: `tr-${kept.queued}`, position: 5000, entry: [{ id: `tr-${kept.queued}` }] })
    t.match(await command(DATA_DIR, ['list']), /^ann\b/m)
    t.notOk(existsSync(join(DATA_DIR, 'library.sqlite')))
    await command(DATA_DIR, ['backup', join(DATA_DIR, 'copy.sqlite')])
    await command(DATA_DIR, ['remove', 'ann', 'ann'])
    const others = readdirSync(DATA_DIR, { recursive: true, withFileTypes: true })
      .filter(file => file.isFile() && statSync(join(file.parentPath, file.name)).mode & 0o077)
    t.strictSame(others.map(({ name }) => name), [], 'no other user reads what is in the folder')
  })
}
