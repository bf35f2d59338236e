import { Type } from '@sinclair/typebox'
import { named, ref, Flag, Text, type Data, type Resource } from './common.ts'

const option = (name: string, description: string) => named(name, description, {
  key: Text('Identifier, as parameters and answers carry it'),
  label: Text('Name for people')
})

export const QualityOptionSchema = option('QualityOption', 'A quality that the source offers')
export interface QualityOption extends Data<typeof QualityOptionSchema>, Resource {}

export const PlaylistSortOptionSchema = option('PlaylistSortOption', 'An order that playlists can be sorted in')
export interface PlaylistSortOption extends Data<typeof PlaylistSortOptionSchema>, Resource {}

export const StatusSchema = named('Status', 'What the source offers to this caller', {
  type: Type.Literal('wow', { description: 'The name of the protocol' }),
  version: Text('Version of the SDK'),
  stateless: Flag('Whether the source has no account behind it'),
  capabilities: Type.Array(Type.String(), { description: 'Names of what the source can do' }),
  qualityMap: Type.Array(ref<QualityOption>(QualityOptionSchema), {
    description: 'Qualities; empty when not configured'
  }),
  playlistSortOptions: Type.Array(ref<PlaylistSortOption>(PlaylistSortOptionSchema), {
    description: 'Orders of playlists; empty when not configured'
  })
})
export interface Status extends Data<typeof StatusSchema>, Resource {}

export const ServiceStatusSchema = named('ServiceStatus', 'Whether the service is up', {
  status: Type.Literal('online', { description: 'Always online' }),
  version: Text('Version of the SDK')
})
export interface ServiceStatus extends Data<typeof ServiceStatusSchema>, Resource {}
