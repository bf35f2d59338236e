import { render } from 'preact'
import { App } from './app.tsx'
import { startKeepingQueue } from './state/keep-queue.ts'
import { forgetLibrary } from './state/library.ts'
import { startMediaSession } from './state/media-session.ts'
import { forgetLoaded } from './state/places.ts'
import { connect, source, takeTokenFromFragment } from './state/sources.ts'

takeTokenFromFragment()
addEventListener('hashchange', () => {
  if (!location.hash.startsWith('#token=')) return
  takeTokenFromFragment()
  connect()
})
source.subscribe(() => {
  forgetLibrary()
  forgetLoaded()
})
startKeepingQueue()
startMediaSession()
render(<App />, document.getElementById('app')!)
connect()
