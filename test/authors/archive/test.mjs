import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { start, startUpstream } from './server.mjs'

const token = 'a token for the archive'

test('an archive of 30,000 shows passes the check, and plays although each session ends soon', async () => {
  const upstream = await startUpstream()
  const app = await start(token, upstream.origin)
  try {
    const origin = app.listeningOrigin
    const { stdout } = await promisify(execFile)('npx', [
      'fastify-source-origin', 'check', origin, '--strict', '--token', token
    ], { maxBuffer: 1e8 }).catch(error => { throw new Error(`${error.stdout}${error.stderr}`) })
    assert.match(stdout, /ok +GET +\/v1\/track\/url/)
    assert.ok(upstream.stats.logins > 1)

    const ask = async query => (await (await fetch(
      `${origin}/rest/${query}&u=owner&p=${encodeURIComponent(token)}&v=1.16.1&c=test&f=json`
    )).json())['subsonic-response']
    const { albumList2 } = await ask('getAlbumList2?type=byGenre&genre=Genre%203&size=500')
    assert.equal(albumList2.album.length, 100)
    const { songsByGenre } = await ask('getSongsByGenre?genre=genre%203&count=500')
    assert.equal(songsByGenre.song.length, 500)
    // A station has its programmes, and those in which it is a guest.
    const { artist } = await ask('getArtist?id=ar-r1')
    assert.equal(artist.album.length, 20)
  } finally {
    await app.close()
    upstream.close()
  }
})
