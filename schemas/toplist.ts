import { Type } from '@sinclair/typebox'
import { named, ref, parameters, Id, Limit, Offset, OptionalText, Text, type Data, type Resource } from './common.ts'
import { PlaylistDetailSchema, type PlaylistDetail } from './playlist.ts'

export const ToplistTrackSummarySchema = named('ToplistTrackSummary', 'A track of a toplist in short', {
  name: Text('Title of the track'),
  artistName: Text('Name of the artist')
})
export interface ToplistTrackSummary extends Data<typeof ToplistTrackSummarySchema>, Resource {}

export const ToplistSchema = named('Toplist', 'A toplist', {
  id: Text('Id of the toplist'),
  name: Text('Name of the toplist'),
  coverUrl: Text('URL of the cover'),
  updateFrequency: Text('How often it changes, for people'),
  tracks: Type.Array(ref<ToplistTrackSummary>(ToplistTrackSummarySchema), { description: 'The first tracks' }),
  targetType: OptionalText('What the toplist ranks')
})
export interface Toplist extends Data<typeof ToplistSchema>, Resource {}

export const ToplistGroupSchema = named('ToplistGroup', 'Toplists that belong together', {
  name: Text('Name of the group'),
  displayType: OptionalText('How to show the group'),
  list: Type.Array(ref<Toplist>(ToplistSchema), { description: 'Toplists of the group' })
})
export interface ToplistGroup extends Data<typeof ToplistGroupSchema>, Resource {}

export default {
  getToplist: {
    summary: 'List the toplists',
    description: 'Returns all toplists in groups, each with its first tracks in short.',
    parameters: parameters({}),
    data: Type.Array(ref<ToplistGroup>(ToplistGroupSchema))
  },
  getToplistTracks: {
    summary: 'Get a toplist with its tracks',
    description: 'Returns a toplist as a playlist with the tracks from offset on.',
    parameters: parameters({ id: Id('toplist'), offset: Offset, limit: Limit(100, 200) }),
    data: ref<PlaylistDetail>(PlaylistDetailSchema)
  }
}
