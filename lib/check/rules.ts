export type Level = 'broken' | 'warning'

/** A rule of the check. Its id is stable: it stands in `--json`, in the tests and in the documentation. */
export interface Rule {
  /** `broken`: clients will trip over it. `warning`: some will, or the check cannot be sure. */
  readonly level: Level
  /** What to do, for the author of the source. */
  readonly hint: string
}

const broken = (hint: string): Rule => ({ level: 'broken', hint })
const warning = (hint: string): Rule => ({ level: 'warning', hint })

/** Every rule by its id (protocol.md; the last two groups are what a user of a client would expect besides). */
export const rules = Object.freeze({
  // The connection
  'no-answer': broken('The connection broke before the answer was complete: look for a crash in the log of the source.'),
  timeout: broken('Answer sooner, or give the check a longer --timeout.'),
  'answer-too-long': broken('Answer less at once: clients hold a whole answer in memory.'),
  'gave-up': broken('Several requests had no answer, so the check stopped. Mend that first, then check again.'),
  'rate-limited': warning('The source limits the check, so that it saw only a part. Allow more, or use a lower --concurrency.'),

  // Envelope
  'service-status': broken('GET /status answers {"status":"online","version":"..."} without a token. Is this the address of a source origin?'),
  'content-type': broken('Answer with the content type application/json; charset=utf-8.'),
  'content-type-charset': warning('Add charset=utf-8 to the content type.'),
  'not-json': broken('Every answer is JSON, errors too. Is there a proxy in front that answers with pages of its own?'),
  'http-status': broken('A success has the HTTP status 200.'),
  envelope: broken('A success is {"code":200,"data":...}.'),
  'envelope-member': broken('Leave it out: the envelope has exactly code and data, and strict clients refuse more.'),
  'error-as-success': broken('Answer errors with their HTTP status, not with 200.'),
  'error-envelope': broken('An error is {"code":<number>,"message":<string>,"data":null}, nothing more.'),
  'error-code': warning('The code in the body is that of the HTTP status, unless the source gives the error a number of its own.'),
  'answer-error': broken('A client asked for what the source offers, with good parameters. Look into the log of the source.'),

  // Schemas
  'data-null': broken('Null is never data. For what does not exist answer 404, for an empty list [].'),
  'member-missing': broken('Add the member.'),
  'member-unknown': broken('Leave the member out: no schema allows others.'),
  'type-wrong': broken('Convert the value.'),
  'value-invalid': broken('The type is right, the value is not among those that the schema allows.'),
  'id-not-string': broken('All ids are strings: convert numeric ids.'),
  'id-empty': warning('Clients ask for the item with its id, so an empty one leads nowhere.'),

  // What is declared
  'capability-unknown': warning('No client knows this capability. Is it misspelt?'),
  'capability-old': broken('The capability was renamed: declare roamTracks.'),
  'capability-aggregated': broken('There is no aggregated search: declare searchSuggest, searchTracks, searchArtists, searchAlbums, searchPlaylists.'),
  'capability-repeated': broken('Declare each capability once.'),
  'capability-order': warning('Declare the capabilities in the order of the table.'),
  'capability-stateful': broken('It needs an account: declare it only with stateless: false.'),
  'declared-not-served': broken('Clients show what is declared. Implement the operation, or do not declare its capability.'),
  'served-not-declared': warning('Clients do not ask for what is not declared. Declare the capability.'),
  'stateful-served': broken('A stateless source answers operations that need an account with 501.'),

  // Order of checks
  'authorisation-missing': broken('Answer 401 to a request without a token.'),
  'authorisation-wrong': broken('Answer 401 to a wrong token.'),
  'authorisation-order': broken('Look at the token before anything else: who is not authorised must not learn what is wrong with the rest.'),
  'unknown-path': broken('An unknown path under /v1 answers 404.'),
  'unknown-path-open': broken('An unknown path under /v1 answers 401 without a token.'),
  'redirect-status': broken('The old path answers 308, with and without a token.'),
  'redirect-location': broken('The Location is the new path with the same query.'),

  // Parameters
  'parameter-missing': broken('Answer 400 when a required parameter is missing.'),
  'parameter-blank': broken('Answer 400 when a required parameter is blank.'),
  'parameter-not-trimmed': warning('Take the white space around a parameter off.'),
  'parameter-repeated': broken('Answer 400 when a parameter comes twice.'),
  'parameter-not-integer': broken('Answer 400 when a number is no integer.'),
  'parameter-too-small': broken('Answer 400 when a number is below its minimum.'),
  'parameter-too-large': broken('Answer 400 when a number is above its maximum.'),
  'parameter-not-one-of': broken('Answer 400 when the value is not one of those allowed.'),
  'parameter-unknown': broken('Ignore unknown query parameters: newer clients may send more.'),
  'quality-unknown': broken('Answer 400 when the quality is not in the qualityMap.'),
  'quality-refused': broken('Every quality of the qualityMap can be asked for; where a track lacks it, give the next best.'),
  'sort-unknown': broken('Answer 400 when the sort is not in the playlistSortOptions.'),
  'sort-refused': broken('Every one of the playlistSortOptions can be asked for.'),
  'unknown-id': warning('Answer 404 for an id that does not exist, so that clients can say so.'),

  // Paging
  'page-echo': broken('offset and limit of a page are those that were asked for.'),
  'page-too-long': broken('A page has no more items than limit.'),
  'page-offset': broken('Skip offset items: the second page is the first one again.'),
  'page-repeats': warning('An item stands on two pages: keep one order for all pages.'),
  'page-has-more': broken('hasMore is true only if another page follows: clients would load for ever.'),
  'page-ends-early': broken('hasMore is false though another page follows: clients would never show it.'),
  'track-limit': broken('Give at most trackLimit tracks.'),

  // Whether the data is of use
  'nothing-found': warning('The operation could not be tried: no earlier answer led to an item for it. Does --keyword help?'),
  'search-misses': warning('A search for the very name of an item found nothing.'),
  'id-unresolved': broken('The id comes from an answer of this source, so it must lead to its item.'),
  'detail-other-id': broken('Answer the item with the id that was asked for.'),
  'quality-outside-map': warning('Use one set of identifiers: those of the qualityMap. Clients cannot ask for others.'),
  'qualities-copied': broken('List what each track really has, with its real size, not the whole qualityMap on every track.'),
  'audio-url': broken('Give an absolute http or https URL: players open it without any header.'),
  'audio-status': broken('Players ask for a range: answer 206 or 200, without a token.'),
  'audio-type': broken('Answer with an audio content type, or players refuse it.'),
  'cover-url': warning('Give an absolute http or https URL, or "" for none.'),
  'cover-status': warning('The picture does not load without a token.'),
  'cover-type': warning('Answer with an image content type.'),
  'duration-in-seconds': warning('durationMs is in milliseconds; these look like seconds.'),
  'time-in-seconds': warning('Times are Unix times in milliseconds; this looks like seconds.'),
  'bitrate-in-kbit': warning('Bitrates are in bit/s; this looks like kbit/s.'),

  // Writing (--write)
  'body-coerced': broken('Answer 400 when a member of the body has the wrong type: bodies are never coerced.'),
  'body-unknown-member': broken('Answer 400 when the body has an unknown member.'),
  'write-refused': warning('The source answers success: false, so that nothing more could be tried.'),
  'write-status': broken('status is the state after the call.'),
  'write-no-effect': broken('The source says success, but a later answer does not show the change.'),
  'write-not-undone': broken('The check could not undo its own change, or cannot know: look at the account.')
} satisfies Record<string, Rule>)

export type RuleId = keyof typeof rules
