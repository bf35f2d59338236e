import { createRequire } from 'node:module'
import t from 'tap'
import * as face from 'fastify-source-origin'

const require = createRequire(import.meta.url)

const names = `
  AlbumDetailSchema AlbumPageSchema AlbumSchema ArtistDetailSchema
  ArtistPageSchema ArtistSchema BadRequestError CreatorSchema ErrorResponseSchema MutationStatusSchema
  MutationSuccessSchema NotFoundError PlaylistCategorySchema PlaylistDetailSchema
  PlaylistPageSchema PlaylistSchema PlaylistSortOptionSchema QualityOptionSchema RateLimitedError SearchSuggestSchema ServiceStatusSchema SourceError
  StatusSchema TimeoutError ToplistGroupSchema ToplistSchema ToplistTrackSummarySchema
  TrackLyricsSchema TrackPageSchema TrackQualitySchema TrackSchema TrackUrlSchema UnauthorizedError UnplayableError
  UnsupportedFeatureError UpstreamError UserProfileSchema applyEdit capabilities createSourceRouter default errors extras
  inferCapabilities limitConcurrency openApiDocument operations playThreshold schemas sdkVersion sourceOrigin tokenMatches createYield duplicatePlayWindow`

t.test('the public face is this and nothing else', async t => {
  t.strictSame(Object.keys(face).sort(), names.trim().split(/\s+/).sort())
})

t.test('the default export is the plugin', async t => {
  t.equal(face.default, face.sourceOrigin)
})

t.test('require returns the plugin, with all names on it', async t => {
  const { 'module.exports': required } = await import('../lib/require.ts')
  t.equal(required, face.sourceOrigin)
  for (const name of Object.keys(face) as (keyof typeof face)[]) t.equal(required[name], face[name], name)
})

t.test('the version is the package\'s', async t => {
  t.equal(face.sdkVersion, require('../package.json').version)
})
