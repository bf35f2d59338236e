import { Type, type Static } from '@sinclair/typebox'
import { named, ref, parameters, Id, Limit, Offset, OptionalText, Text } from './common.ts'
import type { PlaylistDetail } from './playlist.ts'

export const ToplistTrackSummarySchema = named('ToplistTrackSummary', 'A track of a toplist in short', {
  name: Text('Title of the track'),
  artistName: Text('Name of the artist')
})
export type ToplistTrackSummary = Static<typeof ToplistTrackSummarySchema>

export const ToplistSchema = named('Toplist', 'A chart', {
  id: Text('Id of the toplist'),
  name: Text('Name of the toplist'),
  coverUrl: Text('URL of the cover'),
  updateFrequency: Text('How often it changes, for people'),
  tracks: Type.Array(ref<ToplistTrackSummary>('ToplistTrackSummary'), { description: 'The first tracks' }),
  targetType: OptionalText('What the toplist ranks')
})
export type Toplist = Static<typeof ToplistSchema>

export const ToplistGroupSchema = named('ToplistGroup', 'Toplists that belong together', {
  name: Text('Name of the group'),
  displayType: OptionalText('How to show the group'),
  list: Type.Array(ref<Toplist>('Toplist'), { description: 'Toplists of the group' })
})
export type ToplistGroup = Static<typeof ToplistGroupSchema>

export const toplistOperations = {
  getToplist: {
    summary: 'Toplists',
    parameters: parameters({}),
    data: Type.Array(ref<ToplistGroup>('ToplistGroup'))
  },
  getToplistTracks: {
    summary: 'Tracks of a toplist',
    parameters: parameters({ id: Id('toplist'), offset: Offset, limit: Limit(100, 200) }),
    data: ref<PlaylistDetail>('PlaylistDetail')
  }
}
