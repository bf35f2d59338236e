import createClient from 'openapi-fetch'
import type { paths } from './source.d.ts'

/** Returns the titles of a search, and the message of an unknown track. */
export async function ask (baseUrl: string, token: string): Promise<{ titles: string[], message: string | undefined }> {
  const { GET } = createClient<paths>({ baseUrl, headers: { authorization: token } })
  const found = await GET('/v1/search/tracks', { params: { query: { keyword: 'prelude' } } })
  const missing = await GET('/v1/track', { params: { query: { id: 'nothing' } } })
  const message: string | undefined = missing.error?.message
  return { titles: found.data?.data.items.map(({ title }) => title) ?? [], message }
}
