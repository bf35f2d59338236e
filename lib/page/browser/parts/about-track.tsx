import type { TrackExtras } from '../../../../schemas/extras.ts'
import type { Track } from '../../../client/index.ts'
import { composerOf, loadTrackExtras } from '../state/load-extras.ts'
import { askOwn, canSeeFiles } from '../state/session.ts'
import { useLoad } from '../state/use-load.ts'
import { bytes, clock, text } from '../texts/index.ts'
import { openDialog } from './dialog.tsx'
import { Waiting } from './small.tsx'
import { Stars } from './stars.tsx'

/** Shows all details of a track. */
export const openAbout = (track: Track): void => openDialog(track.title, () => <About track={track} />)

/** The additional metadata of a track, and its path. */
type Known = TrackExtras & { readonly path?: string | undefined }

type Fact = readonly [name: string, value: string | number | false | undefined]

/** Returns the qualities of a track as text. */
const qualitiesOf = ({ qualities = [] }: Track) => qualities.map(({ label, format, bitrate, size }) => [
  label, format?.toUpperCase(), typeof bitrate === 'number' && bitrate > 0 && `${Math.round(bitrate / 1000)} kbit/s`,
  typeof size === 'number' && size > 0 && bytes(size)
].filter(Boolean).join(' · ')).join('\n')

const decibels = (gain: number | undefined) => gain === undefined ? '' : `${gain > 0 ? '+' : ''}${gain.toFixed(2)} dB`

function factsOf (track: Track, { path, ...extras }: Known): readonly Fact[] {
  const { discNumber, track: number, year, genres = [], samplingRate, bitDepth, channelCount, replayGain } = extras
  const others = (extras.contributors ?? []).filter(({ role }) => role !== 'composer')
  const sampled = [
    samplingRate && `${samplingRate / 1000} kHz`, bitDepth && `${bitDepth} bit`, channelCount && `${channelCount} ch`
  ]
  return [
    [text('artist'), track.artists.map(({ name }) => name).join(', ')],
    [text('album'), track.album.name],
    [text('number'), number && [discNumber, number].filter(Boolean).join('-')],
    [text('year'), year],
    [text('genre'), genres.join(', ')],
    [text('composers'), composerOf(extras)],
    [text('credits'), others.map(({ role, artist }) => `${artist.name} (${role})`).join('\n')],
    [text('length'), clock(track.durationMs / 1000)],
    [text('quality'), [qualitiesOf(track), sampled.filter(Boolean).join(' · ')].filter(Boolean).join('\n')],
    ['ReplayGain', [
      [text('gainTrack'), decibels(replayGain?.trackGain)], [text('gainAlbum'), decibels(replayGain?.albumGain)]
    ].filter(([, gain]) => gain !== '').map(fact => fact.join(': ')).join('\n')],
    ['BPM', extras.bpm],
    [text('comment'), extras.comment],
    ['ISRC', extras.isrc?.join(', ')],
    ['MusicBrainz', extras.musicBrainzId],
    ['ID', track.id],
    [text('path'), path]
  ]
}

function About ({ track }: { track: Track }) {
  const { id } = track
  const { data, error } = useLoad<Known>(`about ${id}`, async signal => {
    const [extras, { path }] = await Promise.all([
      loadTrackExtras([id], signal),
      canSeeFiles() ? askOwn('GET files', { track: id }, signal) : { path: undefined }
    ])
    return { ...extras.get(id), path }
  })
  if (data === undefined && error === '') return <Waiting />
  return (
    <>
      <Stars track={track} />
      <dl class='keys about'>
        {factsOf(track, data ?? {}).filter(([, value]) => value).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir='auto'>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
