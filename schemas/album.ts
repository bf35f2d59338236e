import { Type } from '@sinclair/typebox'
import { named, page, Count, Flag, OptionalText, Text, UnixTime, type Data, type Resource } from './common.ts'
import { extras, type AlbumExtras } from './extras.ts'

export const AlbumSchema = named('Album', 'A release', {
  id: Text('Id of the album'),
  name: Text('Title of the album'),
  coverUrl: Text('URL of the cover'),
  description: OptionalText('About the album'),
  publishTime: UnixTime('Time of publication'),
  genre: OptionalText('Genre'),
  language: OptionalText('Language'),
  trackCount: Type.Optional(Count('Number of tracks')),
  artistName: OptionalText('Name of the album artist'),
  favorite: Type.Optional(Flag('Whether the account has it among its favourites'))
})
export interface Album extends Data<typeof AlbumSchema>, Resource { [extras]?: AlbumExtras | undefined }

export const AlbumPageSchema = page<Album>(AlbumSchema)
export interface AlbumPage extends Data<typeof AlbumPageSchema>, Resource {}
