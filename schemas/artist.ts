import { Type } from '@sinclair/typebox'
import { named, page, Flag, OptionalText, Text, type Data, type Resource } from './common.ts'
import { extras, type ArtistExtras } from './extras.ts'

export const ArtistSchema = named('Artist', 'A person or group', {
  id: Text('Id of the artist'),
  name: Text('Name of the artist'),
  coverUrl: OptionalText('URL of a picture'),
  favorite: Type.Optional(Flag('Whether the account has it among its favourites'))
})
export interface Artist extends Data<typeof ArtistSchema>, Resource { [extras]?: ArtistExtras | undefined }

export const ArtistPageSchema = page<Artist>(ArtistSchema)
export interface ArtistPage extends Data<typeof ArtistPageSchema>, Resource {}
