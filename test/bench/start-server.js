import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import {
  inferCapabilities, PlaylistDetailSchema, schemas, sdkVersion, StatusSchema, TrackPageSchema, TrackSchema
} from 'fastify-source-origin'
import { wireSchema } from '../../dist/schemas/common.js'

const serverFile = fileURLToPath(new URL('server.js', import.meta.url))

/**
 * The schemas as clients see them (a member with a default is always there) and what the adapter of the comparison
 * offers.
 */
const given = {
  wireSchemas: schemas.map(schema => wireSchema(schema)),
  schemaIds: {
    status: StatusSchema.$id,
    getTrackDetail: TrackSchema.$id,
    searchTracks: TrackPageSchema.$id,
    getPlaylistDetail: PlaylistDetailSchema.$id
  },
  status: {
    type: 'wow',
    version: sdkVersion,
    stateless: true,
    capabilities: inferCapabilities({ getTrackDetail () {}, searchTracks () {}, getPlaylistDetail () {} }),
    qualityMap: [],
    playlistSortOptions: []
  }
}

/** Starts a server of server.js in a process of its own, in production mode. */
export async function startServer (kind, row, execArgv = []) {
  const child = fork(serverFile, [kind, row], { execArgv, env: { ...process.env, NODE_ENV: 'production' } })
  child.send(given)
  const [{ port, authorization, path }] = await once(child, 'message')
  return {
    url: `http://127.0.0.1:${port}`,
    path,
    headers: { authorization },
    /**
     * CPU in µs since the start; in bytes RSS, and RSS and heap after a collection if node was started with
     * `--expose-gc`.
     */
    async usage () {
      child.send('usage')
      return (await once(child, 'message'))[0]
    },
    async stop () {
      child.disconnect()
      await once(child, 'exit')
    }
  }
}
