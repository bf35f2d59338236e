import type { FastifyInstance } from 'fastify'
import { createSourceCache, type SourceCache } from 'fastify-source-origin/cache'
import { createSigner, type Signer, type Transcoder } from 'fastify-source-origin/media'
import { createHmac } from 'node:crypto'
import { answerCall } from './accounts/control-socket.ts'
import { closeInTime, openAccounts } from './accounts/open-accounts.ts'
import { runCommand, type AccountServices } from './accounts/run-command.ts'
import { signInLinks } from './start/addresses.ts'
import { chooseToken } from './server/choose-token.ts'
import { MusicFolder } from './index/music-folder.ts'
import { loadMediaKey } from './media/load-media-key.ts'
import { openTranscoder } from './media/open-transcoder.ts'
import { describeListened } from './services/describe-listened.ts'
import { otherLogins } from './accounts/logins.ts'
import { openServices } from './services/open-services.ts'
import { ListenSender } from './services/listen-sender.ts'
import type { Settings } from './start/settings.ts'
import { StartError } from './start/start-error.ts'
import { lockDataDir } from './database/lock-data-dir.ts'

/** The resources that responses are built from. They are closed with the server. */
export interface Resources {
  readonly settings: Settings
  /** The token of the owner; empty = none. */
  readonly token: string
  /** `true` if the source has generated the token. */
  readonly isTokenMade: boolean
  readonly folder: MusicFolder
  /** The accounts and their scrobbling services; `undefined` without accounts. */
  readonly opened: ReturnType<typeof addServices> | undefined
  readonly signer: Signer
  /** The id of this source in requests that pass through several sources. All replicas have the same id. */
  readonly id: string
  /** The transcoder; `undefined` without transcoding. */
  readonly transcoder: Transcoder | undefined
  readonly cache: SourceCache
}

/** Operations whose responses are never cached. */
const changing = [
  'getTrackLyrics', 'getDailyTracks', 'getToplist', 'getToplistTracks', 'getArtistDetail', 'getArtistTracks',
  'getSimilarTracks', 'getTopArtists', 'getTrackUrl', 'getRecommendedPlaylist'
]

/**
 * Opens the folder, the accounts and the other resources of the source.
 *
 * @throws StartError for a problem that the user has to fix
 */
export async function openResources (app: FastifyInstance, settings: Settings): Promise<Resources> {
  const provide = await claimData(app, settings)
  const { token, file: tokenFile } = await chooseToken(settings)
  logToken(app, token, tokenFile)
  // A database of a newer version must stop the start before the index is changed, so the accounts are opened first.
  const accounts = settings.STATELESS === 'true' ? undefined : await openAccounts(settings, token, app.log)
  if (accounts) closeInTime(app, accounts.state, settings)
  const transcoder = await openTranscoder(app, settings)
  const folder = await MusicFolder.open(settings.MUSIC_DIR, settings.DATA_DIR, app.log, transcoder !== undefined)
  app.addHook('onClose', () => folder.close())
  const opened = accounts && addServices(app, settings, accounts, folder)
  provide(opened && { ...opened, folder, linkOf: signInLinks(settings, app) })
  const key = opened?.secret ?? await loadMediaKey(settings.DATA_DIR)
  const signer = createSigner({ keys: [key], ttl: settings.MEDIA_TTL * 1000 })
  const id = createHmac('sha256', key).update('source').digest('hex').slice(0, 16)
  const cache = createSourceCache({
    // Cached responses contain cover URLs, which are valid for at least half of MEDIA_TTL.
    maxAge: settings.MEDIA_TTL * 500,
    // These responses change with each play, with the day, or with files that a scan does not read.
    operations: Object.fromEntries(changing.map(operation => [operation, false]))
  })
  folder.onChange = () => cache.invalidate({})
  return { settings, token, isTokenMade: tokenFile !== undefined, folder, opened, signer, id, transcoder, cache }
}

type Accounts = Awaited<ReturnType<typeof openAccounts>>

/** Adds the scrobbling services to the accounts. */
function addServices (app: FastifyInstance, settings: Settings, accounts: Accounts, folder: MusicFolder) {
  const { state: { listens }, seal } = accounts
  listens.describe = id => {
    const track = folder.catalogue.tracks.get(id)
    return track && describeListened(track)
  }
  const services = openServices(settings)
  const teller = new ListenSender(listens, services, seal, app.log)
  // This hook is registered after the hook that closes the database, so it runs before that hook.
  app.addHook('onClose', () => teller.close())
  teller.start(settings.DATABASE_URL === '')
  return { ...accounts, services, teller, others: otherLogins(settings) }
}

/**
 * Claims the data folder until the server has closed, and responds to `npm run account`.
 *
 * @returns a function to call with the services of the commands once, with `undefined` if the source has no accounts
 */
async function claimData (
  app: FastifyInstance, { DATA_DIR }: Settings
): Promise<(services: AccountServices | undefined) => void> {
  let provide: (services: AccountServices | undefined) => void
  const provided = new Promise<AccountServices | undefined>(resolve => { provide = resolve })
  const claim = await lockDataDir(DATA_DIR, socket => answerCall(socket, async (args, input) => {
    const services = await provided
    if (services === undefined) throw new StartError('STATELESS is true, so there are no accounts')
    return runCommand(services, args, input)
  }, error => app.log.error({ err: error }, 'command failed')))
  // Fastify calls `onClose` hooks in reverse order, so the claim ends after the databases are closed.
  app.addHook('onClose', async () => {
    await claim.release()
    app.log.info({}, 'data folder released')
  })
  return provide!
}

function logToken (app: FastifyInstance, token: string, file: string | undefined): void {
  if (file !== undefined) {
    app.log.info({ path: file }, 'token created')
  }
  if (token === '') {
    app.log.warn({ hint: 'Set SOURCE_API_TOKEN in the environment or in the file .env' }, 'owner without token')
  }
}
