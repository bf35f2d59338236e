export type Level = 'broken' | 'warning'

/** A rule of the check. Its id is stable: it is in the JSON report, in the tests and in docs/reference/check.md. */
export interface Rule {
  /** `broken`: clients fail because of it. `warning`: some clients fail, or the check cannot be sure. */
  readonly level: Level
  /** The remedy for the author of the source. */
  readonly hint: string
}

const broken = (hint: string): Rule => ({ level: 'broken', hint })
const warning = (hint: string): Rule => ({ level: 'warning', hint })

/**
 * All rules by id. Most come from docs/reference/contract.md; rules about content and media reflect the expectations of
 * client users.
 */
export const rules = Object.freeze({
  // Connection
  'no-answer': broken(
    'The connection broke before the answer was complete. Look for a crash in the log of the source.'
  ),
  timeout: broken('Answer faster, or give the check a longer --timeout.'),
  'answer-too-long': broken('Send less in one answer: clients hold a whole answer in memory.'),
  'gave-up': broken('Several requests had no answer, so the check stopped. Fix that first, then check again.'),
  'rate-limited': warning(
    'The source limits the check, so that only a part was checked. Raise the limit, or use a lower --concurrency.'
  ),

  // Envelope
  'service-status': broken(
    'GET /status must answer {"status":"online","version":"..."} without a token. Is this the URL of a source origin?'
  ),
  'content-type': broken('Answer with the content type application/json; charset=utf-8.'),
  'content-type-charset': warning('Add charset=utf-8 to the content type.'),
  'not-json': broken('Every answer must be JSON, errors too. Does a proxy in front send pages of its own?'),
  'http-status': broken('A success has the HTTP status 200.'),
  envelope: broken('A success is {"code":200,"data":...}.'),
  'envelope-member': broken(
    'Remove the member: the envelope has exactly code and data, and strict clients refuse others.'
  ),
  'error-as-success': broken('Send errors with their HTTP status, not with 200.'),
  'error-envelope': broken('An error is {"code":<number>,"message":<string>,"data":null}, with no other member.'),
  'error-code': warning(
    'The code in the body equals the HTTP status, unless the source gives this error a code of its own.'
  ),
  'answer-error': broken(
    'The source offers the operation and the parameters were valid. Look into the log of the source.'
  ),

  // Schemas
  'data-null': broken('Data is never null. Answer 404 for an item that does not exist, and [] for an empty list.'),
  'member-missing': broken('Add the member.'),
  'member-unknown': broken('Remove the member: no schema allows others.'),
  'type-wrong': broken('Convert the value to the type of the schema.'),
  'value-invalid': broken('The type is right, but the schema does not allow the value.'),
  'id-not-string': broken('All ids are strings: convert numeric ids.'),
  'id-white-space': broken(
    'Trim the id, or encode it: white space around a parameter is removed, so no client can ask for this item.'
  ),
  'id-empty': warning('Clients request the item by its id, so an empty id leads nowhere.'),

  // Capabilities
  'status-list-missing': warning('Clients take the list as empty, as older origins mean it. Send [].'),
  'capability-unknown': warning('No client knows this capability. Is it misspelt?'),
  'capability-old': broken('The capability was renamed: declare roamTracks.'),
  'capability-aggregated': broken(
    'There is no aggregated search: declare searchSuggest, searchTracks, searchArtists, searchAlbums, ' +
    'searchPlaylists.'
  ),
  'capability-repeated': broken('Declare each capability once.'),
  'capability-order': warning('Declare the capabilities in the order of the contract.'),
  'capability-stateful': broken('The capability needs an account: declare it only together with stateless: false.'),
  'declared-not-served': broken(
    'Clients show declared operations. Implement the operation, or do not declare its capability.'
  ),
  'served-not-declared': warning('Clients do not call operations that are not declared. Declare the capability.'),
  'stateful-served': broken('A stateless source answers 501 to operations that need an account.'),

  'adapter-mistake': warning(
    'The source has logged it in development. A member that is misspelt, or is not a function, is never called.'
  ),

  // Authorization and paths
  'authorisation-missing': broken('Answer 401 to a request without a token.'),
  'authorisation-wrong': broken('Answer 401 to a wrong token.'),
  'authorisation-order': broken(
    'Check the token before anything else: an unauthorized caller must not learn what else is wrong.'
  ),
  'unknown-path': broken('Answer 404 to an unknown path under /v1.'),
  'unknown-path-open': broken('Answer 401 to an unknown path under /v1 without a token.'),
  'redirect-status': broken('Answer 308 to the old path, with and without a token.'),
  'redirect-token': warning('Answer 308 to the old path without a token too.'),
  'redirect-location': broken('The Location must be the new path with the same query.'),

  // Parameters
  'parameter-missing': broken('Answer 400 when a required parameter is missing.'),
  'parameter-blank': broken('Answer 400 when a required parameter is blank.'),
  'parameter-not-trimmed': warning('Trim the white space around a parameter.'),
  'parameter-repeated': broken('Answer 400 when a parameter is repeated.'),
  'parameter-not-integer': broken('Answer 400 when a number is not an integer.'),
  'parameter-too-small': broken('Answer 400 when a number is below its minimum.'),
  'parameter-too-large': broken('Answer 400 when a number is above its maximum.'),
  'parameter-not-one-of': broken('Answer 400 when the value is not one of the allowed values.'),
  'parameter-unknown': broken('Ignore unknown query parameters: newer clients may send them.'),
  'quality-unknown': broken('Answer 400 when the quality is not in the qualityMap.'),
  'quality-refused': broken(
    'Accept every quality of the qualityMap; where a track does not have it, answer with the next best.'
  ),
  'sort-unknown': broken('Answer 400 when the sort is not in the playlistSortOptions.'),
  'sort-refused': broken('Accept every key of the playlistSortOptions.'),
  'unknown-id': warning('Answer 404 for an id that does not exist, so that clients can say so.'),

  // Paging
  'page-echo': broken('Send the offset and limit of the request in the page.'),
  'page-too-long': broken('A page has at most limit items.'),
  'page-offset': broken('Skip exactly offset items, whatever the offset.'),
  'page-repeats': warning('An item is on two pages: keep one order for all pages.'),
  'page-unstable': warning(
    'The same page has other items when it is requested again: keep one order, at least for some minutes.'
  ),
  'page-has-more': broken('hasMore must be true only when another page follows, or clients load without end.'),
  'page-ends-early': broken('hasMore is false although another page follows, so clients never show that page.'),
  'page-behind-end': warning('A page behind the end is a success without items.'),
  'track-limit': broken('Send at most trackLimit tracks.'),
  'track-limit-default': warning(
    'A trackLimit of -1 lets the source decide, and tracks.slice(0, -1) drops the last track: test for -1 first.'
  ),
  'tracks-unstable': warning(
    'The tracks stand in another order when they are asked for again: keep one order, or players repeat some.'
  ),
  'track-count': warning('Set trackCount to the number of all tracks of the item: clients show it.'),

  // Content
  'nothing-found': warning(
    'The operation could not be checked: no earlier answer has an item for it. Does --keyword help?'
  ),
  'search-misses': warning('A search for the name of an existing item found nothing.'),
  'search-case': warning('Ignore the case of a keyword: listeners type names in lower case.'),
  'keyword-ignored': broken('Use the keyword: listeners find the same, whatever they search for.'),
  'category-ignored': warning('Use the category: listeners see the same playlists in each one.'),
  'sort-ignored': warning('Use sort and order: listeners choose another order, and nothing changes.'),
  'id-unresolved': broken('The id comes from an answer of this source, so it must lead to its item.'),
  'detail-other-id': broken('Send the item with the requested id.'),
  'detail-differs': warning('Return the same values of an item in all responses: clients show the last ones.'),
  'track-foreign': warning(
    'A track of an artist names the artist among its artists, or as the artist of its album; a track of an album, ' +
    'the album; an album of an artist is by the artist, or has a track by the artist. Listeners get music of others ' +
    'here.'
  ),
  'list-repeats': warning('Name each item once, and a track not among those that are like it: players repeat it.'),
  'favorite-state': warning(
    'Set favorite of items, true exactly for those in the lists of favourites: clients draw the hearts by it.'
  ),
  'name-empty': warning('Listeners see a row without a name. Name it by its file, or leave it out.'),
  'name-html': warning('Clients show names as they are: take tags out and decode entities.'),
  'lyrics-format': broken('Give LRC or plain text: listeners see the markup, and nothing follows the music.'),
  'format-name': warning('Name a format as players do, without dot or type: wav, flac, mp3.'),
  'quality-outside-map': broken('Use the keys of the qualityMap everywhere: clients cannot request others.'),
  'qualities-copied': broken(
    'List what each track really has, with its real size, not the whole qualityMap on every track.'
  ),
  'duration-in-seconds': warning('durationMs is in milliseconds; these values look like seconds.'),
  'time-in-seconds': warning('Times are Unix times in milliseconds; this value looks like seconds.'),
  'size-in-kilobytes': warning('size is in bytes; these values are far too small for durationMs and bitrate.'),
  'bitrate-in-kbit': warning('Bitrates are in bit/s; this value looks like kbit/s.'),

  // Media
  'audio-url': broken('Send an absolute http or https URL: players open it without any header of the source.'),
  'audio-status': broken('Answer 206 or 200 to a range request without a token, as players send it.'),
  'audio-type': broken('Answer with an audio content type, or players refuse it.'),
  'audio-range': warning(
    'Answer 416 to a range behind the end of the audio, so that players notice that it has ended.'
  ),
  'audio-range-bytes': broken(
    'Answer a range with its own bytes, and with a Content-Range that names them, or seeking plays another place.'
  ),
  'audio-same': warning('Send the URL of each track: several tracks have the same audio here.'),
  'audio-format': warning('Send the format, and the content type, of the audio itself: players choose by them.'),
  'quality-ignored': warning(
    'Use the parameter quality: a track that lists several qualities has the same one for each of them.'
  ),
  'cover-url': warning('Send an absolute http or https URL, or "" when there is no picture.'),
  'cover-status': warning('The picture must load without a token.'),
  'cover-type': warning('Answer with an image content type.'),

  // Library of the adapter
  'library-answer': broken('Return the values of docs/reference/library.md. Apps get no list of a failing library.'),
  'library-repeats': broken('Name each id once: apps show an item twice, or take one for another.'),
  'library-facets': broken(
    'total is the number of ids without a filter; sorts has at least those that lists need; letters, years and ' +
    'genres have those of all items.'
  ),
  'library-items': broken('Return the item of each id, in the same order, and undefined for a missing item.'),
  'library-order': broken('Another order has the same ids. Compare by sortKey; items without a value come last.'),
  'library-filter': broken('Every letter and year of facets has something, and lists of one have nothing else.'),
  'library-random': broken('Return at most count ids of the query, each once, and the number to choose from.'),
  'library-genres': warning('The counts of a genre must equal its lists. Genres are requested in any case.'),
  'library-extras': warning('Give the extras that lists need: apps show 0 albums, 0 minutes or no artist instead.'),
  'library-revision': warning('Change revision only with the music: nothing that is listed is kept by this one.'),
  'library-unstable': broken('Give the same order as long as revision is the same, or pages repeat and lose items.'),

  // HTTP caching
  'cache-missing': warning(
    'Answer with Cache-Control: no-store or private, so that no proxy keeps the answer for other callers.'
  ),
  'cache-shared': broken(
    'Answer with Cache-Control: private or no-store: a shared cache gives this answer to other callers.'
  ),
  'cache-vary': broken(
    'Answer with Vary: Authorization: a cache gives this answer to another account of the same user.'
  ),
  'etag-ignored': warning('Answer 304 to If-None-Match with the current ETag.'),
  'etag-wrong': broken('Answer 304 only to If-None-Match with the current ETag, or clients keep old data.'),
  'head-differs': warning('Answer HEAD like GET, without the body.'),

  // Writing (--write)
  'body-coerced': broken('Answer 400 when a member of the body has the wrong type: bodies are never coerced.'),
  'body-unknown-member': broken('Answer 400 when the body has an unknown member.'),
  'body-not-json': warning('Answer 415 to a body that is not application/json.'),
  'body-too-large': warning('Answer 413 to a body that is much too large, without reading all of it.'),
  'write-refused': warning('The source answered success: false, so the operation could not be checked further.'),
  'write-status': broken('status is the state after the call.'),
  'write-no-effect': broken('The source answered success, but a later answer does not show the change.'),
  'write-toggles': broken('Set the state that is asked for, whatever it was: clients send a change again.'),
  'write-others': broken('Change only what the call names.'),
  'write-not-undone': broken('The check could not undo its own change, or could not find out. Look at the account.')
} satisfies Record<string, Rule>)

export type RuleId = keyof typeof rules
