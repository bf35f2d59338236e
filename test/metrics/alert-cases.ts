/** Series that Prometheus has read each minute, in promtool's notation, and the alert that they fire. */
export type Series = Record<string, string>

const context = (outcome: string) => `source_origin_context_seconds_count{job="music",outcome="${outcome}"}`
const operations = (outcome: string) =>
  `source_origin_operation_seconds_count{job="music",operation="getNewTracks",outcome="${outcome}"}`
const took = (le: string) => `source_origin_operation_seconds_bucket{job="music",operation="getNewTracks",le="${le}"}`
const answers = (status: number) => `source_origin_http_responses_total{job="music",status="${status}"}`
const check = (name: string) => `source_origin_check{job="music",instance="a",check="${name}"}`
const transcoded = (outcome: string) =>
  `source_origin_transcode_seconds_count{job="music",instance="a",format="mp3",outcome="${outcome}"}`
const refused = (reason: string) => `source_origin_refused_total{job="music",instance="a",reason="${reason}"}`

/** A night in which a few people listen, one client has an old token, and each scan finds nothing new. */
export const quietNight: Series = {
  'up{job="music"}': '1x480',
  [answers(200)]: '0+30x480',
  [answers(206)]: '0+6x480',
  [answers(401)]: '0+6x480',
  [answers(501)]: '0+6x480',
  // One minute in which the database was started anew.
  [answers(503)]: '0x200 20x280',
  [context('ok')]: '0+30x480',
  [context('refused')]: '0+6x480',
  [operations('ok')]: '0+30x480',
  [operations('failed')]: '0x200 2x280',
  [took('1')]: '0+30x480',
  [took('2.5')]: '0+30x480',
  [took('+Inf')]: '0+30x480',
  [check('database')]: '1x200 0 1x280',
  [check('scan')]: '0x200 1x280',
  [check('music')]: '1x200 0 1x280',
  [refused('wrongToken')]: '0+6x480',
  [refused('eventLoopDelay')]: '0x200 1x280',
  // An app stores an album, and a few files are damaged.
  [transcoded('ok')]: '0+6x480',
  [transcoded('failed')]: '0+1x480',
  source_origin_transcode_waiting: '0x100 30x380',
  source_origin_scan_last_failed: '0x480',
  // Long scans with pauses, and the time of the last one: with SCAN_INTERVAL=0 it is the start.
  source_origin_scan_running: `${'1x200 0 '.repeat(2)}`.trim(),
  source_origin_scan_last_success_timestamp_seconds: '0x480',
  'source_origin_upstream_breaker_open{job="music",upstream="a"}': '0x200 1 0x280',
  'source_origin_upstream_seconds_count{job="music",upstream="a",outcome="limited"}': '0+1x480'
}

/** By the alert: what makes it fire within twenty minutes; no other does. */
export const outages: Record<string, Series> = {
  SourceDown: { 'up{job="music"}': '1 0x20' },
  SourceNotReady: { [check('database')]: '1 0x20' },
  OtherSourceUnavailable: { [check('subsonic')]: '1 0x20' },
  RedisAway: { [check('redis')]: '1 0x20' },
  MusicMissing: { [check('music')]: '1 0x20' },
  AnswersFail: { [answers(200)]: '0+100x20', [answers(503)]: '0+10x20' },
  OperationsFail: { [operations('ok')]: '0+100x20', [operations('timeout')]: '0+10x20' },
  SourceOverloaded: { [refused('running')]: '0+60x20' },
  SourceSlow: { [took('1')]: '0+10x20', [took('2.5')]: '0+10x20', [took('5')]: '0+20x20', [took('+Inf')]: '0+20x20' },
  UpstreamDown: { 'source_origin_upstream_breaker_open{upstream="a"}': '1x20' },
  UpstreamLimits: { 'source_origin_upstream_seconds_count{upstream="a",outcome="limited"}': '0+30x20' },
  ManyWrongTokens: { [context('refused')]: '0+20x20', [context('limited')]: '0+100x20' },
  ScanFails: { source_origin_scan_last_failed: '1x40' },
  ScanHangs: { source_origin_scan_running: '1x1500' },
  TranscodingsFail: { [transcoded('ok')]: '0+1x20', [transcoded('failed')]: '0+10x20' },
  TranscodingsWait: { source_origin_transcode_waiting: '40x20' }
}
