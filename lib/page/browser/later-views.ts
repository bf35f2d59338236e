// Views that the first view does not need. They load the rarely used parts on demand, so they are a file of their own.

import './texts/add-later-texts.ts'

export { AlbumView, ArtistView, PlaylistView, ToplistView } from './views/details.tsx'
export {
  ArtistsView, DailyView, HistoryView, LibraryView, NewView, PlaylistsView, ToplistsView
} from './views/lists.tsx'
