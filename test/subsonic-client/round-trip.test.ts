import fastify from 'fastify'
import sourceOrigin from 'fastify-source-origin'
import { checkSource } from 'fastify-source-origin/check'
import { createSubsonicAdapter, createSubsonicClient } from 'fastify-source-origin/subsonic'
import t from 'tap'
import { createReferenceAdapter } from '../reference-source.ts'
import { serve, token } from '../subsonic-server/helper.ts'
import { wholeLibrary } from '../subsonic-server/library.ts'

// The adapter over a server of our own: OpenSubsonic with all of its extensions.

const references = createReferenceAdapter(() => 'http://localhost')

for (const [title, options, write] of [
  ['a source with an account', { adapter: references }, true],
  ['a source that lists itself', { library: wholeLibrary(30) }, false]
] as const) {
  t.test(`${title}, served to Subsonic apps and read back, keeps the contract`, async t => {
    const rest = await serve(t, { ...options, media: 'redirect' })
    const url = await rest.listen({ port: 0, host: '127.0.0.1' })
    const client = createSubsonicClient({ url, username: 'ada', password: token })
    const app = fastify()
    t.teardown(async () => {
      await app.close()
      await client.close()
    })
    const media = (kind: string, { id }: Readonly<Record<string, string | undefined>>) =>
      `http://127.0.0.1/${kind}/${id}`
    await app.register(sourceOrigin, {
      resolveContext: ({ authorization, signal }) => authorization !== token
        ? null
        : {
            adapter: createSubsonicAdapter(client, { media, signal }),
            stateless: false,
            qualityMap: client.qualityMap,
            playlistSortOptions: client.playlistSortOptions
          }
    })
    const { findings } = await checkSource({ app, authorization: token, write })
    // The source has no pictures to show.
    t.strictSame(findings.filter(({ rule }) => !rule.startsWith('cover-')), [])
  })
}
