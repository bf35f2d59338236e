import type { FastifyReply, FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { NotFoundError } from '../contract/errors.ts'
import { addVary } from '../reply/index.ts'
import { sdkVersion } from '../text/sdk-version.ts'
import { escapeMarkup } from '../text/escape-markup.ts'
import type { ValidPageOptions } from './page-options.ts'

const compress = promisify(gzip)

/** Covers, audio and other sources may be on any host; everything else comes from this server. */
const policy = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", 'img-src http: https: data:', 'media-src http: https:',
  'connect-src http: https:', "manifest-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
].join('; ')

interface Served {
  readonly type: string
  readonly body: Buffer
  readonly compressed: Buffer
}

let served: Promise<ReadonlyMap<string, Served>> | undefined

/** Loads the built files on the first request. */
const loadAssets = () => (served ??= (async () => {
  const { assets } = await import('#page-assets')
  const entries = [...assets].map(
    async ([name, { type, body: text }]) => {
      const body = Buffer.from(text, type === 'image/png' ? 'base64' : 'utf8')
      return [name, { type, body, compressed: await compress(body) }] as const
    }
  )
  return new Map(await Promise.all(entries))
})())

/** Replaces the parent app's headers, whose policy may block the page or require https. */
function setHeaders (reply: FastifyReply, caching: string): FastifyReply {
  return reply.headers({
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cache-control': caching
  })
}

/** Sends a built file. Its name changes with its content, so browsers cache it permanently. */
export async function sendAsset (request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> {
  const asset = (await loadAssets()).get(name)
  if (asset === undefined) throw new NotFoundError('File not found')
  addVary(setHeaders(reply, 'public, max-age=31536000, immutable').type(asset.type), 'accept-encoding')
  const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  return zipped ? reply.header('content-encoding', 'gzip').send(asset.compressed) : reply.send(asset.body)
}

const nameOf = async (start: string, end: string) =>
  [...(await loadAssets()).keys()].find(name => name.startsWith(`${start}-`) && name.endsWith(end))!

/** Sends the web app manifest. */
export async function sendManifest (reply: FastifyReply, { title }: ValidPageOptions): Promise<FastifyReply> {
  return setHeaders(reply, 'no-cache').type('application/manifest+json').send(JSON.stringify({
    name: title,
    start_url: '../',
    scope: '../',
    display: 'standalone',
    background_color: '#15120f',
    theme_color: '#15120f',
    icons: [
      { src: await nameOf('icon', '.svg'), sizes: 'any', type: 'image/svg+xml' },
      { src: await nameOf('icon', '.png'), sizes: '192x192', type: 'image/png' }
    ]
  }))
}

/** Sends the service worker. It changes whenever the document or a file changes. */
export async function sendWorker (reply: FastifyReply, options: ValidPageOptions): Promise<FastifyReply> {
  const version = createHash('sha256').update(await documentOf(options)).digest('base64url').slice(0, 16)
  const assets = await loadAssets()
  const own = await nameOf('worker', '.js')
  const files = [...assets.keys()].filter(name => name !== own)
  const { type, body } = assets.get(own)!
  return setHeaders(reply, 'no-cache').type(type).header('service-worker-allowed', '../').send(
    `const version=${JSON.stringify(version)},files=${JSON.stringify(files)};\n${body}`
  )
}

/** Sends the document. */
export const sendHtml = async (reply: FastifyReply, options: ValidPageOptions): Promise<FastifyReply> =>
  setHeaders(reply, 'no-cache').type('text/html; charset=utf-8').send(await documentOf(options))

/** Returns the providers that the sign-in view offers. */
const providersOf = ({ oidc, header, label = 'OpenID Connect' }: ValidPageOptions['signIn']) => ({
  ...oidc && { provider: label },
  ...header && { header: true, signOutUrl: header.signOutUrl }
})

/** Sends one sentence as a document, for a navigation that has failed. */
export const sendMessage = (reply: FastifyReply, sentence: string, back: string): FastifyReply =>
  setHeaders(reply, 'no-store').type('text/html; charset=utf-8').send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign-in</title>
<p>${escapeMarkup(sentence)}</p>
<p><a href="${back}">Back</a></p>
</html>
`)

/** Returns the document. The configuration is in a meta element, since the policy forbids inline scripts. */
async function documentOf (
  { title, path, inspector, docs, downloadUrl, progress, appPasswords, services, sources, signIn }: ValidPageOptions
): Promise<string> {
  const file = async (start: string, end: string) => `page/${await nameOf(start, end)}`
  const source = '../'.repeat(path.split('/').length - 2) || './'
  const configuration = JSON.stringify({
    title,
    source,
    inspector,
    docs,
    downloads: downloadUrl !== undefined,
    progress: progress !== undefined,
    appPasswords: appPasswords !== false,
    services: services !== undefined,
    sources: sources !== undefined,
    signsIn: appPasswords !== false && appPasswords.signIn !== undefined,
    ...providersOf(signIn),
    joiner: await file('joiner', '.js'),
    version: sdkVersion
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeMarkup(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="source-page" content="${escapeMarkup(configuration)}">
<link rel="icon" href="${await file('icon', '.svg')}">
<link rel="apple-touch-icon" href="${await file('icon', '.png')}">
<link rel="manifest" href="page/manifest.webmanifest">
<link rel="stylesheet" href="${await file('main', '.css')}">
<script type="module" src="${await file('main', '.js')}"></script>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. 此页面需要 JavaScript。</noscript>
</body>
</html>
`
}
