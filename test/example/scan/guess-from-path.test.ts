import t from 'tap'
import { guessFromPath, type Guess } from '../../../example/scan/guess-from-path.ts'

const guesses: Record<string, Guess> = {
  'Title.mp3': { title: 'Title' },
  'Artist - Title.mp3': { artist: 'Artist', title: 'Title' },
  'Artist - Title - Live.mp3': { artist: 'Artist', title: 'Title - Live' },
  'Album/03 - Title.mp3': { album: 'Album', trackNumber: 3, title: 'Title' },
  'Album/03. Title.mp3': { album: 'Album', trackNumber: 3, title: 'Title' },
  'Artist/Album/03_Some_Title.mp3': { artist: 'Artist', album: 'Album', trackNumber: 3, title: 'Some Title' },
  'Artist/Album/2-03 Title.mp3': { artist: 'Artist', album: 'Album', discNumber: 2, trackNumber: 3, title: 'Title' },
  'Artist/Album/CD 2/03 Title.mp3': { artist: 'Artist', album: 'Album', discNumber: 2, trackNumber: 3, title: 'Title' },
  'Artist/Album/disc1/Title.mp3': { artist: 'Artist', album: 'Album', discNumber: 1, title: 'Title' },
  'Artist/Album/Disc 1 - First/03 Title.mp3':
    { artist: 'Artist', album: 'Album', discNumber: 1, trackNumber: 3, title: 'Title' },
  'Artist/Album/CD 01 (Live)/Title.mp3': { artist: 'Artist', album: 'Album', discNumber: 1, title: 'Title' },
  'Artist/Album/Disk Two/Title.mp3': { artist: 'Artist', album: 'Album', discNumber: 2, title: 'Title' },
  'Artist/Album/[Disc 2]/Title.mp3': { artist: 'Artist', album: 'Album', discNumber: 2, title: 'Title' },
  'Artist/Album/DVD1/Title.mp3': { artist: 'Artist', album: 'Album', discNumber: 1, title: 'Title' },
  'Artist/Album/Digital Media 01/Title.mp3': { artist: 'Artist', album: 'Album', discNumber: 1, title: 'Title' },
  'Artist/Album CD2/Title.mp3': { artist: 'Artist', album: 'Album', discNumber: 2, title: 'Title' },
  'Artist/Vol. 2/Title.mp3': { artist: 'Artist', album: 'Vol. 2', discNumber: 2, title: 'Title' },
  'The Beatles/1/Title.mp3': { artist: 'The Beatles', album: '1', discNumber: 1, title: 'Title' },
  'Artist/My Disc 1 of All/Title.mp3': { artist: 'Artist', album: 'My Disc 1 of All', title: 'Title' },
  'Artist/Album (CD 2)/Title.mp3': { artist: 'Artist', album: 'Album', discNumber: 2, title: 'Title' },
  'Artist/Album/CD 0/Title.mp3': { artist: 'Artist', album: 'Album', title: 'Title' },
  'Artist/Disc 1st/Title.mp3': { artist: 'Artist', album: 'Disc 1st', title: 'Title' },
  'Artist/99/Title.mp3': { artist: 'Artist', album: '99', title: 'Title' },
  'Artist/Discovery/Title.mp3': { artist: 'Artist', album: 'Discovery', title: 'Title' },
  'Artist/Disco 2000/Title.mp3': { artist: 'Artist', album: 'Disco 2000', title: 'Title' },
  'Artist/Album/B2 - Title.mp3': { artist: 'Artist', album: 'Album', discNumber: 2, trackNumber: 2, title: 'Title' },
  'Artist/Album/B2 Bomber.mp3': { artist: 'Artist', album: 'Album', title: 'B2 Bomber' },
  'Artist/Album/03 - Guest - Title.mp3': { artist: 'Artist', album: 'Album', trackNumber: 3, title: 'Title' },
  'Artist/Album/Track 12.mp3': { artist: 'Artist', album: 'Album', trackNumber: 12, title: 'Track 12' },
  'Artist/Album/Track 12 Remix.mp3': { artist: 'Artist', album: 'Album', title: 'Track 12 Remix' },
  'Artist/Album/1979.mp3': { artist: 'Artist', album: 'Album', title: '1979' },
  '.38 Special/...And More/- - -.mp3': { artist: '.38 Special', album: '...And More', title: '-' }
}
for (const [path, guess] of Object.entries(guesses)) {
  t.test(`${path} tells ${Object.keys(guess)}`, async t => {
    t.same(JSON.parse(JSON.stringify(guessFromPath(path))), guess)
  })
}
