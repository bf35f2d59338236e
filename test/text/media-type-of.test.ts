import t from 'tap'
import { audioTypeOf, mediaTypeOf } from '../../lib/text/media-type-of.ts'

t.test('extensions of audio have the types that players know', t => {
  const types = {
    'audio/mpeg': ['mp3', 'mp2'],
    'audio/flac': ['flac'],
    'audio/mp4': ['m4a', 'm4b', 'alac', 'mp4'],
    'audio/aac': ['aac'],
    'audio/ac3': ['ac3'],
    'audio/eac3': ['eac3'],
    'audio/wav': ['wav', 'adpcm'],
    'audio/ogg': ['ogg', 'oga', 'opus', 'speex'],
    'audio/x-matroska': ['mka'],
    'audio/webm': ['webm'],
    'audio/x-ms-wma': ['wma'],
    'audio/aiff': ['aif', 'aiff'],
    'audio/x-ape': ['ape'],
    'audio/x-dsf': ['dsf'],
    'audio/x-wavpack': ['wv']
  }
  for (const [type, extensions] of Object.entries(types)) {
    for (const extension of extensions) t.equal(audioTypeOf(extension), type, extension)
  }
  t.end()
})

t.test('an extension may have a dot and capitals, and is of a video or a picture too', t => {
  t.equal(mediaTypeOf('.MP4'), 'video/mp4')
  t.equal(mediaTypeOf('.jpg'), 'image/jpeg')
  for (const name of ['jpeg', 'png', 'gif', 'webp', 'avif']) t.equal(mediaTypeOf(name), `image/${name}`)
  t.equal(mediaTypeOf('txt'), undefined)
  t.equal(audioTypeOf('txt'), undefined)
  t.end()
})
