import { createSourceClient, type Track } from 'fastify-source-origin/client'
import { Suspense, use } from 'react'

export const search = (baseUrl: string, authorization: string): Promise<readonly Track[]> =>
  createSourceClient({ baseUrl, authorization }).searchTracks('prelude', 0, 20).then(({ items }) => items)

function List ({ tracks }: { tracks: Promise<readonly Track[]> }) {
  return <ul>{use(tracks).map(({ id, title }) => <li key={id}>{title}</li>)}</ul>
}

export const Tracks = ({ tracks }: { tracks: Promise<readonly Track[]> }) =>
  <Suspense fallback='Loading'><List tracks={tracks} /></Suspense>
