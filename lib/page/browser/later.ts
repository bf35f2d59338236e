// Rarely used parts, loaded on demand in one file: separate files would compress worse.

import './parts/queue-note.tsx'
import './state/account-queue.ts'
import './state/availability.ts'
import './texts/add-later-texts.ts'

export { openAbout } from './parts/about-track.tsx'
export { openKeys } from './parts/key-help.tsx'
export { openOther } from './parts/other-account.tsx'
export { LyricLines } from './parts/lyric-lines.tsx'
export { sharePlaylist } from './parts/share-playlist.tsx'
export { openStars } from './parts/stars.tsx'
export { openSound } from './parts/sound-settings.tsx'
export { addOneByOne, removeCopies } from './state/add-one-by-one.ts'
export { parseLyrics } from './state/parse-lyrics.ts'
export { renewAccount } from './state/ask-provider.ts'
export { offerApps } from './views/offer-apps.ts'
export { Providers } from './views/providers.tsx'
export { AlbumView, ArtistView, PlaylistView, ToplistView } from './views/details.tsx'
export {
  ArtistsView, DailyView, HistoryView, LibraryView, NewView, PlaylistsView, ToplistsView
} from './views/lists.tsx'
export { editPlaylist } from './views/edit-playlist.tsx'
export { EmptyHome } from './views/empty-home.tsx'
export { Household } from './views/household.tsx'
export { Sources } from './views/sources.tsx'
