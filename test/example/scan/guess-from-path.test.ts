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
  'Artist/Album/03 - Guest - Title.mp3': { artist: 'Artist', album: 'Album', trackNumber: 3, title: 'Title' },
  'Artist/Album/1979.mp3': { artist: 'Artist', album: 'Album', title: '1979' },
  '.38 Special/...And More/- - -.mp3': { artist: '.38 Special', album: '...And More', title: '-' }
}
for (const [path, guess] of Object.entries(guesses)) {
  t.test(`${path} tells ${Object.keys(guess)}`, async t => {
    t.same(JSON.parse(JSON.stringify(guessFromPath(path))), guess)
  })
}
