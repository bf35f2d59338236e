/**
 * The version of the index tables, stored as `user_version`. Increase it with each change of the tables or of the
 * meaning of rows. An index of another version is created again, and tracks retain their ids and arrival times.
 */
export const indexForm = 11

/**
 * Returns the statement for a search table. The words are created by `wordsOf` and separated by spaces, so every other
 * character belongs to a word. The second column contains the artists, the album, contributors, titles of discs, genres
 * and the year. The third column contains long words reversed, to find typing errors.
 */
const searchTables = (kind: string) => `
  CREATE VIRTUAL TABLE ${kind}_words USING fts5(
    name, more, back, content = '', contentless_delete = 1, prefix = '1 2',
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'");
  CREATE VIRTUAL TABLE ${kind}_spellings USING fts5vocab(${kind}_words, 'row');`

/**
 * The tables of the library.
 *
 * The number of a track, an album or an artist consists of the length of its name and its id: searches then find short
 * names first, and the same files always produce the same database, in any order.
 */
export const libraryTables = `
  -- Which folder the files were in, and what was mounted inside of it.
  CREATE TABLE home (id INTEGER PRIMARY KEY, folder TEXT NOT NULL);
  CREATE TABLE mounts (path TEXT PRIMARY KEY, folder TEXT NOT NULL);

  -- What was read of each file. One without a recording could not be read: it is tried again when it has changed.
  CREATE TABLE file (
    folder TEXT NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    recording TEXT,
    -- The recording as it was read, where the files of an album were repaired together.
    read_as TEXT,
    -- What the files have in common whose tags are repaired together.
    album_texts TEXT,
    quality TEXT,
    -- Its path in the composed form, where it has another one.
    composed TEXT,
    added INTEGER,
    tags TEXT,
    -- As hashAudio gives it; null where the file could not be read.
    audio TEXT,
    -- The id that the file brings to its track; null where it has the one that its tags make.
    own TEXT,
    -- The id that its audio had, while another file has it, which may turn out to be gone.
    claim TEXT,
    -- Whether what it is recognised by is in identities.sqlite.
    settled INTEGER NOT NULL DEFAULT 0,
    -- As albumColumns makes them.
    album_group TEXT,
    album_credit TEXT,
    album_key TEXT,
    album_part TEXT,
    UNIQUE (folder, name)
  );
  CREATE INDEX file_read_as ON file (read_as) WHERE read_as IS NOT NULL;
  CREATE INDEX file_album_texts ON file (album_texts) WHERE album_texts IS NOT NULL;
  CREATE INDEX file_quality ON file (quality) WHERE quality IS NOT NULL;
  CREATE INDEX file_composed ON file (composed) WHERE composed IS NOT NULL;
  CREATE INDEX file_codec ON file (tags ->> '$.codec') WHERE tags ->> '$.codec' IS NOT NULL;
  CREATE INDEX file_unsettled ON file (claim) WHERE settled = 0 AND recording IS NOT NULL;
  CREATE INDEX file_album_group ON file (album_group, album_credit) WHERE album_credit IS NOT NULL;
  CREATE INDEX file_album_key ON file (album_key, album_part) WHERE album_key IS NOT NULL;
  -- Lines of playlists name files in another case too.
  CREATE INDEX file_any_case ON file (folder COLLATE NOCASE, name COLLATE NOCASE);

  -- The path is that of its first file. Tracks of an album are in the order of its index; rows are in the order in
  -- which they came, so that those of a change are together.
  CREATE TABLE track (
    number INTEGER NOT NULL UNIQUE,
    id TEXT NOT NULL UNIQUE,
    recording TEXT NOT NULL,
    path TEXT NOT NULL,
    album INTEGER NOT NULL,
    disc INTEGER NOT NULL,
    place INTEGER NOT NULL,
    sort TEXT NOT NULL,
    published INTEGER,
    added INTEGER NOT NULL,
    data TEXT NOT NULL
  );
  CREATE INDEX track_album_added ON track (album, added);
  CREATE INDEX track_album ON track (album, disc, place, sort, number);
  CREATE INDEX track_added ON track (added DESC, album, disc, place, sort, number);
  -- Most recordings are one track of the same id.
  CREATE INDEX track_part ON track (recording) WHERE recording <> id;
  CREATE INDEX track_explicit ON track (album, data ->> '$.extras.explicitStatus')
    WHERE data ->> '$.extras.explicitStatus' IS NOT NULL;
  -- Finds tracks of other years than their album, and the albums of years.
  CREATE INDEX track_published ON track (album, published);
  CREATE INDEX track_year ON track (published, album);
  CREATE INDEX track_path ON track (path);

  CREATE TABLE album (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    artist INTEGER NOT NULL,
    name TEXT NOT NULL,
    -- The artists as its first track writes them.
    credited TEXT NOT NULL,
    sort TEXT NOT NULL,
    published INTEGER,
    genre TEXT,
    letter TEXT,
    year INTEGER,
    added INTEGER,
    tracks INTEGER NOT NULL,
    -- What the tags of its tracks tell of it, in JSON.
    extras TEXT,
    -- In milliseconds.
    duration INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX album_sort ON album (sort, number, tracks, letter, year, added);
  CREATE INDEX album_artist ON album (artist, published DESC, sort, number);

  -- The artists of an album behind its first one.
  CREATE TABLE also_by (
    album INTEGER NOT NULL,
    place INTEGER NOT NULL,
    artist INTEGER NOT NULL,
    PRIMARY KEY (album, place)
  ) WITHOUT ROWID;
  CREATE INDEX also_by_artist ON also_by (artist);
  CREATE VIEW made_by AS SELECT artist, number AS album FROM album UNION ALL SELECT artist, album FROM also_by;

  -- The cover is that of an album, by its id. Tracks are those that the artist plays on.
  CREATE TABLE artist (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    sort TEXT NOT NULL,
    cover TEXT,
    letter TEXT,
    added INTEGER,
    tracks INTEGER NOT NULL,
    extras TEXT
  );
  CREATE INDEX artist_sort ON artist (sort, number, tracks, letter, added);
  CREATE INDEX artist_tracks ON artist (tracks DESC, sort, number);

  -- Who has a part in a track. One that has not played has the album.
  CREATE TABLE credit (
    artist INTEGER NOT NULL,
    path TEXT NOT NULL,
    track INTEGER NOT NULL,
    played INTEGER NOT NULL,
    name TEXT NOT NULL,
    added INTEGER NOT NULL,
    -- What the tags of the track tell of the artist, in JSON.
    extras TEXT,
    PRIMARY KEY (artist, path)
  ) WITHOUT ROWID;
  CREATE INDEX credit_added ON credit (artist, added);
  CREATE INDEX credit_extras ON credit (artist, path) WHERE extras IS NOT NULL;

  -- Who else has a part in a track: ids of artists, some of which have no row.
  CREATE TABLE part (
    artist TEXT NOT NULL,
    role TEXT NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (artist, role, path)
  ) WITHOUT ROWID;

  CREATE TABLE genre_track (
    genre TEXT NOT NULL,
    path TEXT NOT NULL,
    track INTEGER NOT NULL,
    name TEXT NOT NULL,
    added INTEGER NOT NULL,
    album INTEGER NOT NULL,
    PRIMARY KEY (genre, path)
  ) WITHOUT ROWID;
  CREATE INDEX genre_track_added ON genre_track (genre, added);

  -- Playlist files, and one playlist for each genre.
  CREATE TABLE playlist (
    id TEXT PRIMARY KEY,
    genre TEXT,
    folder TEXT,
    file TEXT,
    size INTEGER,
    mtime INTEGER,
    name TEXT NOT NULL,
    sort TEXT NOT NULL,
    genres TEXT NOT NULL,
    tracks INTEGER NOT NULL,
    cover TEXT,
    updated INTEGER NOT NULL
  );
  CREATE INDEX playlist_folder ON playlist (folder) WHERE folder IS NOT NULL;

  -- The lines of playlist files. A stale one has to be looked for again, since a file of that name has changed.
  CREATE TABLE entry (
    playlist TEXT NOT NULL,
    place INTEGER NOT NULL,
    path TEXT NOT NULL,
    name TEXT NOT NULL,
    track INTEGER,
    stale INTEGER NOT NULL,
    PRIMARY KEY (playlist, place)
  ) WITHOUT ROWID;
  CREATE INDEX entry_name ON entry (name);
  CREATE INDEX entry_track ON entry (track) WHERE track IS NOT NULL;
  CREATE INDEX entry_stale ON entry (playlist, place) WHERE stale = 1;
  ${['track', 'album', 'artist'].map(searchTables).join('')}
  PRAGMA user_version = ${indexForm}`
